import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { addressOf, homepageOf, type Release, registryName, SHORT_DESCRIPTION } from './repository.ts';

/** The schema's address, which is part of the file. */
const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

const Input = {
  description: z.string().optional(),
  value: z.string().optional(),
  default: z.string().optional(),
  isRequired: z.boolean().optional(),
};
const Argument = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('positional'), ...Input, value: z.string() }),
  z.strictObject({ type: z.literal('named'), name: z.string(), ...Input }),
]);
const Package = z.strictObject({
  registryType: z.enum(['npm', 'mcpb']),
  registryBaseUrl: z.url().optional(),
  identifier: z.string(),
  version: z
    .string()
    .max(255)
    .regex(/^\d+\.\d+\.\d+/)
    .optional(),
  fileSha256: z
    .string()
    .regex(/^[a-f0-9]{64}$/)
    .optional(),
  runtimeHint: z.string().optional(),
  transport: z.strictObject({ type: z.literal('stdio') }),
  packageArguments: z.array(Argument).optional(),
});

/**
 * A table of what the registry's schema demands (github.com/modelcontextprotocol/registry › docs/reference/server-json), as far as
 * the fields go that are used here; others are refused.
 */
export const ServerJson = z.strictObject({
  $schema: z.literal(SCHEMA),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z
    .string()
    .max(255)
    .regex(/^\d+\.\d+\.\d+/),
  websiteUrl: z.url(),
  repository: z.strictObject({ url: z.url(), source: z.literal('github') }),
  packages: z
    .array(Package)
    .refine((packages) => packages.every(({ registryType, fileSha256 }) => registryType !== 'mcpb' || fileSha256), {
      error: 'An extension needs the hash of its file.',
    }),
});

/** The entry in the MCP registry. @throws ZodError if it is not as its schema demands */
export function serverJson(release: Release): string {
  const { version, repository, mcpb } = release;
  const entry = ServerJson.parse({
    $schema: SCHEMA,
    name: registryName(repository),
    title: 'Causeway for Databricks',
    description: SHORT_DESCRIPTION,
    version,
    websiteUrl: homepageOf(release),
    repository: { url: homepageOf(release), source: 'github' },
    packages: [
      {
        registryType: 'npm',
        registryBaseUrl: 'https://registry.npmjs.org',
        identifier: manifest.name,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        packageArguments: [
          { type: 'positional', value: 'proxy' },
          {
            type: 'named',
            name: '--path',
            description: "The managed server's path in the workspace, such as /api/2.0/mcp/sql or /api/2.0/mcp/genie",
            default: '/api/2.0/mcp/sql',
            isRequired: true,
          },
          {
            type: 'named',
            name: '--profile',
            description: 'The profile in ~/.databrickscfg, as the Databricks CLI names it',
            default: 'DEFAULT',
            isRequired: true,
          },
        ],
      },
      {
        registryType: 'mcpb',
        identifier: addressOf(release, mcpb.name),
        fileSha256: mcpb.sha256,
        transport: { type: 'stdio' },
      },
    ],
  });
  return `${JSON.stringify(entry, null, 2)}\n`;
}
