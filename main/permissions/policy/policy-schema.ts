import { posix, win32 } from 'node:path';
import { z } from 'zod';
import { ACTIVITY_DAYS } from '../../../preload/contract/activity-days.ts';
import { pathPatternSchema, serverPathSchema } from '../../../preload/contract/server-path-schema.ts';
import { jsonSchemaOf } from '../../platform/json-schema.ts';
import { permissionSetSchema } from '../permissions.ts';
import { policyTitle } from './format.ts';
import { readHostPattern, readNamedServer } from './host-pattern.ts';
import type { PolicyKey } from './policy.ts';
import { tagFault } from './tag-text.ts';

const entry = <Value extends z.ZodType>(key: PolicyKey, description: string, value: Value) =>
  z
    .strictObject({
      value,
      locked: z.boolean().meta({ description: 'Whether users cannot choose otherwise.', examples: [true] }),
      reason: z
        .string()
        .meta({ description: 'Why, as a sentence that users see.', examples: ['Customer data stays here.'] })
        .optional(),
    })
    .meta({ title: policyTitle(key), description })
    .optional();

/** An origin without a path, or a pattern for some, however it was written. */
const workspace = z.string().transform((text, context) => {
  const read = readHostPattern(text);
  if ('pattern' in read) return read.pattern;
  context.addIssue({ code: 'custom', message: `${JSON.stringify(text)} ${read.fault}` });
  return z.NEVER;
});
const clientId = z.string().regex(/^[a-z0-9-]+$/, 'is not the id of an AI client: `causeway clients --all` lists them');

/** Headers that the requests to a collector have of themselves. */
const OWN_HEADERS = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'host',
  'transfer-encoding',
  'user-agent',
]);
/** A header's name (RFC 9110 §5.1). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

function checkHeaderNames(headers: Record<string, string>, context: z.RefinementCtx): void {
  for (const name of Object.keys(headers)) {
    const refuse = (why: string) => context.addIssue({ code: 'custom', path: [name], message: why });
    if (!HEADER_NAME.test(name)) refuse('is not the name of a header');
    else if (OWN_HEADERS.has(name.toLowerCase())) refuse('is a header that Causeway sets itself');
  }
}

/** A header's value (RFC 9110 §5.5), of which no message quotes anything. */
const headerValue = z.string().regex(/^[\t\x20-\x7e]+$/, 'must be plain text in one line');

/** Whether a path is absolute on some system: a policy may be checked on another computer than the one that it is for. */
const isAbsoluteAnywhere = (path: string) => posix.isAbsolute(path) || win32.isAbsolute(path);

/** Whether two names are of one server. Only one of the two would apply. */
function hasServerTwice(names: readonly string[]): boolean {
  return new Set(names.map((name) => JSON.stringify(readNamedServer(name)))).size < names.length;
}

