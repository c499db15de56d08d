import { z } from 'zod';
import { CausewayError } from '../platform/errors.ts';
import type { Secret } from '../platform/secret.ts';
import type { Profile } from './auth.ts';
import type { HostFetch } from './host-fetch.ts';

const Me = z.looseObject({ userName: z.string() });

/**
 * The name for a sign-in that has just been made, as the workspace itself gives it.
 * @returns `undefined` where it gives none: that says nothing of the token, which `main/workspace/standing.ts` asks about
 * @throws {CausewayError} `unauthenticated` where the workspace does not take the token, and what the fetch throws
 */
export async function nameOf(
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
      remedy: 'Check that the host is the workspace that the token is for, and sign in again.',
    });
  }
  if (!response.ok) return undefined;
  const parsed = Me.safeParse(await response.json().catch(() => undefined));
  return parsed.success ? parsed.data.userName : undefined;
}
