import type { ErrorCode } from '../../preload/contract/error-facts.ts';
import { isGone } from '../../preload/contract/words/warehouse.ts';
import { CausewayError, sentences } from '../platform/errors.ts';
import type { NextAction } from '../platform/next-action.ts';
import type { RestClient } from '../workspace/client.ts';
import { WorkspaceError } from '../workspace/errors.ts';
import type { OverrideFields, UpdateOptions } from '../workspace/overrides.ts';
import { isAdmin } from '../workspace/scim.ts';
import type { Warehouses } from '../workspace/warehouses.ts';

/** How long the lookup after a refusal may take. */
const LOOKUP_TIMEOUT_MS = 10_000;

/** A change in the workspace of where queries run. */
export type WarehouseChange =
  | {
      of: 'override';
      /** `me` or a numeric user id. */
      overrideOf: string;
      change: 'create' | 'update' | 'delete';
      /** Null for a deletion. */
      type: string | null;
      warehouse: string | null;
      /** Whether the workspace has confirmed it: an answer may be lost. */
      confirmed: boolean;
    }
  | { of: 'workspace-default'; warehouse: string | null; confirmed: boolean };

/** Called with each change, also where its answer was lost; without one where what was read before may be out of date. */
export type OnWarehouseChange = (change?: WarehouseChange) => void;

export type OverrideOperations = ReturnType<typeof overrideOperations>;

/** The override API of one workspace with its errors explained (spec/default-warehouse-override.md › Endpoints). */
export function overrideOperations(
  { overrides, warehouses, users }: Pick<RestClient, 'overrides' | 'warehouses' | 'users'>,
  onChange: OnWarehouseChange = () => {},
) {
  const attempt = async <T>(attempted: OverrideAttempt, run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      throw await explained(error, attempted);
    }
  };
  const explained = async (error: unknown, attempted: OverrideAttempt) =>
    inOverrideWords(error, attempted, dependsOnCaller(error, attempted) ? await callerOf(users) : undefined);
  const change = <T>(
    attempted: OverrideAttempt & { operation: 'create' | 'update' | 'delete' },
    run: () => Promise<T>,
    { type, warehouse_id: warehouseId = '' }: Partial<OverrideFields> = {},
  ) =>
    attempt(attempted, async () => {
      const { operation, id: overrideOf } = attempted;
      const tell = (confirmed: boolean) =>
        onChange({
          of: 'override',
          overrideOf,
          change: operation,
          type: type ?? null,
          warehouse: warehouseId === '' ? null : warehouseId,
          confirmed,
        });
      try {
        const changed = await run();
        tell(true);
        return changed;
      } catch (error) {
        if (!(error instanceof WorkspaceError)) throw error;
        if (error.mayHaveRun) tell(false);
        throw (await namesMissingWarehouse(warehouses, error, warehouseId)) ? warehouseGone(error, warehouseId) : error;
      }
    });
  const get = (id: string, signal?: AbortSignal) => attempt({ operation: 'get', id }, () => overrides.get(id, signal));

  return {
    get,
    create: (id: string, fields: OverrideFields, signal?: AbortSignal) =>
      change({ operation: 'create', id }, () => overrides.create(id, fields, signal), fields),
    update: (id: string, fields: OverrideFields, options: UpdateOptions, signal?: AbortSignal) =>
      change(
        { operation: 'update', id, allowMissing: options.allowMissing },
        () => overrides.update(id, fields, options, signal),
        fields,
      ),
    /** The plain deletion: having none is an error here. */
    delete: (id: string, signal?: AbortSignal) =>
      change({ operation: 'delete', id }, () => overrides.delete(id, signal)),
    list: async function* (signal?: AbortSignal, pageSize?: number, pageToken?: string) {
      try {
        yield* overrides.list(signal, pageSize, pageToken);
      } catch (error) {
        throw await explained(error, { operation: 'list', id: '' });
      }
    },
    /** As `get`, with `null` for no override. */
    find: (id: string, signal?: AbortSignal) =>
      get(id, signal).catch((error: unknown) => {
        if (isMissing(error)) return null;
        throw error;
      }),
  };
}

