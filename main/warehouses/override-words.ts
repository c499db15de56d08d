import type { ErrorCode } from '../platform/errors.ts';
import type { NextAction } from '../platform/next-action.ts';
import { WorkspaceError } from '../workspace/errors.ts';

type OverrideOperation = 'create' | 'get' | 'update' | 'delete' | 'list';

/** What was being done to whose override when it failed. */
export interface OverrideAttempt {
  operation: OverrideOperation;
  /** `me` or a numeric user id; empty for `list`. */
  id: string;
  /** Whether an update was to create what is not there. */
  allowMissing?: boolean | undefined;
}

interface Words {
  operations: readonly OverrideOperation[];
  when: ErrorCode;
  /** Given only where it matters whose override it is. */
  own?: boolean;
  /** Given only where it matters whether the update could have created one. */
  allowMissing?: boolean;
  code: ErrorCode;
  message(attempt: OverrideAttempt, error: WorkspaceError): string;
  remedy?: string;
  action?: NextAction;
}

const EVERY: readonly OverrideOperation[] = ['create', 'get', 'update', 'delete', 'list'];
const SINGLE: readonly OverrideOperation[] = ['create', 'get', 'update', 'delete'];

const ASK_AN_ADMIN = 'Ask one of your workspace’s admins, or have them make you one.';

/** Every way in which the override API says no, in words of its own; the first row that fits is taken. */
const WORDS: readonly Words[] = [
  {
    operations: ['update'],
    when: 'not_found',
    own: true,
    allowMissing: false,
    code: 'not_found',
    message: () => 'You have no default warehouse override.',
    remedy: 'Nothing was changed: an update creates one only with --allow-missing.',
  },
  {
    operations: ['update'],
    when: 'not_found',
    own: false,
    allowMissing: false,
    code: 'not_found',
    message: ({ id }, error) => `User ${id} has no default warehouse override, or does not exist (${error.message})`,
    remedy: 'Nothing was changed: an update creates one only with --allow-missing.',
  },
  {
    operations: EVERY,
    when: 'feature_unavailable',
    code: 'feature_unavailable',
    message: () => 'This workspace does not have the default warehouse override API.',
    remedy:
      'That is not the same as having no override: queries run on the workspace default, which an admin can change.',
  },
  {
    operations: ['get', 'update', 'delete'],
    when: 'not_found',
    own: true,
    code: 'not_found',
    message: () => 'You have no default warehouse override.',
    remedy: 'Your queries run on the workspace default.',
    action: { do: 'choose-warehouse' },
  },
  {
    operations: ['get', 'update', 'delete'],
    when: 'not_found',
    own: false,
    code: 'not_found',
    message: ({ id }, error) => `User ${id} has no default warehouse override, or does not exist (${error.message})`,
    remedy: 'Their queries run on the workspace default.',
    action: { do: 'choose-warehouse-for-user' },
  },
  {
    operations: ['create'],
    when: 'not_found',
    code: 'not_found',
    message: ({ id }, error) =>
      `No override could be made for ${id === 'me' ? 'you' : `user ${id}`} (${error.message})`,
    action: { do: 'find-user' },
  },
  {
    operations: ['create'],
    when: 'already_exists',
    own: true,
    code: 'already_exists',
    message: () => 'You already have a default warehouse override.',
    remedy: 'Update it instead.',
    action: { do: 'choose-warehouse' },
  },
  {
    operations: ['create'],
    when: 'already_exists',
    own: false,
    code: 'already_exists',
    message: ({ id }) => `User ${id} already has a default warehouse override.`,
    remedy: 'Update it instead.',
    action: { do: 'choose-warehouse-for-user' },
  },
  {
    operations: ['list'],
    when: 'permission_denied',
    code: 'permission_denied',
    message: () => 'Only a workspace admin may list the overrides of all users.',
    remedy: ASK_AN_ADMIN,
    action: { do: 'show-own-override' },
  },
  {
    operations: SINGLE,
    when: 'permission_denied',
    own: false,
    code: 'permission_denied',
    message: ({ operation, id }) =>
      `Only a workspace admin may ${operation === 'get' ? 'read' : operation} the override of another user (${id}).`,
    remedy: ASK_AN_ADMIN,
    action: { do: 'change-own-override' },
  },
];

/** Puts a failed operation into words; errors that are the same for every request are given back as they are. */
export function inOverrideWords(error: unknown, attempt: OverrideAttempt): unknown {
  // One that stands on another has its own words already.
  if (!(error instanceof WorkspaceError) || error.cause instanceof WorkspaceError) return error;
  const words = WORDS.find(
    ({ operations, when, own, allowMissing }) =>
      when === error.code &&
      operations.includes(attempt.operation) &&
      (allowMissing === undefined || allowMissing === (attempt.allowMissing ?? false)) &&
      (own === undefined || own === (attempt.id === 'me')),
  );
  return words ? error.inWords(words.code, words.message(attempt, error), words.remedy, words.action) : error;
}

/** The refusal of an override that names a warehouse which does not exist. */
export function warehouseGone(error: WorkspaceError, warehouseId: string): WorkspaceError {
  return error.inWords(
    'not_found',
    `Warehouse ${warehouseId} does not exist (any more), so nothing was changed.`,
    undefined,
    { do: 'list-warehouses' },
  );
}
