import { z } from 'zod';
import { failure, inProfile, list, problem, text } from './parts.ts';

/**
 * How sure an answer is: read from the workspace, shown by its query history for a query, worked out by rules that it does not
 * publish, or not available.
 */
const certainty = z.enum(['known', 'seen', 'predicted', 'unknown']);
const stepSource = z.enum(['override', 'workspace-default', 'heuristic']);

/** What users are shown of a warehouse, in window, tray and command alike. */
export const warehouse = z.object({
  id: z.string(),
  /** The id again if the name cannot be read. */
  name: z.string(),
  /** As the workspace spells it: `RUNNING`, `STOPPED`, `STARTING`, …; new words pass through; `UNKNOWN` if not readable. */
  state: z.string(),
  /** `2X-Small` … `5X-Large`; empty if not readable. */
  size: z.string(),
  /** `PRO`, `CLASSIC` or a newer word; empty if not readable. */
  type: z.string(),
  serverless: z.boolean(),
  /** Whether the signed-in user can run queries on it; `unknown` if the workspace does not say. */
  canUse: z.union([z.boolean(), z.literal('unknown')]),
});

/** One link of the chain: override, then workspace default, then heuristic (spec/managed-mcp-endpoints.md › 6). */
const step = z.object({
  source: stepSource,
  outcome: z.enum(['decides', 'passed-over', 'empty', 'unreadable']),
  certainty,
  /** What this step names, if it names one that could be read. */
  warehouse: warehouse.nullable(),
  /** Why it is in effect or not used, as sentences for users. */
  reason: z.string(),
  /** The heuristic's tier, 1 to 5, that its warehouse falls into. */
  tier: z.number().exactOptional(),
});

/** A reason why queries would fail although a warehouse is chosen, found before a query is sent. */
const warehouseProblem = z.object({
  code: z.enum([
    'warehouse-gone',
    'warehouse-unseen',
    'cannot-use',
    'deleting',
    'last-selected-unseen',
    'ran-elsewhere',
    'override-api-missing',
    'no-warehouse',
  ]),
  message: z.string(),
  remedy: z.string(),
});

/** Which warehouse this user's queries run on, and why. */
export const effectiveWarehouse = z.object({
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
  /** Where the last query ran that the query history has shown since the settings are as they are; null if none. */
  seen: z.object({ id: z.string(), name: z.string(), at: z.number() }).nullable(),
  override: z.object({ type: z.string(), warehouseId: z.string().nullable() }).nullable(),
  steps: z.array(step),
  problems: z.array(warehouseProblem),
});

/** How far a sign-in in the browser has come. */
export const signInStep = z.object({
  step: z.enum(['starting', 'waiting-for-browser', 'waiting-for-other', 'finishing']),
  /** The workspace that the user signs in to. */
  host: z.string(),
  /** The user who signed in last; null if that is not known. */
  user: z.string().nullable(),
  /** The address of the sign-in page, where the browser could not be opened and the user has to open it. */
  address: z.string().nullable(),
});

