import { z } from 'zod';
import { problem } from './parts.ts';

/** What the organization has decided for the users of this computer. */
export const managed = z.object({
  /** The file, or the key of the registry, that says so. */
  source: z.string(),
  organization: z.string().nullable(),
  /** Whom users ask, such as a mail address. */
  contact: z.string().nullable(),
  /** Why the policy cannot be used; all that it may forbid is forbidden then. */
  problem: problem.nullable(),
  /** What this version leaves out of it, as a sentence; null if nothing. */
  ignored: z.string().nullable(),
  keys: z.array(
    z.object({
      key: z.enum([
        'workspaces',
        'oauthApplication',
        'servers',
        'requiredServers',
        'clients',
        'requiredClients',
        'readOnly',
        'rules',
        'tokenStore',
        'updates',
        'recordContents',
        'lookUpStatements',
        'activityDays',
        'askInClients',
        'audit',
        'requestTags',
      ]),
      /** What the key decides, such as `Allowed workspaces`. */
      title: z.string(),
      /** In words. */
      value: z.string(),
      /** A list as its items (addresses, paths, names, ids), a switch as such; null for the rest. */
      plain: z.union([z.array(z.string()), z.boolean()]).nullable(),
      /** Whether users cannot change it. */
      locked: z.boolean(),
      reason: z.string().nullable(),
    }),
  ),
});

export type Managed = z.output<typeof managed>;
export type ManagedKey = Managed['keys'][number]['key'];