/** What a policy is made of, with a description and an example of each member (docs/policy-reference.md is made from them). */
export const policySchema = z
  .strictObject({
    $schema: z
      .string()
      .meta({ description: 'For editors; ignored.', examples: ['policy.schema.json'] })
      .optional(),
    version: z.literal(1).meta({ description: 'The version of this format.', examples: [1] }),
    organization: z
      .string()
      .min(1)
      .meta({ description: 'Whose policy it is, as users see it.', examples: ['Acme'] })
      .optional(),
    contact: z
      .string()
      .min(1)
      .meta({ description: 'Whom users ask.', examples: ['it@acme.example'] })
      .optional(),
    optional: z
      .array(z.string().min(1))
      .meta({ description: 'Keys that versions which do not know them may ignore.', examples: [['audit.value.later']] })
      .optional(),
    workspaces: entry(
      'workspaces',
      'Addresses of workspaces, or patterns for them. If locked, no other host gets a sign-in, a token or a session.',
      z.array(workspace).meta({ examples: [['https://adb-1.7.azuredatabricks.net']] }),
    ),
    oauthApplication: entry(
      'oauthApplication',
      'The OAuth application of browser sign-ins. If locked, no other one can be used.',
      z.strictObject({
        clientId: z
          .string()
          .min(1)
          .meta({ description: 'Its client id.', examples: ['0a1b2c3d'] }),
        scopes: z
          .array(z.string().min(1))
          .meta({ description: 'The scopes that sign-ins request.', examples: [['sql', 'genie']] })
          .optional(),
        callbackPort: z
          .int()
          .min(1)
          .max(65_535)
          .meta({ description: 'The port of its redirect URI.', examples: [8020] })
          .optional(),
      }),
    ),
    servers: entry(
      'servers',
      'Paths of servers. `*` stands for any characters of one segment, `**` at the end for one segment or more.',
      z.array(pathPatternSchema).meta({ examples: [['/api/2.0/mcp/sql', '/api/2.0/mcp/genie/*']] }),
    ),
    requiredServers: entry(
      'requiredServers',
      'Servers that are always in the list.',
      z.array(
        z.strictObject({
          name: z
            .string()
            .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/)
            .meta({ description: 'Its name in the list: small letters, digits and hyphens.', examples: ['sql'] }),
          profile: z
            .string()
            .min(1)
            .meta({ description: 'The profile that it is used with.', examples: ['work'] }),
          path: serverPathSchema.meta({ description: 'Its path.', examples: ['/api/2.0/mcp/sql'] }),
          kind: z
            .string()
            .meta({ description: '`sql`, `genie`, `vector-search`, `functions`, `app` or `other`.', examples: ['sql'] })
            .optional(),
          meta: z
            .record(z.string(), z.string())
            .meta({ description: 'What its calls carry in `_meta`, by name.', examples: [{ warehouse_id: '01ab' }] })
            .optional(),
        }),
      ),
    ),
    clients: entry(
      'clients',
      'Ids of AI clients that may get entries, as `causeway clients list --all` shows them.',
      z.array(clientId).meta({ examples: [['claude-code', 'cursor']] }),
    ),
    requiredClients: entry(
      'requiredClients',
      'Ids of AI clients whose entries, and therefore Causeway, users cannot remove.',
      z.array(clientId).meta({ examples: [['claude-code']] }),
    ),
    readOnly: entry('readOnly', 'AI clients may use only tools that read.', z.boolean().meta({ examples: [true] })),
    rules: entry(
      'rules',
      'Permissions for tools, as in a permissions file. Servers are named by path, or by address, whose host may be a pattern.',
      permissionSetSchema
        .refine(({ servers = {} }) => Object.keys(servers).every((name) => readNamedServer(name) !== undefined), {
          path: ['servers'],
          message: 'use the path of a server, such as /api/2.0/mcp/sql, or its full address',
        })
        .refine(({ servers = {} }) => !hasServerTwice(Object.keys(servers)), {
          path: ['servers'],
          message: 'this server is listed twice, with different spellings',
        }),
    ),
    tokenStore: entry(
      'tokenStore',
      'Where secrets are kept.',
      z.enum(['keychain', 'encrypted-file']).meta({ examples: ['keychain'] }),
    ),
    updates: entry(
      'updates',
      'The channel that the application checks for updates.',
      z.enum(['off', 'latest', 'beta']).meta({ examples: ['off'] }),
    ),
    recordContents: entry(
      'recordContents',
      'Whether users may record the contents of calls.',
      z.boolean().meta({ examples: [false] }),
    ),
    lookUpStatements: entry(
      'lookUpStatements',
      'Whether Causeway asks the query history of the workspace about the statements of AI clients.',
      z.boolean().meta({ examples: [false] }),
    ),
    activityDays: entry(
      'activityDays',
      'For how many days calls are kept on the computer, without their contents; 0 keeps them in memory only.',
      z.enum(ACTIVITY_DAYS).meta({ examples: ['30'] }),
    ),
    askInClients: entry(
      'askInClients',
      'Whether AI clients may ask users to allow a call where no application of Causeway runs that could.',
      z.boolean().meta({ examples: [false] }),
    ),
    audit: entry(
      'audit',
      'Where calls are audited, without their contents.',
      z.strictObject({
        file: z.boolean().meta({ description: 'In a file of the user.', examples: [true] }),
        otlp: z
          .url()
          .meta({ description: 'An OpenTelemetry collector.', examples: ['https://otel.acme.example:4318'] })
          .optional(),
        otlpHeaders: z
          .record(z.string(), headerValue)
          .superRefine(checkHeaderNames)
          .meta({
            description: 'Headers of the requests to it. Their values may be secrets, and are never shown.',
            examples: [{ 'x-api-key': '0a1b2c3d' }],
          })
          .optional(),
        otlpCertificate: z
          .string()
          .refine((text) => /^-----BEGIN CERTIFICATE-----\s/.test(text) || isAbsoluteAnywhere(text), {
            message: 'must be the absolute path of a file in PEM, or begin with -----BEGIN CERTIFICATE-----',
          })
          .meta({
            description: 'Certificates that are trusted besides the system’s: the path of a file in PEM, or its text.',
            examples: ['/etc/ssl/acme-ca.pem'],
          })
          .optional(),
        otlpCompression: z
          .enum(['gzip', 'none'])
          .meta({ description: 'How requests to it are compressed.', examples: ['gzip'] })
          .optional(),
      }),
    ),
    requestTags: entry(
      'requestTags',
      'Tags of requests to the services of the gateway. If locked, users cannot change these; they can add others.',
      z
        .record(z.string(), z.string())
        .superRefine((tags, context) => {
          const fault = tagFault(tags);
          if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
        })
        .meta({ examples: [{ team: 'data', cost_center: '4711' }] }),
    ),
  })
  .meta({ title: 'A policy of Causeway' });

/**
 * The JSON Schema of a policy. Some of what the reader refuses cannot be said in it, such as a star in the middle of a host; and a
 * key in `optional` that this version does not know is refused by it.
 */
export function policyJsonSchema(): z.core.JSONSchema.BaseSchema {
  return jsonSchemaOf(policySchema);
}