export const warehouseState = z.discriminatedUnion('status', [
  z.object({ status: z.literal('loading') }),
  /** No profile anywhere: there is nothing to open yet. */
  z.object({ status: z.literal('unconfigured'), problem }),
  signInStep.extend({ status: z.literal('signing-in') }),
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
export const choices = z.object({ warehouses: z.array(warehouse), more: z.number() });

/** The checks of spec/default-warehouse-override.md › Verification layers, and what the query history says of a query, as far as they have come. */
const check = z.object({
  name: z.enum(['record', 'resolver', 'query', 'end-to-end']),
  status: z.enum(['waiting', 'running', 'pass', 'fail', 'unknown', 'not-applicable', 'cancelled']),
  /** The result of the check, or its current step. */
  words: z.string(),
});
export const verification = z.object({
  running: z.boolean(),
  /** Milliseconds since the epoch; null while the checks run. */
  endedAt: z.number().nullable(),
  checks: z.array(check),
});

/** An override as it was: with its warehouse's name then, which may not be known. */
export const overrideValue = z.object({
  type: z.string(),
  warehouseId: z.string().nullable(),
  warehouseName: z.string().nullable(),
});

/** One change of the user's own override; null stands for no override. */
export const overrideChange = z.object({
  /** When it was seen, or made by the command, in milliseconds since the epoch. */
  at: z.number(),
  /** `command`: by the `causeway` command on this computer. */
  by: z.enum(['here', 'command', 'elsewhere']),
  before: overrideValue.nullable(),
  after: overrideValue.nullable(),
});

/** The override to set, or `NONE` to clear it. */
export const wanted = z.discriminatedUnion('type', [
  z.object({ type: z.literal('CUSTOM'), warehouseId: text().min(1) }),
  z.object({ type: z.literal('LAST_SELECTED') }),
  z.object({ type: z.literal('NONE') }),
]);

/** The default warehouse that was read; a change of it names the version, so that it overwrites no other one. */
const seenDefault = z.object({ warehouseId: text().nullable(), etag: text().nullable() });

const warehouseInProfile = inProfile.extend({ warehouseId: text().min(1) });

export const warehouseRequests = {
  /** Reads the effective warehouse again; opens the profile again if that had failed. */
  checkAgain: { input: z.undefined(), output: z.undefined() },
  chooseProfile: { input: inProfile, output: z.undefined() },
  /** Answers when the sign-in has ended; the state holds the result. */
  signIn: { input: z.undefined(), output: z.undefined() },
  cancelSignIn: { input: z.undefined(), output: z.undefined() },
  listWarehouses: { input: inProfile, output: z.array(warehouse) },
  setOverride: { input: inProfile.extend({ wanted }), output: z.undefined() },
  /** Answers when the workspace has begun: the state follows. */
  startWarehouse: { input: warehouseInProfile, output: z.undefined() },
  stopWarehouse: { input: warehouseInProfile, output: z.undefined() },
  /** Puts the warehouse's id on the clipboard. */
  copyWarehouseId: { input: warehouseInProfile, output: z.undefined() },
  /** Opens the warehouse's page of the workspace in the browser. */
  openWarehouse: { input: warehouseInProfile, output: z.undefined() },
  /** The workspace default as admins see it, and how many users have no override; null if they cannot be counted. */
  workspaceDefault: {
    input: inProfile,
    output: z.object({
      seen: seenDefault,
      affected: z.object({ withoutOverride: z.number(), users: z.number() }).nullable(),
    }),
  },
  /** Sets the workspace default, or removes it; refused with `conflict` if it is no longer as it was seen. */
  setWorkspaceDefault: {
    input: inProfile.extend({ warehouseId: text().min(1).nullable(), seen: seenDefault }),
    output: z.undefined(),
  },
  /** What the third check would have to stop. */
  wouldStop: { input: inProfile, output: z.array(warehouse) },
  /**
   * Answers when the checks have ended. `prove` looks up where a query runs; `mayStop` is null if none is wanted from a cold
   * start; `pin` is the warehouse that the query names itself, null if the workspace chooses.
   */
  verify: {
    input: inProfile.extend({
      prove: z.boolean().default(false),
      mayStop: list(text()).nullable(),
      pin: text().min(1).nullable().default(null),
    }),
    output: z.undefined(),
  },
  cancelVerify: { input: z.undefined(), output: z.undefined() },
  /** What the override was changed to, the newest first. */
  overrideHistory: { input: inProfile, output: z.array(overrideChange) },
} as const;

export const warehouseEvents = {
  overrideHistoryChanged: inProfile,
} as const;

export type WantedOverride = z.output<typeof wanted>;
export type OverrideValue = z.output<typeof overrideValue>;
export type OverrideChange = z.output<typeof overrideChange>;
export type Choices = z.output<typeof choices>;
export type Verification = z.output<typeof verification>;
export type Check = z.output<typeof check>;
export type SignInStep = z.output<typeof signInStep>;
export type WarehouseState = z.output<typeof warehouseState>;
export type EffectiveWarehouseInfo = z.output<typeof effectiveWarehouse>;
export type EffectiveStepInfo = z.output<typeof step>;
export type WarehouseProblem = z.output<typeof warehouseProblem>;
export type WarehouseInfo = z.output<typeof warehouse>;
