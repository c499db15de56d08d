import { CausewayError } from '../platform/errors.ts';
import type { AuthService, Profile, TokenSource } from './auth.ts';
import { configFilePath, readConfig } from './config-file.ts';
import type { ProfileSettings } from './profile-settings.ts';
import {
  asProfile,
  chooseProfile,
  ENVIRONMENT_PROFILE,
  listProfiles,
  type ProfileBook,
  profileSettings,
} from './profiles.ts';

export interface AuthOptions {
  env: NodeJS.ProcessEnv;
  /** Shows an address to the person; the system's browser by default. */
  openBrowser?: (url: string) => Promise<void>;
  /** Milliseconds since 1970; the system's clock by default. */
  now?: () => number;
}

/**
 * Opens profiles and tokens. Whatever a profile does not need is not loaded for it: a process that AI clients spawn, with
 * a personal access token, pays for reading one file.
 */
export function openAuth({ env, now = Date.now }: AuthOptions): AuthService {
  const path = configFilePath(env);
  const chance = Math.random();
  const sources = new Map<string, TokenSource>();

  const book = async (): Promise<ProfileBook> => ({ document: await readConfig(path), path, env });

  /** The profile's keys as the file has them now. @throws {CausewayError} also when they have moved to another workspace */
  async function settingsOf(profile: Profile): Promise<ProfileSettings> {
    const settings = profileSettings(await book(), profile.name);
    if (settings.host === profile.host) return settings;
    throw new CausewayError(
      'profile_unusable',
      `Profile "${profile.name}" now names ${settings.host}, not ${profile.host}.`,
      {
        remedy: 'Start again, so that the new workspace is used everywhere.',
      },
    );
  }

  async function openSource(profile: Profile): Promise<TokenSource> {
    switch (profile.method) {
      case 'pat': {
        const { personalTokenSource } = await import('./personal-token.ts');
        return personalTokenSource(profile, placeOf(profile), async () => {
          const { token } = await settingsOf(profile);
          if (token) return token;
          throw new CausewayError('profile_unusable', `Profile "${profile.name}" has no token any more.`);
        });
      }
      case 'oauth-m2m': {
        const [{ requestClientToken }, { memoryTokenSource }, { discoverIssuer }, { AuthHttp }] = await Promise.all([
          import('./client-credentials.ts'),
          import('./memory-token.ts'),
          import('./issuer.ts'),
          import('./host-fetch.ts'),
        ]);
        const fetch = new AuthHttp(env).to(profile.host);
        return memoryTokenSource({
          now,
          chance,
          acquire: async () => {
            const { host, accountId, clientId, clientSecret, scopes } = await settingsOf(profile);
            if (!clientId || !clientSecret) {
              throw new CausewayError(
                'profile_unusable',
                `Profile "${profile.name}" has no client credentials any more.`,
              );
            }
            return requestClientToken(
              await discoverIssuer(fetch, { host, accountId }),
              { clientId, clientSecret, scopes },
              now,
            );
          },
        });
      }
      default:
        throw new CausewayError('signed_out', `Profile "${profile.name}" is signed out.`);
    }
  }

  const placeOf = (profile: Profile) => (profile.name === ENVIRONMENT_PROFILE ? 'DATABRICKS_TOKEN' : path);

  return {
    profiles: async () => listProfiles(await book()),

    async profile(name) {
      const current = await book();
      const chosen = chooseProfile(current, name);
      return asProfile(chosen, profileSettings(current, chosen));
    },

    tokens(profile) {
      const key = `${profile.host} ${profile.name} ${profile.method}`;
      const known = sources.get(key);
      if (known) return known;
      let opening: Promise<TokenSource> | undefined;
      const source: TokenSource = {
        async token(request) {
          opening ??= openSource(profile).catch((error: unknown) => {
            opening = undefined;
            throw error;
          });
          return (await opening).token(request);
        },
      };
      sources.set(key, source);
      return source;
    },
  };
}