/** Whether an operation failed because what it was about is not there. */
export function isMissing(error: unknown): boolean {
  return error instanceof CausewayError && error.code === 'not_found';
}

/** A refusal rarely says that it is about the warehouse, so the warehouse itself is looked up. */
async function namesMissingWarehouse(
  warehouses: Warehouses,
  error: WorkspaceError,
  warehouseId: string,
): Promise<boolean> {
  if (warehouseId === '') return false;
  if (error.code !== 'invalid_argument' && error.code !== 'not_found') return false;
  try {
    return isGone((await warehouses.get(warehouseId, AbortSignal.timeout(LOOKUP_TIMEOUT_MS))).state);
  } catch (cause) {
    return isMissing(cause);
  }
}

type OverrideOperation = 'create' | 'get' | 'update' | 'delete' | 'list';

/** The failed operation, and the user whose override it was for. */
export interface OverrideAttempt {
  operation: OverrideOperation;
  /** `me` or a numeric user id; empty for `list`. */
  id: string;
  /** Whether an update was to create a missing override. */
  allowMissing?: boolean | undefined;
}

interface Explanation {
  operations: readonly OverrideOperation[];
  when: ErrorCode | readonly ErrorCode[];
  /** Set only if the owner of the override matters. */
  own?: boolean;
  /** Given only if it matters whether the caller is a workspace admin. */
  isAdmin?: Caller['isAdmin'];
  /** Given only if it matters whether the update could have created one. */
  allowMissing?: boolean;
  code: ErrorCode;
  message(attempt: OverrideAttempt, error: WorkspaceError): string;
  remedy?: string;
  action?: NextAction;
}

const ALL_OPERATIONS: readonly OverrideOperation[] = ['create', 'get', 'update', 'delete', 'list'];
const SINGLE_OPERATIONS: readonly OverrideOperation[] = ['create', 'get', 'update', 'delete'];

/** What a create is refused with if there is one: the status says so, and not every workspace names the reason. */
const EXISTS = ['already_exists', 'conflict'] as const;

const ASK_AN_ADMIN = 'Ask a workspace admin to do it or to make you an admin.';

/** An explanation for each refusal of the override API; the first row that matches applies. */
const EXPLANATIONS: readonly Explanation[] = [
  {
    operations: ['update'],
    when: 'not_found',
    allowMissing: false,
    code: 'not_found',
    message: noOverride,
    remedy: 'Nothing was changed. Use --allow-missing to create one.',
  },
  {
    operations: ALL_OPERATIONS,
    when: 'feature_unavailable',
    code: 'feature_unavailable',
    message: () => 'This workspace does not support warehouse overrides.',
    remedy: 'Queries run on the workspace default. A workspace admin can change it.',
  },
  {
    operations: ['get', 'update', 'delete'],
    when: 'not_found',
    own: true,
    code: 'not_found',
    message: noOverride,
    remedy: 'Your queries run on the workspace default.',
    action: { do: 'choose-warehouse' },
  },
  {
    operations: ['get', 'update', 'delete'],
    when: 'not_found',
    own: false,
    code: 'not_found',
    message: noOverride,
    remedy: 'Their queries run on the workspace default.',
    action: { do: 'choose-warehouse-for-user' },
  },
  {
    operations: ['create'],
    when: 'not_found',
    code: 'not_found',
    message: ({ id }, error) =>
      `The override for ${id === 'me' ? 'you' : `user ${id}`} could not be created (${error.message})`,
    action: { do: 'find-user' },
  },
  {
    operations: ['create'],
    when: EXISTS,
    own: true,
    code: 'already_exists',
    message: () => 'You already have an override.',
    remedy: 'Update it instead.',
    action: { do: 'choose-warehouse' },
  },
  {
    operations: ['create'],
    when: EXISTS,
    own: false,
    code: 'already_exists',
    message: ({ id }) => `User ${id} already has an override.`,
    remedy: 'Update it instead.',
    action: { do: 'choose-warehouse-for-user' },
  },
  {
    operations: ['list'],
    when: 'permission_denied',
    code: 'permission_denied',
    isAdmin: false,
    message: (_, { message }) => sentences(message, 'Only workspace admins can see the overrides of all users.'),
    remedy: ASK_AN_ADMIN,
    action: { do: 'show-own-override' },
  },
  {
    operations: ALL_OPERATIONS,
    when: 'permission_denied',
    own: false,
    isAdmin: true,
    code: 'permission_denied',
    message: (_, { message }) => sentences(message, 'You are a workspace admin. Something else is missing.'),
    remedy: 'Check your entitlements, and the scopes of your sign-in.',
  },
  {
    operations: ALL_OPERATIONS,
    when: 'permission_denied',
    own: false,
    isAdmin: 'unknown',
    code: 'permission_denied',
    message: (_, { message }) => message,
    remedy: 'If you are not a workspace admin, ask one to do it.',
  },
  {
    operations: SINGLE_OPERATIONS,
    when: 'permission_denied',
    own: false,
    isAdmin: false,
    code: 'permission_denied',
    message: ({ operation, id }, { message }) => {
      const verb = operation === 'get' ? 'read' : operation;
      return sentences(message, `Only workspace admins can ${verb} another user’s override (${id}).`);
    },
    remedy: ASK_AN_ADMIN,
    action: { do: 'change-own-override' },
  },
];

