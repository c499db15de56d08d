import {
  type Reply,
  type RequestInputs,
  type RequestName,
  type RequestOutputs,
  requests,
} from '../../preload/contract.ts';
import { CausewayError } from '../platform/errors.ts';
import { accountHandlers } from './accounts.ts';
import { activityHandlers, contentsHandlers } from './activity/handlers.ts';
import { approvalHandlers } from './approvals/handlers.ts';
import { clientHandlers } from './clients.ts';
import type { DesktopContext, HandlersOf } from './context.ts';
import { diagnosticsHandlers } from './diagnostics.ts';
import { problemFor } from './failure.ts';
import { firstRunHandlers } from './first-run.ts';
import { overridesHandlers } from './overrides/handlers.ts';
import { permissionHandlers } from './permissions.ts';
import { pinHandlers } from './pins.ts';
import { serverHandlers } from './servers/handlers.ts';
import { aboutHandlers, settingsHandlers } from './settings/handlers.ts';
import { signInHandlers } from './sign-in.ts';
import { uninstallHandlers } from './uninstall.ts';
import { warehouseHandlers } from './warehouse/handlers.ts';
import { isTooLarge } from './window/input-size.ts';
import { shownValues } from './window/shown-values.ts';

/** One function for each request of the contract. */
export type RequestHandlers = HandlersOf<typeof requests>;

type Schemas = {
  [Name in RequestName]: {
    input: { safeParse(raw: unknown): { success: true; data: RequestInputs[Name] } | { success: false } };
    output: { parse(value: unknown): RequestOutputs[Name] };
    isLarge?: boolean;
  };
};

/** The handlers of every group. */
export function createRequestHandlers(context: DesktopContext): RequestHandlers {
  return {
    ...firstRunHandlers(context),
    ...warehouseHandlers(context),
    cancelJob: async ({ job }) => void context.jobs.cancel(job),
    ...serverHandlers(context),
    ...permissionHandlers(context),
    ...approvalHandlers(context),
    ...clientHandlers(context),
    ...pinHandlers(context),
    ...activityHandlers(context),
    ...contentsHandlers(context),
    ...overridesHandlers(context),
    ...accountHandlers(context),
    ...signInHandlers(context),
    ...settingsHandlers(context),
    ...aboutHandlers(context),
    ...diagnosticsHandlers(context),
    ...uninstallHandlers(context),
  };
}

/**
 * Answers one request of the window: what comes in and what goes out pass the contract's schemas, and every failure
 * becomes a reply. It never rejects, because a rejection would carry its stack across.
 */
export async function answer<Name extends RequestName>(
  handlers: RequestHandlers,
  name: Name,
  raw: unknown,
): Promise<Reply<RequestOutputs[Name]>> {
  const table: Schemas = requests;
  const schemas: Schemas[Name] = table[name];
  try {
    if (isTooLarge(raw, schemas.isLarge === true))
      throw new CausewayError('invalid_argument', `The window sent too much as ${name}.`);
    const input = schemas.input.safeParse(raw);
    if (!input.success) throw new CausewayError('invalid_argument', `The window sent a malformed ${name}.`);
    return { ok: true, value: schemas.output.parse(shownValues(await handlers[name](input.data))) };
  } catch (error) {
    const problem = problemFor(error);
    if (problem.code === 'internal') console.error(`${name} failed:`, error);
    return { ok: false, problem };
  }
}
