import { z } from 'zod';
import { pathPatternSchema, serverPathSchema } from '../../preload/contract/server-path-schema.ts';
import { CausewayError } from '../platform/errors.ts';
import { type JsonFault, parseJson, schemaFault } from '../platform/json-faults.ts';
import { findNotUtf8 } from '../platform/utf8.ts';
import { ruleSetSchema } from '../rules/rules.ts';
import { readHostPattern, readRuledServer } from './host-pattern.ts';
import type { Policy } from './policy.ts';

const entry = <Value extends z.ZodType>(value: Value) =>
  z.strictObject({ value, locked: z.boolean(), reason: z.string().optional() });

/** An origin without a path, or a pattern for some, however it was written. */
const workspace = z.string().transform((text, context) => {
  const read = readHostPattern(text);
  if ('pattern' in read) return read.pattern;
  context.addIssue({ code: 'custom', message: `${JSON.stringify(text)} ${read.fault}` });
  return z.NEVER;
});
const clientId = z.string().regex(/^[a-z0-9-]+$/, 'is not the id of an AI client: `causeway clients --all` lists them');

/** Whether two names are of one server. Only one of the two would apply. */
function hasServerTwice(names: readonly string[]): boolean {
  return new Set(names.map((name) => JSON.stringify(readRuledServer(name)))).size < names.length;
}

const policySchema = z.strictObject({
  $schema: z.string().optional(),
  version: z.literal(1),
  organization: z.string().min(1).optional(),
  contact: z.string().min(1).optional(),
  optional: z.array(z.string().min(1)).optional(),
  workspaces: entry(z.array(workspace)).optional(),
  oauthApplication: entry(
    z.strictObject({
      clientId: z.string().min(1),
      scopes: z.array(z.string().min(1)).optional(),
      callbackPort: z.int().min(1).max(65_535).optional(),
    }),
  ).optional(),
  servers: entry(z.array(pathPatternSchema)).optional(),
  requiredServers: entry(
    z.array(
      z.strictObject({
        name: z.string().regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/),
        profile: z.string().min(1),
        path: serverPathSchema,
        kind: z.string().optional(),
        meta: z.record(z.string(), z.string()).optional(),
      }),
    ),
  ).optional(),
  clients: entry(z.array(clientId)).optional(),
  requiredClients: entry(z.array(clientId)).optional(),
  readOnly: entry(z.boolean()).optional(),
  rules: entry(
    ruleSetSchema
      .refine(({ servers = {} }) => Object.keys(servers).every((name) => readRuledServer(name) !== undefined), {
        path: ['servers'],
        message: 'use the path of a server, such as /api/2.0/mcp/sql, or its full address',
      })
      .refine(({ servers = {} }) => !hasServerTwice(Object.keys(servers)), {
        path: ['servers'],
        message: 'this server is listed twice, with different spellings',
      }),
  ).optional(),
  tokenStore: entry(z.enum(['keychain', 'encrypted-file'])).optional(),
  updates: entry(z.enum(['off', 'latest', 'beta'])).optional(),
  recordContents: entry(z.boolean()).optional(),
  audit: entry(z.strictObject({ file: z.boolean(), otlp: z.url().optional() })).optional(),
});

/**
 * Reads a policy. A key that this version does not know makes the whole policy unusable, because it may forbid something, unless
 * the policy itself says that versions without it may go on: its list `optional` names such a key, with dots, as the error does.
 * @throws {CausewayError} `invalid_file`, with line and column
 */
export async function parsePolicy(source: string, bytes: Buffer): Promise<Policy> {
  for (const fault of findNotUtf8(bytes)) throw unreadable(source, fault);
  const text = bytes.toString('utf8');
  const refuse = (fault: JsonFault) => unreadable(source, fault);
  const json = await parseJson(text, z.unknown(), refuse);
  const ignored = withoutOptional(json);
  const read = policySchema.safeParse(json);
  if (!read.success) throw refuse(await schemaFault(text.replace(/^\uFEFF/, ''), read.error));
  const { version: _, $schema: _schema, organization = null, contact = null, optional = [], ...keys } = read.data;
  return { source, organization, contact, problem: null, keys, optional, ignored };
}

/** Removes the keys that this version does not know and that the policy lets it ignore. Returns their names. */
function withoutOptional(json: unknown): string[] {
  const optional = new Set(z.object({ optional: z.array(z.string()) }).safeParse(json).data?.optional);
  if (optional.size === 0) return [];
  const ignored: string[] = [];
  for (const issue of policySchema.safeParse(json).error?.issues ?? []) {
    if (issue.code !== 'unrecognized_keys') continue;
    for (const key of issue.keys) {
      const name = [...issue.path, key].map(String).join('.');
      if (!optional.has(name)) continue;
      removeMember(json, issue.path, key);
      ignored.push(name);
    }
  }
  return ignored;
}

function removeMember(json: unknown, path: readonly PropertyKey[], key: string): void {
  let holder = json;
  for (const part of path) holder = isObject(holder) ? Reflect.get(holder, part) : undefined;
  if (isObject(holder)) Reflect.deleteProperty(holder, key);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function unreadable(source: string, { line, column, what }: JsonFault): CausewayError {
  return new CausewayError(
    'invalid_file',
    `${source} is not a valid policy: line ${line}, column ${column}: ${what}.`,
    {
      remedy: 'See docs/policy.md for the keys and their values.',
    },
  );
}