function noOverride({ id }: OverrideAttempt, error: WorkspaceError): string {
  if (id === 'me') return 'You have no override.';
  return `User ${id} has no override or does not exist (${error.message})`;
}

/** Who was refused something, as far as that is known. */
export interface Caller {
  /** The numeric user id; empty if it is not known. */
  id: string;
  isAdmin: boolean | 'unknown';
}

const UNKNOWN_CALLER: Caller = { id: '', isAdmin: 'unknown' };

/** Whether a refusal means one thing to an admin and another to the others. */
function dependsOnCaller(error: unknown, { id }: OverrideAttempt): boolean {
  return error instanceof WorkspaceError && error.code === 'permission_denied' && id !== 'me';
}

/** A refusal says little of its reason: the caller's groups are the only evidence. */
async function callerOf(users: Pick<RestClient['users'], 'me'>): Promise<Caller> {
  try {
    const { user } = await users.me(AbortSignal.timeout(LOOKUP_TIMEOUT_MS));
    return { id: user.id, isAdmin: isAdmin(user) };
  } catch {
    return UNKNOWN_CALLER;
  }
}

/** Explains a failed operation. Errors that are the same for every request are returned unchanged. */
export function inOverrideWords(error: unknown, attempt: OverrideAttempt, caller: Caller = UNKNOWN_CALLER): unknown {
  // An error with a workspace error as its cause is already explained.
  if (!(error instanceof WorkspaceError) || error.cause instanceof WorkspaceError) return error;
  const words = EXPLANATIONS.find(
    ({ operations, when, own, allowMissing, isAdmin: admin }) =>
      [when].flat().includes(error.code) &&
      operations.includes(attempt.operation) &&
      (allowMissing === undefined || allowMissing === (attempt.allowMissing ?? false)) &&
      (admin === undefined || admin === caller.isAdmin) &&
      (own === undefined || own === (attempt.id === 'me' || attempt.id === caller.id)),
  );
  return words ? error.rephrased(words.code, words.message(attempt, error), words.remedy, words.action) : error;
}

/** The refusal of an override that names a warehouse which does not exist. */
export function warehouseGone(error: WorkspaceError, warehouseId: string): WorkspaceError {
  return error.rephrased('not_found', `Warehouse ${warehouseId} does not exist. Nothing was changed.`, undefined, {
    do: 'list-warehouses',
  });
}
