import { CausewayError } from '../../platform/errors.ts';
import type { Secret } from '../../platform/secret.ts';
import type { Profile, TokenRequest, TokenSource } from '../auth.ts';

/**
 * A personal access token, read anew after a 401 in case the user has replaced it.
 * @throws {CausewayError} `unauthenticated` from the source, when it is still the one that was refused
 */
export function personalTokenSource(profile: Profile, where: string, read: () => Promise<Secret>): TokenSource {
  let current: Promise<Secret> | undefined;
  return {
    async token({ rejected }: TokenRequest = {}) {
      current ??= read();
      let token = await current.catch((error: unknown) => {
        current = undefined;
        throw error;
      });
      if (!token.equals(rejected)) return token;
      current = read();
      token = await current;
      if (!token.equals(rejected)) return token;
      throw new CausewayError(
        'unauthenticated',
        `${profile.host} refuses the personal access token of profile "${profile.name}": it has expired, was revoked, or belongs to another workspace.`,
        { remedy: `Make a new one in the workspace (Settings, Developer, Access tokens) and put it into ${where}.` },
      );
    },
  };
}
