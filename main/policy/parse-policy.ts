import { z } from 'zod';
import { serverPathKey } from '../../preload/contract/server-path.ts';
import { pathPatternSchema, serverPathSchema } from '../../preload/contract/server-path-schema.ts';
import { CausewayError } from '../platform/errors.ts';
import { type JsonFault, parseJson } from '../platform/json-faults.ts';
import { findNotUtf8 } from '../platform/utf8.ts';
import { ruleSetSchema } from '../rules/rules.ts';
import { keyOfAddress } from '../rules/server-key.ts';
import type { Policy } from './policy.ts';

const entry = <Value extends z.ZodType>(value: Value) =>
  z.strictObject({ value, locked: z.boolean(), reason: z.string().optional() });

/** An origin without a path, however it was written. */
const workspace = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'must begin with https://')
  .transform((text) => new URL(text).origin);
const clientId = z.string().regex(/^[a-z0-9-]+$/, 'is not the id of an AI client: `causeway clients --all` lists them');

function isServerName(name: string): boolean {
  return keyOfName(name) !== undefined;
}

/** A path without a host means that server in every workspace. */
function keyOfName(name: string): string | undefined {
  return name.startsWith('/') ? serverPathKey(name) : keyOfAddress(name);
}

/** Whether two names are of one server. Only one of the two would apply. */
function hasServerTwice(names: readonly string[]): boolean {
  return new Set(names.map(keyOfName)).size < names.length;
}

const policySchema = z.strictObject({
  $schema: z.string().optional(),
  version: z.literal(1),
  organization: z.string().min(1).optional(),
  contact: z.string().min(1).optional(),
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
      .refine(({ servers = {} }) => Object.keys(servers).every(isServerName), {
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
 * Reads a policy. A key that this version does not know makes the whole policy unusable: it may forbid something.
 * @throws {CausewayError} `invalid_file`, with line and column
 */
export async function parsePolicy(source: string, bytes: Buffer): Promise<Policy> {
  for (const fault of findNotUtf8(bytes)) throw unreadable(source, fault);
  const parsed = await parseJson(bytes.toString('utf8'), policySchema, (fault) => unreadable(source, fault));
  const { version: _, $schema: _schema, organization = null, contact = null, ...keys } = parsed;
  return { source, organization, contact, problem: null, keys };
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
