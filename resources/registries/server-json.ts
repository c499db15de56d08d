import { z } from 'zod';
import { addressOf, homepageOf, type Release, registryName, SHORT_DESCRIPTION } from './repository.ts';

/** The schema's address, which is part of the file. */
const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

const Package = z.strictObject({
  registryType: z.literal('mcpb'),
  identifier: z.url(),
  fileSha256: z.string().regex(/^[a-f0-9]{64}$/),
  transport: z.strictObject({ type: z.literal('stdio') }),
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
  packages: z.array(Package),
});

/** The entry in the MCP registry: the extension, for no name on npm is the project's. @throws ZodError if it is not as its schema demands */
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
        registryType: 'mcpb',
        identifier: addressOf(release, mcpb.name),
        fileSha256: mcpb.sha256,
        transport: { type: 'stdio' },
      },
    ],
  });
  return `${JSON.stringify(entry, null, 2)}\n`;
}
