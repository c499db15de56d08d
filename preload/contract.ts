import { z } from 'zod';

/**
 * The only list of what the window may ask and may hear. Main answers exactly these requests, the preload script exposes
 * exactly these functions, and nothing crosses that its schema does not name: unknown fields are dropped on the way.
 */

const certainty = z.enum(['known', 'predicted', 'unknown']);
const stepSource = z.enum(['override', 'workspace-default', 'heuristic']);

const warehouse = z.object({
  id: z.string(),
  name: z.string(),
  state: z.string(),
  size: z.string(),
  serverless: z.boolean(),
  canUse: z.union([z.boolean(), z.literal('unknown')]),
});

const step = z.object({
  source: stepSource,
  outcome: z.enum(['decides', 'passed-over', 'empty', 'unreadable']),
  certainty,
  warehouse: warehouse.nullable(),
  reason: z.string(),
});

const warehouseProblem = z.object({
  code: z.enum([
    'warehouse-gone',
    'cannot-use',
    'deleting',
    'last-selected-unseen',
    'override-api-missing',
    'no-warehouse',
  ]),
  message: z.string(),
  remedy: z.string(),
});

const effectiveWarehouse = z.object({
  profile: z.string(),
  host: z.string(),
  user: z.object({
    id: z.string(),
    userName: z.string(),
    displayName: z.string(),
    admin: z.union([z.boolean(), z.literal('unknown')]),
  }),
  warehouse: warehouse.nullable(),
  decidedBy: stepSource.nullable(),
  certainty,
  override: z.object({ type: z.string(), warehouseId: z.string().nullable() }).nullable(),
  steps: z.array(step),
  problems: z.array(warehouseProblem),
});

/** A failure as it crosses to the window: a code to switch on, what happened, and what to do. Never a stack. */
const problem = z.object({ code: z.string(), message: z.string(), remedy: z.string().nullable() });

/** A failure with the step that leads on, which tray and window offer first. */
const failure = z.object({ problem, next: z.enum(['try-again', 'sign-in', 'choose-profile']) });

const warehouseState = z.discriminatedUnion('status', [
  z.object({ status: z.literal('loading') }),
  /** No profile anywhere: there is nothing to open yet. */
  z.object({ status: z.literal('unconfigured'), problem }),
  z.object({
    status: z.literal('signing-in'),
    step: z.enum(['starting', 'waiting-for-browser', 'waiting-for-other', 'finishing']),
    /** The sign-in page, where the person has to open it: the browser could not be opened. */
    address: z.string().nullable(),
  }),
  z.object({ status: z.literal('failed'), failure }),
  z.object({
    status: z.literal('known'),
    effective: effectiveWarehouse,
    /** Milliseconds since the epoch. */
    checkedAt: z.number(),
    checking: z.boolean(),
    /** Why the last check failed, while the answer before it is still shown. */
    lastFailure: failure.nullable(),
  }),
]);

/** The warehouses that the tray offers, best first, and how many more the window has. */
const choices = z.object({ warehouses: z.array(warehouse), more: z.number() });

/** The three checks of spec/default-warehouse-override.md › Verification layers, as far as they have come. */
const check = z.object({
  name: z.enum(['record', 'resolver', 'end-to-end']),
  status: z.enum(['waiting', 'running', 'pass', 'fail', 'unknown', 'cancelled']),
  /** What was seen, or what is being done just now. */
  words: z.string(),
});
const verification = z.object({ running: z.boolean(), checks: z.array(check) });

/** A `causeway proxy` that is attached: one session of an AI client. */
const attachedProxy = z.object({
  id: z.number(),
  pid: z.number(),
  /** The program that started it, where the system tells. */
  client: z.string().nullable(),
  /** Null for the default profile. */
  profile: z.string().nullable(),
  path: z.string(),
  /** Milliseconds since the epoch. */
  since: z.number(),
});

/** What was asked for outside the window and went wrong. */
const failedAction = z.object({ title: z.string(), problem });

/** All that the tray and the window show, as one value. */
const desktopState = z.object({
  profiles: z.array(z.string()),
  /** The profile that is shown; null until one is open. */
  profile: z.string().nullable(),
  warehouse: warehouseState,
  /** Null while they could not be read. */
  choices: choices.nullable(),
  /** Null until a check was run on what is effective now. */
  verification: verification.nullable(),
  proxies: z.array(attachedProxy),
  failedAction: failedAction.nullable(),
});

const screenName = z.enum(['warehouse', 'activity', 'accounts']);

