import { type ErrorCode, isScalar, LineCounter, type Node, parseDocument, stringify, visit } from 'yaml';
import { z } from 'zod';
import { SERVER_KINDS } from '../../../preload/contract/server-kinds.ts';
import { serverPathSchema } from '../../../preload/contract/server-path-schema.ts';
import { listedServerSchema } from '../../clients/servers.ts';
import { permissionSetSchema } from '../../permissions/permissions.ts';
import { keyOfAddress } from '../../permissions/server-key.ts';
import { CausewayError } from '../../platform/errors.ts';
import { UNUSABLE_NAME, UNUSABLE_NAME_FAULT } from '../../platform/own-member.ts';
import { findNotUtf8 } from '../../platform/utf8.ts';

/** The keys of a profile that hold no secret, as the configuration file calls them. */
export const PROFILE_KEYS = [
  'host',
  'account_id',
  'workspace_id',
  'auth_type',
  'client_id',
  'scopes',
  'azure_tenant_id',
  'azure_client_id',
  'azure_workspace_resource_id',
  'token_audience',
  'oidc_token_env',
  'oidc_token_filepath',
] as const;

const text = z.string().min(1);
const profileSchema = z.strictObject({
  name: text,
  host: text,
  account_id: text.optional(),
  workspace_id: text.optional(),
  auth_type: text.optional(),
  client_id: text.optional(),
  scopes: text.optional(),
  azure_tenant_id: text.optional(),
  azure_client_id: text.optional(),
  azure_workspace_resource_id: text.optional(),
  token_audience: text.optional(),
  oidc_token_env: text.optional(),
  oidc_token_filepath: text.optional(),
});

const provisionSchema = z.strictObject({
  version: z.literal(1),
  /** Sections of the Databricks configuration file. */
  profiles: z.array(profileSchema).default([]),
  servers: z
    .array(
      listedServerSchema
        // The origin of an app is for each user to confirm.
        .omit({ confirmed: true })
        .extend({ kind: z.enum(SERVER_KINDS).default('other'), path: serverPathSchema })
        .strict(),
    )
    .default([]),
  rules: permissionSetSchema
    .refine(({ servers = {} }) => Object.keys(servers).every((name) => keyOfAddress(name) !== undefined), {
      path: ['servers'],
      message: 'use the full address of a server',
    })
    .default({}),
  /** Entries in the files of AI clients. Without `servers`, one for each server; with `allInOne`, one entry for all of them. */
  clients: z
    .array(z.strictObject({ id: text, servers: z.array(text).optional(), allInOne: z.boolean().default(false) }))
    .default([]),
});

/** What a computer is to have. */
export type Provision = z.output<typeof provisionSchema>;
export type ProvisionedProfile = Provision['profiles'][number];

/** The JSON Schema of such a file. */
export function provisionJsonSchema(): object {
  return z.toJSONSchema(provisionSchema, { io: 'input' });
}

/** Where the parser speaks to programmers. */
const YAML_WORDS: Partial<Record<ErrorCode, string>> = {
  MULTIPLE_DOCS: 'another document begins here, and a file holds one',
  RESOURCE_EXHAUSTION: 'it is nested too deeply',
};

/**
 * Reads a file in YAML or JSON, which is YAML too.
 * @throws {CausewayError} `invalid_file`, with line and column
 */
export function parseProvision(path: string, bytes: Buffer): Provision {
  for (const { line, column, what } of findNotUtf8(bytes)) throw unreadable(path, { line, column }, what);
  const lines = new LineCounter();
  const document = parseDocument(bytes.toString('utf8').replace(/^\uFEFF/, ''), {
    lineCounter: lines,
    prettyErrors: false,
  });
  const placeAt = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const [broken] = document.errors;
  if (broken) throw unreadable(path, placeAt(broken.pos[0]), YAML_WORDS[broken.code] ?? broken.message);
  visit(document, {
    Alias(_, { range }) {
      throw unreadable(path, placeAt(range?.[0] ?? 0), 'aliases (*name) are not resolved here, write the value itself');
    },
    Pair(_, { key }) {
      if (!isScalar(key) || key.value !== UNUSABLE_NAME) return;
      throw unreadable(path, placeAt(key.range?.[0] ?? 0), UNUSABLE_NAME_FAULT);
    },
  });
  const parsed = provisionSchema.safeParse(document.toJS({ maxAliasCount: 0 }));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const where = [...(issue?.path ?? []), ...unknown].map((part) => (typeof part === 'symbol' ? '' : part));
  let node: unknown;
  for (let length = where.length; !hasRange(node) && length > 0; length -= 1) {
    node = document.getIn(where.slice(0, length), true);
  }
  const [key] = unknown;
  const what = key === undefined ? (issue?.message ?? 'unknown content') : unknownKey(key);
  throw unreadable(
    path,
    placeAt(hasRange(node) ? node.range[0] : 0),
    [where.join('.'), what].filter(Boolean).join(': '),
  );
}

function hasRange(node: unknown): node is Node & { range: [number, number, number] } {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range);
}

const SECRETS = /secret|token$|password/;

function unknownKey(key: string): string {
  return SECRETS.test(key) ? `secrets are not allowed here; remove "${key}"` : `"${key}" is not a known key`;
}

function unreadable(path: string, { line, column }: { line: number; column: number }, what: string): CausewayError {
  return new CausewayError('invalid_file', `${path} cannot be used: line ${line}, column ${column}: ${what}.`, {
    remedy: 'Nothing was changed. `causeway provision --schema` prints the allowed keys and values.',
  });
}

/** The text of a file: JSON where its name says so, else YAML. */
export function formatProvision(path: string, provision: Provision): string {
  return path.toLowerCase().endsWith('.json') ? `${JSON.stringify(provision, null, 2)}\n` : stringify(provision);
}
