import { z } from 'zod';
import { inProfile, list, problem, text } from './parts.ts';
import { wanted } from './warehouse.ts';

/** One user's override, with names instead of ids as far as they can be found. */
export const overrideRow = z.object({
  userId: z.string(),
  /** Empty if the workspace does not say. */
  userName: z.string(),
  displayName: z.string(),
  /** `CUSTOM`, `LAST_SELECTED` or a newer word. */
  type: z.string(),
  warehouseId: z.string().nullable(),
  warehouseName: z.string().nullable(),
  warehouseState: z.string().nullable(),
  /** Why this user's queries will fail; null says only that no reason was found. */
  dangling: z.enum(['owner-gone', 'owner-inactive', 'warehouse-gone', 'deleting', 'cannot-use']).nullable(),
  /** Whose override it is; `unknown` of an owner who is gone or cannot be read. */
  ownerKind: z.enum(['user', 'service-principal', 'unknown']),
  /** Whether this user may use the warehouse; null if the override names none. */
  canUse: z.union([z.boolean(), z.enum(['unknown', 'unchecked'])]).nullable(),
});

/** The names of all members of a row. */
export const OVERRIDE_MEMBERS = overrideRow.keyof().options;

/** The progress of reading all overrides. The rows themselves are requested by pages: there may be very many. */
const overridesProgress = z.object({
  profile: z.string().nullable(),
  status: z.enum(['unread', 'reading', 'complete', 'stopped', 'failed']),
  count: z.number(),
  /** How many make queries fail, as far as that is known. */
  dangling: z.number(),
  /** For how many users access to the warehouse could not be read. */
  unknown: z.number(),
  /** Whether access to the warehouses is checked. */
  access: z.enum(['unchecked', 'checking', 'checked']),
  problem: problem.nullable(),
  /** Grows with each change: of two values, the one with the lower revision is stale. */
  revision: z.number(),
});

/** Which rows, and in which order. */
const overridesQuery = z.object({
  search: text(),
  only: z.enum(['all', 'dangling']),
  by: z.enum(['dangling', 'user', 'warehouse']),
  descending: z.boolean(),
});

const slice = z.object({ from: z.int().min(0), count: z.int().min(1).max(500) });

const person = z.object({ id: text(), userName: text(), displayName: text() });

/** Changes of many overrides, from a file or for several users at once: planned first, then carried out if wanted. */
const bulk = z.object({
  /** The file's name, or how many were selected. */
  source: z.string(),
  /** It restores what was there before other changes. */
  isUndo: z.boolean(),
  stage: z.enum(['planning', 'planned', 'applying', 'ended', 'failed']),
  /** How many lines there are of each kind. */
  planned: z.record(z.enum(['create', 'update', 'delete', 'unchanged', 'invalid']), z.number()),
  /** Changes after which the user's queries would fail. */
  warnings: z.number(),
  /** Changes for which the user's access to the warehouse could not be read. */
  accessUnknown: z.number(),
  /** How many changes are left out. Those after which queries would fail are, until the user takes them in. */
  leftOut: z.number(),
  total: z.number(),
  ended: z.number(),
  results: z.record(z.enum(['done', 'unchanged', 'invalid', 'failed', 'not-tried', 'left-out']), z.number()),
  problem: problem.nullable(),
  /** The id of the journal that undoes what was changed; null while nothing was. */
  journal: z.string().nullable(),
  /** Grows when lines are left out or taken in. */
  revision: z.number(),
});

const bulkLine = z.object({
  line: z.number(),
  userId: z.string(),
  userName: z.string(),
  action: z.enum(['create', 'update', 'delete', 'unchanged', 'invalid']),
  before: z.string(),
  after: z.string(),
  /** The problem that the change will cause, or why it is impossible. */
  problem: z.string().nullable(),
  /** The user's queries would fail after the change. */
  isDangerous: z.boolean(),
  isLeftOut: z.boolean(),
  result: z.enum(['done', 'unchanged', 'invalid', 'failed', 'not-tried', 'left-out']).nullable(),
  message: z.string(),
});

