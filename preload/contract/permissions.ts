import { z } from 'zod';
import { text } from './parts.ts';

const switchState = z.enum(['on', 'off', 'ask']);

/** What permissions are for: a server, or every one where that is null; a client by its id, or every one. */
const scope = z.object({ server: text().nullable(), client: text().nullable() });

const toolPermission = z.object({
  name: z.string(),
  /** What the permissions come to for this client, and which permission decides; null if none does. */
  allowed: z.enum(['allow', 'ask', 'block']),
  decidedBy: z.string().nullable(),
  /** The loosest that the organization lets the user choose. */
  loosest: z.enum(['allow', 'ask', 'block']),
  /** Whether it is read-only that refuses it, which a permission for the tool does not change. */
  isReadOnly: z.boolean(),
});

/** The permissions of a scope. */
const permissionsOfScope = z.object({
  readOnly: z.boolean(),
  /** Whether it is the organization that has decided so, until the user decides. */
  isReadOnlyByDefault: z.boolean(),
  /** The wider permission that makes this scope read-only, in words; null if there is none. */
  readOnlyBy: z.string().nullable(),
  /** Null where this scope leaves it to the wider ones. */
  newTools: switchState.nullable(),
  /** The loosest that the organization lets the user choose for them. */
  loosestNewTools: z.enum(['allow', 'ask', 'block']),
  /** Those that the server lists; none if the scope has no server. */
  tools: z.array(toolPermission),
  /** Whether this scope has any permission of its own. */
  isEmpty: z.boolean(),
  /** The clients for which there can be permissions. */
  clients: z.array(z.object({ id: z.string(), name: z.string(), hasPermissions: z.boolean() })),
  /** The latest changes of any permissions, the newest first; none if the scope is not everything. `at` is in milliseconds since the epoch. */
  changes: z.array(z.object({ at: z.number(), by: z.enum(['command', 'window']), what: z.string() })),
});

export const permissionRequests = {
  getPermissions: { input: scope, output: permissionsOfScope },
  /** What is left out stays. */
  changePermissions: {
    input: scope.extend({
      readOnly: z.boolean().optional(),
      newTools: switchState.optional(),
      tool: z.object({ name: text(), state: switchState }).optional(),
    }),
    output: z.undefined(),
  },
  clearPermissions: { input: scope, output: z.undefined() },
} as const;

export const permissionEvents = {
  /** The permissions have changed, here or in another process. */
  permissionsChanged: z.object({}),
} as const;

export type PermissionScopeInfo = z.output<typeof scope>;
export type PermissionsInfo = z.output<typeof permissionsOfScope>;
export type SwitchState = z.output<typeof switchState>;
