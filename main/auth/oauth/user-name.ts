import { z } from 'zod';
import { CausewayError } from '../../platform/errors.ts';
import { foreignText } from '../../platform/foreign-text.ts';
import { jsonIn } from '../../platform/json.ts';
import type { Secret } from '../../platform/secret.ts';
import type { Profile } from '../auth.ts';
import type { HostFetch } from '../host-fetch.ts';
import { SAYS_SCOPES_ARE_MISSING } from './scopes.ts';

const Refusal = z.looseObject({ message: z.string() });
const Me = z.looseObject({ userName: z.string() });

/**
 * The name for a sign-in that has just been made, as the workspace itself gives it.
 * @returns `undefined` if it gives none: that says nothing about the token, which `main/workspace/check-token.ts` asks about
 * @throws {CausewayError} `unauthenticated` if the workspace does not take the token, `permission_denied` if it does
 * not let its user in, and what the fetch throws
 */
export async function userNameIn(
  fetch: HostFetch,
  profile: Pick<Profile, 'host' | 'workspaceId'>,
  token: Secret,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const response = await fetch(`${profile.host}/api/2.0/preview/scim/v2/Me`, {
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${token.reveal()}`,
      ...(profile.workspaceId === undefined ? {} : { 'x-databricks-workspace-id': profile.workspaceId }),
    },
    signal,
  });
  if (response.status === 401) {
    throw new CausewayError('unauthenticated', `${profile.host} does not accept the token.`, {
      remedy: 'Check that the token is for this workspace, then sign in again.',
    });
  }
  if (response.status === 403) return refuseUnlessAboutScopes(profile.host, token, await response.text());
  if (!response.ok) return undefined;
  const parsed = Me.safeParse(await response.json().catch(() => undefined));
  return parsed.success ? parsed.data.userName : undefined;
}

/**
 * A token for some scopes only may not ask for its name, and works anyway; any other 403 of the workspace is said to who
 * has no access. A page is not the workspace's own answer.
 */
function refuseUnlessAboutScopes(host: string, token: Secret, body: string): undefined {
  const said = Refusal.safeParse(jsonIn(body)).data?.message;
  if (said === undefined || SAYS_SCOPES_ARE_MISSING.test(said)) return undefined;
  throw new CausewayError(
    'permission_denied',
    `${host} does not give this user access (403: ${foreignText(said, { sent: [token], maxLength: 200 })}).`,
    { remedy: 'Sign in as another user, or ask a workspace admin to add this one to the workspace.' },
  );
}
