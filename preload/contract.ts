import type { z } from 'zod';
import { accountRequests } from './contract/accounts.ts';
import { activityEvents, activityRequests } from './contract/activity.ts';
import { contentsRequests } from './contract/activity-contents.ts';
import { approvalRequests } from './contract/approvals.ts';
import { clientEvents, clientRequests } from './contract/clients.ts';
import { stateEvents, stateRequests } from './contract/desktop-state.ts';
import { diagnosticsEvents, diagnosticsRequests } from './contract/diagnostics.ts';
import { firstRunRequests } from './contract/first-run.ts';
import { jobRequests } from './contract/jobs.ts';
import { overridesEvents, overridesRequests } from './contract/overrides.ts';
import type { Problem } from './contract/parts.ts';
import { permissionEvents, permissionRequests } from './contract/permissions.ts';
import { pinRequests } from './contract/pins.ts';
import { serverEvents, serverRequests } from './contract/servers.ts';
import { aboutRequests, settingsEvents, settingsRequests } from './contract/settings.ts';
import { signInRequests } from './contract/sign-in.ts';
import { uninstallRequests } from './contract/uninstall.ts';
import { warehouseEvents, warehouseRequests } from './contract/warehouse.ts';

export type * from './contract/accounts.ts';
export type * from './contract/activity.ts';
export type * from './contract/activity-contents.ts';
export type * from './contract/approvals.ts';
export type * from './contract/clients.ts';
export type * from './contract/desktop-state.ts';
export type * from './contract/diagnostics.ts';
export type * from './contract/first-run.ts';
export type * from './contract/managed.ts';
export type * from './contract/overrides.ts';
export type * from './contract/parts.ts';
export type * from './contract/permissions.ts';
export type * from './contract/pins.ts';
export type * from './contract/servers.ts';
export type * from './contract/settings.ts';
export type * from './contract/sign-in.ts';
export type * from './contract/uninstall.ts';
export type * from './contract/warehouse.ts';

/**
 * The only list of the requests that the window may make and the events that it receives: a group for each screen, in `contract/`. Main answers exactly
 * these requests, the preload script exposes exactly these functions, and nothing crosses that its schema does not name:
 * unknown fields are dropped.
 */
export const requests = {
  ...stateRequests,
  ...firstRunRequests,
  ...warehouseRequests,
  ...jobRequests,
  ...serverRequests,
  ...permissionRequests,
  ...approvalRequests,
  ...clientRequests,
  ...pinRequests,
  ...activityRequests,
  ...contentsRequests,
  ...overridesRequests,
  ...accountRequests,
  ...signInRequests,
  ...settingsRequests,
  ...aboutRequests,
  ...diagnosticsRequests,
  ...uninstallRequests,
} as const satisfies Record<string, { input: z.ZodType; output: z.ZodType }>;

export const events = {
  ...stateEvents,
  ...warehouseEvents,
  ...serverEvents,
  ...permissionEvents,
  ...clientEvents,
  ...activityEvents,
  ...overridesEvents,
  ...settingsEvents,
  ...diagnosticsEvents,
} as const satisfies Record<string, z.ZodType>;

export type RequestName = keyof typeof requests;
export type EventName = keyof typeof events;
/** As they pass the schemas: what the window leaves out has its default. */
export type RequestInputs = { [Name in RequestName]: z.output<(typeof requests)[Name]['input']> };
export type RequestOutputs = { [Name in RequestName]: z.output<(typeof requests)[Name]['output']> };
export type EventPayloads = { [Name in EventName]: z.output<(typeof events)[Name]> };

/** What comes back for every request, so that a failure keeps its code across IPC. */
export type Reply<Output> = { ok: true; value: Output } | { ok: false; problem: Problem };

type Arguments<Input> = undefined extends Input ? [] : [input: Input];

/** What the preload script puts at `window.causeway`. */
export interface CausewayApi {
  request: {
    [Name in RequestName]: (
      ...input: Arguments<z.input<(typeof requests)[Name]['input']>>
    ) => Promise<Reply<RequestOutputs[Name]>>;
  };
  /** Each function subscribes a listener and returns the function that unsubscribes it. */
  on: { [Name in EventName]: (listener: (payload: EventPayloads[Name]) => void) => () => void };
}
