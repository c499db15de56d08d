import { z } from 'zod';
import { WorkspaceError } from './errors.ts';
import type { Rest, RestRequest } from './rest.ts';

const PATH = '/api/2.0/preview/scim/v2';
/** More than most workspaces give at once; whatever they give is how far the next page begins. */
const PAGE_SIZE = 1000;

const UserSchema = z.looseObject({
  id: z.string(),
  userName: z.string().default(''),
  displayName: z.string().optional(),
  active: z.boolean().optional(),
  emails: z.array(z.looseObject({ value: z.string().optional() })).optional(),
  /** Left out if the user is in no group, or the caller cannot see the groups. */
  groups: z.array(z.looseObject({ display: z.string().optional() })).optional(),
});
/** A service principal's user name, wherever it counts as one, is its application id. */
const PrincipalSchema = z
  .looseObject({ ...UserSchema.shape, applicationId: z.string().default('') })
  .transform(({ applicationId, ...principal }) => ({ ...principal, userName: applicationId }));
const listOf = <T>(item: z.ZodType<T>) =>
  z.looseObject({ Resources: z.array(item).default([]), totalResults: z.number().optional() });

const KINDS = {
  Users: { schema: UserSchema, attributes: 'id,userName,displayName,active,emails' },
  ServicePrincipals: { schema: PrincipalSchema, attributes: 'id,applicationId,displayName,active' },
} as const;

/** A user or service principal. Ids are numeric strings beyond 2^53: never numbers. */
export type ScimUser = z.infer<typeof UserSchema>;

const GroupSchema = z.looseObject({
  id: z.string(),
  displayName: z.string().default(''),
  /** Users, service principals and groups: `$ref` says which. Left out if there are none. */
  members: z.array(z.looseObject({ value: z.string(), $ref: z.string().optional() })).default([]),
});

/** A group of the workspace. */
export type ScimGroup = z.infer<typeof GroupSchema>;

export interface UserListOptions {
  /** Service principals have overrides too, and are not among the users. */
  kind?: keyof typeof KINDS;
  /** A SCIM filter (RFC 7644 §3.4.2.2); all users if left out. */
  filter?: string;
  /** Asks for the groups too. */
  withGroups?: boolean;
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

export type Users = ReturnType<typeof usersApi>;

/** The SCIM API over one REST client. */
export function usersApi(rest: Rest) {
  return {
    /** The caller, and the workspace's own id, from the answer's header. */
    me: async (signal?: AbortSignal): Promise<{ user: ScimUser; workspaceId: string | undefined }> => {
      const { data, header } = await rest.exchange({ path: `${PATH}/Me`, schema: UserSchema, signal });
      return { user: data, workspaceId: header('x-databricks-org-id') };
    },
    /** The caller's whole record as the workspace gives it, or the attributes that are asked for, by comma-separated names. */
    record: (
      { attributes, excludedAttributes }: { attributes?: string | undefined; excludedAttributes?: string | undefined },
      signal?: AbortSignal,
    ): Promise<Record<string, unknown>> => {
      const query = { attributes, excludedAttributes };
      return rest.request({ path: `${PATH}/Me`, query, schema: z.looseObject({}), signal });
    },
    /** A user, or else a service principal, with the groups. */
    get: async (id: string, signal?: AbortSignal): Promise<ScimUser> => {
      const one = (kind: keyof typeof KINDS) =>
        rest.request({ path: `${PATH}/${kind}/${encodeURIComponent(id)}`, schema: KINDS[kind].schema, signal });
      try {
        return await one('Users');
      } catch (error) {
        if (!(error instanceof WorkspaceError) || error.code !== 'not_found') throw error;
        return one('ServicePrincipals').catch(() => Promise.reject(error));
      }
    },
    list: (options: UserListOptions = {}, signal?: AbortSignal): AsyncGenerator<ScimUser> => {
      const { kind = 'Users', filter, withGroups = false } = options;
      const attributes = `${KINDS[kind].attributes}${withGroups ? ',groups' : ''}`;
      return resources(rest, {
        path: `${PATH}/${kind}`,
        query: { filter, attributes },
        schema: listOf(KINDS[kind].schema),
        signal,
      });
    },
  };
}

/** The groups of the SCIM API over one REST client. */
export function groupsApi(rest: Rest) {
  return {
    /** The groups that a SCIM filter finds, or all, without their members: as many as a page may hold, which is enough for a name. */
    find: async (filter: string | undefined, signal?: AbortSignal): Promise<ScimGroup[]> => {
      const asked = {
        path: `${PATH}/Groups`,
        query: { filter, attributes: 'id,displayName' },
        schema: listOf(GroupSchema),
        signal,
      };
      const found: ScimGroup[] = [];
      for await (const group of resources(rest, asked)) if (found.push(group) >= PAGE_SIZE) break;
      return found;
    },
    /** A group with its members. */
    get: (id: string, signal?: AbortSignal): Promise<ScimGroup> =>
      rest.request({ path: `${PATH}/Groups/${encodeURIComponent(id)}`, schema: GroupSchema, signal }),
  };
}

export type Groups = ReturnType<typeof groupsApi>;

/** SCIM counts from 1, and a workspace may give fewer than asked for: only an empty page, or the total, is the end. */
async function* resources<T>(
  rest: Rest,
  asked: RestRequest<z.output<ReturnType<typeof listOf<T>>>>,
): AsyncGenerator<T> {
  for (let startIndex = 1; ; ) {
    const page = await rest.request({ ...asked, query: { ...asked.query, startIndex, count: PAGE_SIZE } });
    yield* page.Resources;
    startIndex += page.Resources.length;
    if (page.Resources.length === 0) return;
    if (page.totalResults !== undefined && startIndex > page.totalResults) return;
  }
}
