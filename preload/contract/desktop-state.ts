import { z } from 'zod';
import { attachedProxy } from './activity.ts';
import { recording } from './activity-contents.ts';
import { allowance, pendingApproval } from './approvals.ts';
import { firstRun } from './first-run.ts';
import { managed } from './managed.ts';
import { problem } from './parts.ts';
import { configuredServer } from './servers.ts';
import { updateState } from './settings.ts';
import { choices, signInStep, verification, warehouseState } from './warehouse.ts';

/** An action that failed and that no open screen shows, such as one of the tray. */
const failedAction = z.object({
  title: z.string(),
  problem,
  /** The profile that was to be signed in to; left out for everything else. */
  profile: z.string().exactOptional(),
});

/** A sign-in in progress for a profile other than the open one. */
const otherSignIn = signInStep.extend({ profile: z.string() });

/** All that the tray and the window show, as one value. */
const desktopState = z.object({
  /** How far the setup has come; null outside a first run. */
  firstRun: firstRun.nullable(),
  profiles: z.array(z.string()),
  /** The profile that is shown; null until one is open. */
  profile: z.string().nullable(),
  warehouse: warehouseState,
  /** Null while they could not be read. */
  choices: choices.nullable(),
  /** Null until a check was run on what is effective now. */
  verification: verification.nullable(),
  /** Those of all profiles, in the order in which they were added. */
  servers: z.array(configuredServer),
  /** Why the list of servers cannot be read; null if it can. */
  serversProblem: problem.nullable(),
  proxies: z.array(attachedProxy),
  /** The calls that wait for the user, the oldest first. */
  approvals: z.array(pendingApproval),
  /** What is allowed for some time; what is over may still be among it. */
  allowances: z.array(allowance),
  /** Whether the contents of calls are recorded. */
  recording,
  update: updateState,
  otherSignIns: z.array(otherSignIn),
  /** What the organization has decided; null if it has decided nothing. */
  managed: managed.nullable(),
  failedAction: failedAction.nullable(),
});

const screenName = z.enum([
  'warehouse',
  'servers',
  'clients',
  'activity',
  'overrides',
  'accounts',
  'settings',
  'diagnostics',
]);

/** What the application menu has the window do. */
const windowCommand = z.enum(['palette', 'shortcuts']);

export const stateRequests = {
  getState: { input: z.undefined(), output: desktopState },
  dismissFailedAction: { input: z.undefined(), output: z.undefined() },
} as const;

export const stateEvents = {
  stateChanged: desktopState,
  /** The tray or a notification leads to a screen of the window that is open already, or to one thing on it. */
  screenWanted: z.object({ screen: screenName, item: z.string().nullable() }),
  /** The application menu, or one of its shortcuts, wants something that the window has. */
  commandWanted: z.object({ command: windowCommand }),
} as const;

export type DesktopState = z.output<typeof desktopState>;
export type OtherSignIn = z.output<typeof otherSignIn>;
export type FailedAction = z.output<typeof failedAction>;
export type ScreenName = z.output<typeof screenName>;
export type WindowCommand = z.output<typeof windowCommand>;
