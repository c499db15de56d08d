import { z } from 'zod';
import type { Rest } from './rest.ts';

const PATH = '/api/2.0/preview/scim/v2';
/** More than most workspaces give at once; whatever they give is how far the next page begins. */
const PAGE_SIZE = 1000;

const UserSchema = z.looseObject({
  id: z.string(),
  userName: z.string().default(''),
  displayName: z.string().optional(),
  active: z.boolean().optional(),
  emails: z.array(z.looseObject({ value: z.string().optional() })).optional(),
  /** Left out when the user is in no group, and when the caller may not see them. */
  groups: z.array(z.looseObject({ display: z.string().optional() })).optional(),
});
const PrincipalSchema = z.looseObject({
  id: z.string(),
  applicationId: z.string().default(''),
  displayName: z.string().optional(),
});
const listOf = <T>(item: z.ZodType<T>) =>
  z.looseObject({ Resources: z.array(item).default([]), totalResults: z.number().optional() });

/** A user or service principal. Ids are numeric strings beyond 2^53: never numbers. */
export type ScimUser = z.infer<typeof UserSchema>;

interface Me {
  user: ScimUser;
  /** The workspace's own id, from the answer's header. */
  workspaceId: string | undefined;
}

export interface Users {
  me(signal?: AbortSignal): Promise<Me>;
  get(id: string, signal?: AbortSignal): Promise<ScimUser>;
  /** Users for whom a SCIM filter (RFC 7644 §3.4.2.2) holds, or all of them. */
  list(filter?: string, signal?: AbortSignal): AsyncGenerator<ScimUser>;
  /** Service principals, their application ids as user names: they have overrides too, and are not among the users. */
  servicePrincipals(signal?: AbortSignal): AsyncGenerator<ScimUser>;
}

/** Whether a user is a workspace admin. Groups that were left out say nothing. */
export function isAdmin(user: ScimUser): boolean | 'unknown' {
  if (user.groups === undefined) return 'unknown';
  return user.groups.some((group) => group.display === 'admins');
}

/** Puts a text between quotation marks for a SCIM filter. */
export function filterText(text: string): string {
  return JSON.stringify(text);
}

/** The SCIM API over one REST client. */
export function usersApi(rest: Rest): Users {
  return {
    me: async (signal) => {
      const { data, header } = await rest.exchange({ path: `${PATH}/Me`, schema: UserSchema, signal });
      return { user: data, workspaceId: header('x-databricks-org-id') };
    },
    get: (id, signal) => rest.request({ path: `${PATH}/Users/${encodeURIComponent(id)}`, schema: UserSchema, signal }),
    list: (filter, signal) => {
      const query = { filter, attributes: 'id,userName,displayName,active,emails' };
      return listed(rest, 'Users', query, UserSchema, signal);
    },
    servicePrincipals: async function* (signal) {
      const query = { attributes: 'id,applicationId,displayName' };
      for await (const { applicationId, ...principal } of listed(
        rest,
        'ServicePrincipals',
        query,
        PrincipalSchema,
        signal,
      )) {
        yield { ...principal, userName: applicationId };
      }
    },
  };
}

/** SCIM counts from 1, and a workspace may give fewer than asked for: only an empty page, or the total, is the end. */
async function* listed<T>(
  rest: Rest,
  kind: 'Users' | 'ServicePrincipals',
  what: Record<string, string | undefined>,
  item: z.ZodType<T>,
  signal?: AbortSignal,
): AsyncGenerator<T> {
  const schema = listOf(item);
  for (let startIndex = 1; ; ) {
    const query = { ...what, startIndex, count: PAGE_SIZE };
    const page = await rest.request({ path: `${PATH}/${kind}`, query, schema, signal });
    yield* page.Resources;
    startIndex += page.Resources.length;
    if (page.Resources.length === 0) return;
    if (page.totalResults !== undefined && startIndex > page.totalResults) return;
  }
}
