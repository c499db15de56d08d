import {
  type Reply,
  type RequestInputs,
  type RequestName,
  type RequestOutputs,
  requests,
} from '../../preload/contract.ts';
import { CausewayError } from '../platform/errors.ts';
import type { Accounts } from './accounts.ts';
import type { DesktopModel } from './model.ts';
import { problemOf } from './problem.ts';

/** One function for each request of the contract. */
export type RequestHandlers = {
  [Name in RequestName]: (input: RequestInputs[Name]) => Promise<RequestOutputs[Name]>;
};

type Schemas = {
  [Name in RequestName]: {
    input: { safeParse(raw: unknown): { success: true; data: RequestInputs[Name] } | { success: false } };
    output: { parse(value: unknown): RequestOutputs[Name] };
  };
};

export function createRequestHandlers(model: DesktopModel, accounts: Accounts): RequestHandlers {
  return {
    getState: async () => model.state,
    checkAgain: async () => void (await model.checkAgain()),
    chooseProfile: async ({ profile }) => void (await model.open(profile)),
    signIn: async () => void (await model.signIn()),
    cancelSignIn: async () => void model.cancelSignIn(),
    listWarehouses: ({ profile }) => model.using(profile, (warehouses) => warehouses.list()),
    setOverride: async ({ profile, warehouseId }) =>
      void (await model.change(profile, (warehouses) => warehouses.setOverride(warehouseId))),
    setLastSelected: async ({ profile }) =>
      void (await model.change(profile, (warehouses) => warehouses.setLastSelected())),
    clearOverride: async ({ profile }) =>
      void (await model.change(profile, (warehouses) => warehouses.clearOverride())),
    startWarehouse: async ({ profile, warehouseId }) =>
      void (await model.change(profile, (warehouses) => warehouses.start(warehouseId))),
    stopWarehouse: async ({ profile, warehouseId }) =>
      void (await model.change(profile, (warehouses) => warehouses.stop(warehouseId))),
    wouldStop: ({ profile }) => model.using(profile, (warehouses) => warehouses.wouldStop()),
    verify: async ({ profile, mayStop }) => void (await model.verify(profile, mayStop)),
    cancelVerify: async () => void model.cancelVerify(),
    listAccounts: () => accounts.list(),
    signInTo: async ({ profile }) => void (await model.signInTo(profile)),
    signOut: ({ profile }) => accounts.signOut(profile),
    addAccount: async ({ profile, host }) => void (await accounts.add(profile, host)),
    dismissFailedAction: async () => void model.showFailedAction(null),
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
  const input = schemas.input.safeParse(raw);
  try {
    if (!input.success) throw new CausewayError('invalid_argument', `The window sent a malformed ${name}.`);
    return { ok: true, value: schemas.output.parse(await handlers[name](input.data)) };
  } catch (error) {
    const problem = problemOf(error);
    if (problem.code === 'internal') console.error(`${name} failed:`, error);
    return { ok: false, problem };
  }
}