/** One profile of the configuration file, and whether somebody is signed in to it. */
const account = z.object({
  name: z.string(),
  host: z.string().nullable(),
  isDefault: z.boolean(),
  method: z.enum(['pat', 'oauth-m2m', 'databricks-cli', 'oauth-user']).nullable(),
  state: z.discriminatedUnion('status', [
    z.object({
      status: z.literal('signed-in'),
      userName: z.string().nullable(),
      /** Milliseconds since the epoch. */
      expiresAt: z.number().nullable(),
      renewable: z.boolean(),
    }),
    z.object({ status: z.literal('signed-out') }),
    z.object({ status: z.literal('by-credentials') }),
    z.object({ status: z.literal('by-databricks-cli') }),
    /** Why the profile cannot be used, and what to do, as sentences. */
    z.object({ status: z.literal('unusable'), message: z.string() }),
    z.object({ status: z.literal('unreadable'), problem }),
  ]),
});

/** Requests that change or list something name the profile they mean: the tray may have switched it meanwhile. */
const inProfile = z.object({ profile: z.string() });
const warehouseInProfile = inProfile.extend({ warehouseId: z.string().min(1) });

export const requests = {
  getState: { input: z.undefined(), output: desktopState },
  /** Reads the effective warehouse again; opens the profile again if that had failed. */
  checkAgain: { input: z.undefined(), output: z.undefined() },
  chooseProfile: { input: inProfile, output: z.undefined() },
  /** Answers when the sign-in has ended, however it ended: the state tells how. */
  signIn: { input: z.undefined(), output: z.undefined() },
  cancelSignIn: { input: z.undefined(), output: z.undefined() },
  listWarehouses: { input: inProfile, output: z.array(warehouse) },
  setOverride: { input: warehouseInProfile, output: z.undefined() },
  setLastSelected: { input: inProfile, output: z.undefined() },
  clearOverride: { input: inProfile, output: z.undefined() },
  /** Answers when the workspace has begun: the state follows. */
  startWarehouse: { input: warehouseInProfile, output: z.undefined() },
  stopWarehouse: { input: warehouseInProfile, output: z.undefined() },
  /** What the third check would have to stop. */
  wouldStop: { input: inProfile, output: z.array(warehouse) },
  /** Answers when the checks have ended. `mayStop` is null where the third one is not wanted. */
  verify: { input: inProfile.extend({ mayStop: z.array(z.string()).nullable() }), output: z.undefined() },
  cancelVerify: { input: z.undefined(), output: z.undefined() },
  listAccounts: { input: z.undefined(), output: z.array(account) },
  /** Opens the profile and signs in to it. Answers when that has ended, however it ended: the state tells how. */
  signInTo: { input: inProfile, output: z.undefined() },
  /** Tells whether the workspace has confirmed that the sign-in is revoked. */
  signOut: { input: inProfile, output: z.object({ revoked: z.boolean() }) },
  /** Adds a profile that signs in in the browser. */
  addAccount: { input: inProfile.extend({ host: z.string() }), output: z.undefined() },
  dismissFailedAction: { input: z.undefined(), output: z.undefined() },
} as const satisfies Record<string, { input: z.ZodType; output: z.ZodType }>;

export const events = {
  stateChanged: desktopState,
  /** The tray or a notification leads to a screen of the window that is open already. */
  screenWanted: z.object({ screen: screenName }),
} as const satisfies Record<string, z.ZodType>;

export type RequestName = keyof typeof requests;
export type EventName = keyof typeof events;
export type RequestInputs = { [Name in RequestName]: z.output<(typeof requests)[Name]['input']> };
export type RequestOutputs = { [Name in RequestName]: z.output<(typeof requests)[Name]['output']> };
export type EventPayloads = { [Name in EventName]: z.output<(typeof events)[Name]> };

/** What comes back for every request, so that a failure keeps its code on the way. */
export type Reply<Output> = { ok: true; value: Output } | { ok: false; problem: Problem };

type Arguments<Input> = undefined extends Input ? [] : [input: Input];

/** What the preload script puts at `window.causeway`. */
export interface CausewayApi {
  request: {
    [Name in RequestName]: (...input: Arguments<RequestInputs[Name]>) => Promise<Reply<RequestOutputs[Name]>>;
  };
  /** Each function starts listening and gives back the one that stops it. */
  on: { [Name in EventName]: (listener: (payload: EventPayloads[Name]) => void) => () => void };
}

export type DesktopState = z.output<typeof desktopState>;
export type Choices = z.output<typeof choices>;
export type Verification = z.output<typeof verification>;
export type Check = z.output<typeof check>;
export type AttachedProxy = z.output<typeof attachedProxy>;
export type FailedAction = z.output<typeof failedAction>;
export type Account = z.output<typeof account>;
export type ScreenName = z.output<typeof screenName>;
export type WarehouseState = z.output<typeof warehouseState>;
export type EffectiveWarehouse = z.output<typeof effectiveWarehouse>;
export type EffectiveStep = z.output<typeof step>;
export type WarehouseProblem = z.output<typeof warehouseProblem>;
export type Warehouse = z.output<typeof warehouse>;
export type Failure = z.output<typeof failure>;
export type Problem = z.output<typeof problem>;
