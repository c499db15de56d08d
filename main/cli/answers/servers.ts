import { z } from 'zod';
import { SERVER_KINDS } from '../../../preload/contract/server-kinds.ts';
import { offered } from '../../../preload/contract/servers.ts';
import { entryChange } from './clients.ts';
import { failure } from './failure.ts';
import { named } from './named.ts';

const server = named(
  'server',
  'A server in the list.',
  z.object({
    name: z.string(),
    profile: z.string(),
    kind: z.enum(SERVER_KINDS),
    path: z.string(),
    title: z.string().nullable(),
    meta: z.record(z.string(), z.string()),
    confirmed: z.string().nullable(),
    successor: z.object({ path: z.string(), add: z.string() }).nullable(),
  }),
  {
    name: 'Its name in the list.',
    profile: 'The profile that it signs in with.',
    kind: 'Its kind.',
    path: 'Its path in the workspace.',
    title: 'The title of a Genie space; null if it has none.',
    meta: 'What each of its calls carries in `_meta`.',
    confirmed: 'The address of a Databricks App that the user has confirmed.',
    successor: 'What has replaced it; `add` is what `causeway servers add` takes.',
  },
);

export const serverList = z.object({ servers: z.array(server) });
export const addedServer = z.object({
  dryRun: z.boolean(),
  server,
  isNew: z.boolean(),
  /** How many tools it has; null if it does not answer, or was not asked. */
  tools: z.number().nullable(),
  error: failure.nullable(),
});
/** What `causeway up` found and did. */
export const setUp = z.object({
  dryRun: z.boolean(),
  profile: z.string(),
  host: z.string(),
  userName: z.string().nullable(),
  server,
  isNew: z.boolean(),
  tools: z.number(),
  changes: z.array(entryChange),
  /** Null if none was run. */
  query: z
    .object({
      succeeded: z.boolean(),
      explanation: z.string(),
      statementId: z.string().nullable(),
      tookMs: z.number(),
      warehouse: z.object({ id: z.string(), name: z.string() }).nullable(),
    })
    .nullable(),
});
export const changedServer = z.object({ dryRun: z.boolean(), server });
export const removedServers = z.object({ dryRun: z.boolean(), servers: z.array(server) });
export const movedServer = z.object({
  dryRun: z.boolean(),
  from: z.string(),
  server,
  tools: z.number(),
  hasPermissions: z.boolean(),
  changes: z.array(entryChange),
});

export const testedServers = z.object({
  servers: z.array(
    z.object({
      server,
      tools: z
        .array(
          z.object({
            name: z.string(),
            description: z.string().nullable(),
            permission: z.enum(['allow', 'ask', 'refuse']),
            decidedBy: z.enum(['organization', 'user']).nullable(),
          }),
        )
        .nullable(),
      warnings: z.array(z.string()),
      error: failure.nullable(),
    }),
  ),
});

export const startedApp = z.object({ app: z.string(), profile: z.string(), wasStarted: z.boolean() });

export const serviceSignIn = z.object({
  service: z.string(),
  title: z.string(),
  profile: z.string(),
  host: z.string(),
  state: z.enum(['signed-in', 'signed-out', 'not-needed']),
  wasSignedIn: z.boolean(),
});

export const offeredServers = z.object({
  servers: z.array(offered),
  requests: z.number(),
  maxRequests: z.number(),
  isComplete: z.boolean(),
  leftOut: z.array(z.string()),
});
