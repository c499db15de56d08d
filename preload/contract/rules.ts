import { z } from 'zod';
import { text } from './parts.ts';

const switchState = z.enum(['on', 'off', 'ask']);

/** What rules are for: a server, or every one where that is null; a client by its id, or every one. */
const scope = z.object({ server: text().nullable(), client: text().nullable() });

const toolRule = z.object({
  name: z.string(),
  /** What the rules come to for this client, and which rule decides; null if none does. */
  allowed: z.enum(['allow', 'ask', 'refuse']),
  decidedBy: z.string().nullable(),
  /** The loosest that the organization lets the user choose. */
  loosest: z.enum(['allow', 'ask', 'refuse']),
  /** Whether it is read-only that refuses it, which a rule for the tool does not change. */
  isReadOnly: z.boolean(),
});

/** The rules of a scope. */
const rulesOfScope = z.object({
  readOnly: z.boolean(),
  /** Whether it is the organization that has decided so, until the user decides. */
  isReadOnlyByDefault: z.boolean(),
  /** The wider rule that makes this scope read-only, in words; null if there is none. */
  readOnlyBy: z.string().nullable(),
  /** Null where this scope leaves it to the wider ones. */
  newTools: switchState.nullable(),
  /** The loosest that the organization lets the user choose for them. */
  loosestNewTools: z.enum(['allow', 'ask', 'refuse']),
  /** Those that the server lists; none if the scope has no server. */
  tools: z.array(toolRule),
  /** Whether this scope has any rule of its own. */
  isEmpty: z.boolean(),
  /** The clients for which there can be rules. */
  clients: z.array(z.object({ id: z.string(), name: z.string(), hasRules: z.boolean() })),
  /** The latest changes of any rules, the newest first; none if the scope is not everything. `at` is in milliseconds since the epoch. */
  changes: z.array(z.object({ at: z.number(), by: z.enum(['command', 'window']), what: z.string() })),
});

export const rulesRequests = {
  getRules: { input: scope, output: rulesOfScope },
  /** What is left out stays. */
  changeRules: {
    input: scope.extend({
      readOnly: z.boolean().optional(),
      newTools: switchState.optional(),
      tool: z.object({ name: text(), state: switchState }).optional(),
    }),
    output: z.undefined(),
  },
  clearRules: { input: scope, output: z.undefined() },
} as const;

export const rulesEvents = {
  /** The rules have changed, here or in another process. */
  rulesChanged: z.object({}),
} as const;

export type RulesScope = z.output<typeof scope>;
export type RulesOfScope = z.output<typeof rulesOfScope>;
export type SwitchState = z.output<typeof switchState>;
