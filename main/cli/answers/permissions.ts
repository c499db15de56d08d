import { z } from 'zod';
import { SWITCHES } from '../../permissions/switches.ts';
import { failure } from './failure.ts';
import { named } from './named.ts';

const permissionMembers = {
  servers: z.array(z.string()).nullable(),
  client: z.string().nullable(),
  readOnly: z.boolean().nullable(),
  newTools: z.enum(SWITCHES).nullable(),
  on: z.array(z.string()),
  off: z.array(z.string()),
  ask: z.array(z.string()),
};

const texts = {
  servers: 'The names of the server, or its address if it is not in the list; null for every server.',
  client: 'The id of the AI client; null for every client.',
  readOnly: 'Whether only reading tools may be used; null if this does not decide it.',
  newTools: 'The state of tools in no list; null if this does not decide it.',
  on: 'Tools that may be used.',
  off: 'Tools that may not be used and are not listed.',
  ask: 'Tools that wait for the user at each call.',
};

/** What AI clients may do, for one scope. */
const permission = named('permission', 'What AI clients may do.', z.object(permissionMembers), texts);

const decidedPermission = named(
  'decidedPermission',
  'A permission that is in effect, and who has decided it.',
  z.object({ ...permissionMembers, by: z.enum(['organization', 'user']), locked: z.boolean() }),
  { ...texts, by: 'Who has decided it.', locked: 'Whether users cannot change it.' },
);

/** What decides about tools, and who has decided it. */
export const inEffect = z.object({
  inEffect: z.array(decidedPermission),
  organization: z
    .object({
      source: z.string(),
      name: z.string().nullable(),
      contact: z.string().nullable(),
      locked: z.boolean(),
      error: failure.nullable(),
    })
    .nullable(),
});

export const permissionList = inEffect.extend({
  permissions: z.array(permission),
  history: z.array(z.object({ at: z.string(), by: z.enum(['command', 'window']), what: z.string() })),
});

export const changedPermission = z.object({ dryRun: z.boolean(), permission, warnings: z.array(z.string()) });

const waiting = named(
  'approval',
  'A call that waits for the user.',
  z.object({
    id: z.number(),
    client: z.string().nullable(),
    server: z.string(),
    profile: z.string(),
    path: z.string(),
    userName: z.string().nullable(),
    tool: z.string(),
    readsOnly: z.boolean(),
    askedAt: z.string(),
    expiresAt: z.string(),
    canExtend: z.boolean(),
  }),
  {
    id: 'Its number, for `causeway approvals allow`.',
    client: 'The AI client; null if it has not named itself.',
    server: "The server's name, or its path if it is not in the list.",
    profile: 'The profile that the server signs in with.',
    path: 'The path of the server.',
    userName: 'As whom it would be sent; null if that is not known.',
    tool: 'The tool.',
    readsOnly: 'Whether the tool is known to change nothing.',
    askedAt: 'When it came.',
    expiresAt: 'When it is refused for lack of an answer.',
    canExtend: 'Whether `causeway approvals extend` gives it more time.',
  },
);

export const approvalList = z.object({
  approvals: z.array(waiting),
  allowances: z.array(
    z.object({
      client: z.string(),
      server: z.string(),
      profile: z.string(),
      tool: z.string().nullable(),
      until: z.string(),
    }),
  ),
});

/** What became of one call that waits. */
export const answeredApproval = z.object({
  id: z.number(),
  state: z.enum(['allowed', 'blocked', 'extended', 'waiting']),
  /** Null unless it still waits. */
  expiresAt: z.string().nullable(),
});

export const endedAllowances = z.object({ allowances: z.array(z.never()) });

/** One line of `causeway approvals --watch --json`. */
export const watchedApproval = waiting.extend({
  statement: z.string().nullable(),
  rest: z.string().nullable(),
  cut: z.number(),
});

const policyMembers = {
  place: z.string(),
  source: z.string().nullable(),
  organization: z.string().nullable(),
  contact: z.string().nullable(),
  keys: z.record(z.string(), z.object({ value: z.unknown(), locked: z.boolean(), reason: z.string().nullable() })),
  ignored: z.array(z.string()),
  error: failure.nullable(),
};

export const shownPolicy = z.object(policyMembers);

export const checkedPolicy = z.object({
  ...policyMembers,
  errors: z.number(),
  warnings: z.number(),
  computer: z.object({ home: z.string() }),
  issues: z.array(
    z.object({
      severity: z.enum(['error', 'warning', 'note']),
      at: z.string(),
      message: z.string(),
      suggestions: z.array(z.string()),
    }),
  ),
  effects: z.array(
    z.object({
      what: z.enum(['account', 'server', 'client', 'tool', 'setting']),
      name: z.string(),
      server: z.string().nullable(),
      client: z.string().nullable(),
      effect: z.enum(['refused', 'asks', 'signs-in', 'stays', 'added', 'replaced', 'locked']),
      key: z.string(),
      why: z.string(),
      locked: z.boolean(),
      already: z.boolean(),
    }),
  ),
});

export const installedDashboard = z.object({
  result: z.enum(['created', 'updated', 'unchanged', 'would-create', 'would-update']),
  id: z.string().nullable(),
  path: z.string(),
  warehouseId: z.string(),
  published: z.boolean(),
  url: z.string().nullable(),
});

export const shownDashboard = z.object({
  id: z.string(),
  path: z.string(),
  warehouseId: z.string().nullable(),
  current: z.boolean(),
  published: z.boolean(),
  embedsCredentials: z.boolean().nullable(),
  url: z.string(),
});

export const audit = z.object({
  on: z.boolean(),
  file: z.string().nullable(),
  otlp: z.string().nullable(),
  managed: z.boolean(),
});
