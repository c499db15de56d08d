import { z } from 'zod';
import { CausewayError } from '../platform/errors.ts';
import { findNotUtf8 } from '../platform/utf8.ts';
import { ruleSetSchema } from '../rules/rules.ts';
import type { Policy } from './policy.ts';

const entry = <Value extends z.ZodType>(value: Value) =>
  z.strictObject({ value, locked: z.boolean(), reason: z.string().optional() });

/** An origin without a path, however it was written. */
const workspace = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'must begin with https://')
  .transform((text) => new URL(text).origin);
const serverPath = z.string().startsWith('/');
const clientId = z.string().regex(/^[a-z0-9-]+$/, 'is not the id of an AI client: "causeway clients --all" lists them');

function isServerName(name: string): boolean {
  return name.startsWith('/') || (URL.canParse(name) && /^https?:$/.test(new URL(name).protocol));
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
  servers: entry(z.array(serverPath)).optional(),
  requiredServers: entry(
    z.array(
      z.strictObject({
        name: z.string().regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/),
        profile: z.string().min(1),
        path: serverPath,
        kind: z.string().optional(),
        meta: z.record(z.string(), z.string()).optional(),
      }),
    ),
  ).optional(),
  clients: entry(z.array(clientId)).optional(),
  requiredClients: entry(z.array(clientId)).optional(),
  readOnly: entry(z.boolean()).optional(),
  rules: entry(
    ruleSetSchema.refine(({ servers = {} }) => Object.keys(servers).every(isServerName), {
      path: ['servers'],
      message: 'use the path of a server, such as /api/2.0/mcp/sql, or its full address',
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
  for (const { line, column, what } of findNotUtf8(bytes)) throw unreadable(source, { line, column }, what);
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const json = await jsonOf(source, text);
  const parsed = policySchema.safeParse(json);
  if (!parsed.success) throw await misunderstood(source, text, parsed.error);
  const { version: _, $schema: _schema, organization = null, contact = null, ...keys } = parsed.data;
  return { source, organization, contact, problem: null, keys };
}

async function jsonOf(source: string, text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    const { parse, printParseErrorCode } = await import('jsonc-parser');
    const errors: Parameters<typeof parse>[1] = [];
    parse(text, errors, { disallowComments: true });
    const [first] = errors ?? [];
    const what = first ? printParseErrorCode(first.error).replace(/(?<=[a-z])(?=[A-Z])/g, ' ') : 'not JSON';
    throw unreadable(source, placeOf(text, first?.offset ?? 0), what.toLowerCase());
  }
}

async function misunderstood(source: string, text: string, error: z.ZodError): Promise<CausewayError> {
  const { parseTree, findNodeAtLocation } = await import('jsonc-parser');
  const [issue] = error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const path = [...(issue?.path ?? []), ...unknown].filter((part) => typeof part !== 'symbol');
  const tree = parseTree(text);
  let node = tree;
  for (let length = path.length; tree && length > 0; length -= 1) {
    node = findNodeAtLocation(tree, path.slice(0, length));
    if (node) break;
  }
  const property = node?.parent?.type === 'property' ? node.parent : node;
  const what =
    unknown.length > 0 ? `"${unknown[0]}" is not supported by this version` : (issue?.message ?? 'unknown content');
  return unreadable(source, placeOf(text, property?.offset ?? 0), [path.join('.'), what].filter(Boolean).join(': '));
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

function unreadable(source: string, { line, column }: { line: number; column: number }, what: string): CausewayError {
  return new CausewayError(
    'invalid_file',
    `${source} is not a valid policy: line ${line}, column ${column}: ${what}.`,
    {
      remedy: 'See docs/policy.md for the keys and their values.',
    },
  );
}
