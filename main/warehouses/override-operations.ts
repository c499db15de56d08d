import type { ErrorCode } from '../../preload/contract/error-facts.ts';
import { isGone } from '../../preload/contract/words/warehouse.ts';
import { CausewayError } from '../platform/errors.ts';
import type { NextAction } from '../platform/next-action.ts';
import type { RestClient } from '../workspace/client.ts';
import { WorkspaceError } from '../workspace/errors.ts';
import type { OverrideFields, UpdateOptions } from '../workspace/overrides.ts';
import type { Warehouses } from '../workspace/warehouses.ts';

/** How long the lookup after a refusal may take. */
const LOOKUP_TIMEOUT_MS = 10_000;

export type OverrideOperations = ReturnType<typeof overrideOperations>;

/**
 * The override API of one workspace with its errors explained (spec/default-warehouse-override.md › Endpoints). `onChange`
 * is called after each change, also where its answer was lost.
 */
export function overrideOperations(
  { overrides, warehouses }: Pick<RestClient, 'overrides' | 'warehouses'>,
  onChange: () => void = () => {},
) {
  const attempt = async <T>(attempted: OverrideAttempt, run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      throw inOverrideWords(error, attempted);
    }
  };
  const change = <T>(attempted: OverrideAttempt, run: () => Promise<T>, warehouseId = '') =>
    attempt(attempted, async () => {
      try {
        const changed = await run();
        onChange();
        return changed;
      } catch (error) {
        if (!(error instanceof WorkspaceError)) throw error;
        if (error.mayHaveRun) onChange();
        throw (await namesMissingWarehouse(warehouses, error, warehouseId)) ? warehouseGone(error, warehouseId) : error;
      }
    });
  const get = (id: string, signal?: AbortSignal) => attempt({ operation: 'get', id }, () => overrides.get(id, signal));

  return {
    get,
    create: (id: string, fields: OverrideFields, signal?: AbortSignal) =>
      change({ operation: 'create', id }, () => overrides.create(id, fields, signal), fields.warehouse_id),
    update: (id: string, fields: OverrideFields, options: UpdateOptions, signal?: AbortSignal) =>
      change(
        { operation: 'update', id, allowMissing: options.allowMissing },
        () => overrides.update(id, fields, options, signal),
        fields.warehouse_id,
      ),
    /** The plain deletion: having none is an error here. */
    delete: (id: string, signal?: AbortSignal) =>
      change({ operation: 'delete', id }, () => overrides.delete(id, signal)),
    list: async function* (signal?: AbortSignal, pageSize?: number, pageToken?: string) {
      try {
        yield* overrides.list(signal, pageSize, pageToken);
      } catch (error) {
        throw inOverrideWords(error, { operation: 'list', id: '' });
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
  when: ErrorCode;
  /** Set only if the owner of the override matters. */
  own?: boolean;
  /** Given only if it matters whether the update could have created one. */
  allowMissing?: boolean;
  code: ErrorCode;
  message(attempt: OverrideAttempt, error: WorkspaceError): string;
  remedy?: string;
  action?: NextAction;
}

const ALL_OPERATIONS: readonly OverrideOperation[] = ['create', 'get', 'update', 'delete', 'list'];
const SINGLE_OPERATIONS: readonly OverrideOperation[] = ['create', 'get', 'update', 'delete'];

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
    when: 'already_exists',
    own: true,
    code: 'already_exists',
    message: () => 'You already have an override.',
    remedy: 'Update it instead.',
    action: { do: 'choose-warehouse' },
  },
  {
    operations: ['create'],
    when: 'already_exists',
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
    message: () => 'Only workspace admins can see the overrides of all users.',
    remedy: ASK_AN_ADMIN,
    action: { do: 'show-own-override' },
  },
  {
    operations: SINGLE_OPERATIONS,
    when: 'permission_denied',
    own: false,
    code: 'permission_denied',
    message: ({ operation, id }) =>
      `Only workspace admins can ${operation === 'get' ? 'read' : operation} another user’s override (${id}).`,
    remedy: ASK_AN_ADMIN,
    action: { do: 'change-own-override' },
  },
];

function noOverride({ id }: OverrideAttempt, error: WorkspaceError): string {
  if (id === 'me') return 'You have no override.';
  return `User ${id} has no override or does not exist (${error.message})`;
}

/** Explains a failed operation. Errors that are the same for every request are returned unchanged. */
export function inOverrideWords(error: unknown, attempt: OverrideAttempt): unknown {
  // An error with a workspace error as its cause is already explained.
  if (!(error instanceof WorkspaceError) || error.cause instanceof WorkspaceError) return error;
  const words = EXPLANATIONS.find(
    ({ operations, when, own, allowMissing }) =>
      when === error.code &&
      operations.includes(attempt.operation) &&
      (allowMissing === undefined || allowMissing === (attempt.allowMissing ?? false)) &&
      (own === undefined || own === (attempt.id === 'me')),
  );
  return words ? error.rephrased(words.code, words.message(attempt, error), words.remedy, words.action) : error;
}

/** The refusal of an override that names a warehouse which does not exist. */
export function warehouseGone(error: WorkspaceError, warehouseId: string): WorkspaceError {
  return error.rephrased('not_found', `Warehouse ${warehouseId} does not exist. Nothing was changed.`, undefined, {
    do: 'list-warehouses',
  });
}