/** The largest number of users that are selected at once: more than a workspace may have. */
const MAX_USERS = 200_000;

const ofUser = inProfile.extend({ userId: text() });

/** Where a file was written and how many rows it holds; null if the user cancels. */
const written = z.object({ file: z.string(), count: z.number() }).nullable();

export const overridesRequests = {
  /** Begins to read all overrides, unless they are read; `anew` reads them again. Answers at once; events report the progress. */
  readOverrides: { input: inProfile.extend({ anew: z.boolean() }), output: overridesProgress },
  stopReading: { input: z.undefined(), output: z.undefined() },
  overridesPage: {
    input: inProfile.extend({ query: overridesQuery, ...slice.shape }),
    output: z.object({ total: z.number(), rows: z.array(overrideRow) }),
  },
  /** The ids of all rows that a query finds, for selecting them at once. */
  overrideIds: { input: inProfile.extend({ query: overridesQuery }), output: z.array(z.string()) },
  /** Looks who may use their warehouse. Answers when that is done. */
  checkAccess: { input: inProfile, output: z.undefined() },
  findUsers: { input: inProfile.extend({ text: text() }), output: z.array(person) },
  /** The override of one user, as the workspace stores it now. */
  overrideOf: {
    input: ofUser,
    output: z
      .object({ type: z.string(), warehouseId: z.string().nullable(), warehouseName: z.string().nullable() })
      .nullable(),
  },
  /** Whether a user may run queries on a warehouse. */
  canUserUse: {
    input: ofUser.extend({ warehouseId: text() }),
    output: z.union([z.boolean(), z.literal('unknown')]),
  },
  setOverrideOf: { input: inProfile.extend({ user: person, wanted }), output: z.undefined() },
  /** Plans the same change for several users. Answers when the plan is there. */
  planForSelected: {
    input: inProfile.extend({ userIds: list(text(), MAX_USERS).min(1), wanted }),
    output: z.undefined(),
    isLarge: true,
  },
  /** Asks for a file and plans what it says. Tells whether one was chosen. */
  planImport: { input: inProfile, output: z.boolean() },
  /** Plans the same once more, if that could not be done. */
  planAgain: { input: inProfile, output: z.undefined() },
  /** Plans what restores the state before the changes that were carried out. Answers when the plan is there. */
  planUndo: { input: inProfile, output: z.undefined() },
  getBulk: { input: z.undefined(), output: bulk.nullable() },
  bulkPage: {
    input: slice.extend({ only: z.enum(['all', 'changes', 'problems']) }),
    output: z.object({ total: z.number(), rows: z.array(bulkLine) }),
  },
  /** Leaves a change of the plan out, or takes it in again. */
  leaveOut: { input: z.object({ line: z.number(), isLeftOut: z.boolean() }), output: z.undefined() },
  /** Carries the plan out. Answers when every line has its result. */
  applyBulk: { input: inProfile, output: z.undefined() },
  /** Stops the bulk change: changes in flight are awaited, the others are not tried. */
  cancelBulk: { input: z.undefined(), output: z.undefined() },
  /** Forgets the plan and its results. */
  dismissBulk: { input: z.undefined(), output: z.undefined() },
  saveBulkReport: { input: z.undefined(), output: written },
  /** Writes what a query finds, as JSON where the file's name ends so, as CSV otherwise. */
  exportOverrides: { input: inProfile.extend({ query: overridesQuery }), output: written },
} as const;

export const overridesEvents = {
  overridesChanged: overridesProgress,
  bulkChanged: bulk.nullable(),
} as const;

export type OverrideRow = z.output<typeof overrideRow>;
export type OverridesProgress = z.output<typeof overridesProgress>;
export type OverridesQuery = z.output<typeof overridesQuery>;
export type Person = z.output<typeof person>;
export type Bulk = z.output<typeof bulk>;
export type BulkLine = z.output<typeof bulkLine>;
