import { ERROR_FACTS } from '../../../preload/contract/error-facts.ts';
import { CausewayError } from '../../platform/errors.ts';
import type { Secret } from '../../platform/secret.ts';
import type { Profile, SignInOptions, TokenRequest, TokenSource } from '../auth.ts';
import type { AuthHttp } from '../host-fetch.ts';
import type { OwnSignIns } from '../oauth/own-sign-in.ts';
import type { ProfileSettings } from '../profiles/profile-settings.ts';
import type { FederatedMethod } from './federation.ts';

export interface SourceContext {
  profile: Profile;
  env: NodeJS.ProcessEnv;
  /** The place that the profile's credentials come from, for messages. */
  where: string;
  /** The configuration file. */
  path: string;
  http: () => Promise<AuthHttp>;
  own: () => Promise<OwnSignIns>;
  settingsOf: (profile: Profile) => Promise<ProfileSettings>;
  now: () => number;
  chance: number;
  signInWhenNeeded: boolean;
}

/** Opens the token source for a profile. Loads only what that kind of profile needs. */
export function openTokenSource(context: SourceContext): Promise<TokenSource> {
  return SOURCES[context.profile.method](context);
}

const SOURCES: Record<Profile['method'], (context: SourceContext) => Promise<TokenSource>> = {
  async pat({ profile, where, settingsOf }) {
    return personalTokenSource(profile, where, async () => {
      const { token } = await settingsOf(profile);
      if (token) return token;
      throw new CausewayError('profile_unusable', `Profile "${profile.name}" no longer has a token.`);
    });
  },

  async 'oauth-m2m'({ profile, http, settingsOf, now, chance }) {
    const [{ requestClientToken }, { memoryTokenSource }, { discoverIssuer }] = await Promise.all([
      import('./client-credentials.ts'),
      import('../memory-tokens.ts'),
      import('../oauth/issuer.ts'),
    ]);
    const fetch = (await http()).to(profile.host);
    return memoryTokenSource({
      profile,
      now,
      chance,
      async acquire() {
        const { host, accountId, clientId, clientSecret, scopes } = await settingsOf(profile);
        if (!clientId || !clientSecret) {
          throw new CausewayError(
            'profile_unusable',
            `Profile "${profile.name}" no longer has a client id and secret.`,
          );
        }
        const issuer = await discoverIssuer(fetch, { host, accountId });
        return requestClientToken(issuer, { clientId, clientSecret, scopes }, now);
      },
    });
  },

  async 'oauth-user'({ profile, own, signInWhenNeeded }) {
    const signIns = await own();
    const tokens = signIns.tokens(profile);
    return signInWhenNeeded ? askingWhenSignedOut(tokens, () => signIns.signIn(profile, UNATTENDED)) : tokens;
  },

  async 'databricks-cli'({ profile, env, path, own, settingsOf, now, chance, signInWhenNeeded }) {
    const [
      { requestCliToken },
      { memoryTokenSource },
      { withLock },
      { join },
      { stateFolder },
      { demandedApplication, isForDatabricksCli },
    ] = await Promise.all([
      import('./databricks-cli.ts'),
      import('../memory-tokens.ts'),
      import('../../platform/lock.ts'),
      import('node:path'),
      import('../../platform/paths.ts'),
      import('../oauth/oauth-applications.ts'),
    ]);
    const signIns = await own();
    const tokens = signIns.tokens(profile);
    const source = memoryTokenSource({
      profile,
      now,
      chance,
      async acquire(rejected) {
        const { cliPath } = await settingsOf(profile);
        // It has no lock of its own, and loses its sign-in when it renews twice at once.
        return withLock(join(stateFolder(env), 'locks', 'databricks-cli'), () =>
          requestCliToken({ profile, env, configFile: path, cliPath, now }, rejected !== undefined),
        );
      },
    });
    const ofDemanded: TokenSource = {
      async token(request) {
        const demanded = await demandedApplication();
        // A user who has signed in through Causeway wants that sign-in to be used.
        if (await tokens.isSignedIn()) return tokens.token(request);
        return isForDatabricksCli(demanded) ? source.token(request) : tokens.token(request);
      },
    };
    return signInWhenNeeded ? askingWhenSignedOut(ofDemanded, () => signIns.signIn(profile, UNATTENDED)) : ofDemanded;
  },

  async 'azure-cli'({ profile, env, http, settingsOf, now, chance }) {
    const [{ requestAzureCliToken }, { memoryTokenSource }] = await Promise.all([
      import('./azure.ts'),
      import('../memory-tokens.ts'),
    ]);
    const fetch = (await http()).to(profile.host, { asksAgain: false });
    return memoryTokenSource({
      profile,
      now,
      chance,
      acquire: async (rejected) => {
        const { azure } = await settingsOf(profile);
        return requestAzureCliToken({ profile, azure, env, fetch, now }, rejected);
      },
    });
  },

  async 'azure-client-secret'({ profile, http, settingsOf, now, chance }) {
    const [{ requestEntraToken }, { memoryTokenSource }] = await Promise.all([
      import('./azure.ts'),
      import('../memory-tokens.ts'),
    ]);
    const connections = await http();
    return memoryTokenSource({
      profile,
      now,
      chance,
      acquire: async () => {
        const { azure } = await settingsOf(profile);
        return requestEntraToken({ profile, azure, to: (origin) => connections.to(origin), now });
      },
    });
  },

  'github-oidc': (context) => federated('github-oidc', context),
  'env-oidc': (context) => federated('env-oidc', context),
  'file-oidc': (context) => federated('file-oidc', context),
};

async function federated(
  method: FederatedMethod,
  { profile, env, http, settingsOf, now, chance }: SourceContext,
): Promise<TokenSource> {
  const [{ requestFederatedToken }, { memoryTokenSource }] = await Promise.all([
    import('./federation.ts'),
    import('../memory-tokens.ts'),
  ]);
  const connections = await http();
  const to = (origin: string) => connections.to(origin);
  return memoryTokenSource({
    profile,
    now,
    chance,
    acquire: async () => {
      const settings = await settingsOf(profile);
      return requestFederatedToken(method, settings, { profile, federation: settings.federation, env, to }, now);
    },
  });
}

/** For a process that an AI client has spawned, whose output no user sees. */
const UNATTENDED: SignInOptions = { openBrowser: 'must', onlyIfNeeded: true };

/** Asks the user when a sign-in is needed; once they have answered no, only a new sign-in, from anywhere, helps. */
function askingWhenSignedOut(tokens: TokenSource, signIn: () => Promise<unknown>): TokenSource {
  let asked: Promise<unknown> | undefined;

  async function ask(): Promise<void> {
    const { isFinal } = await import('../oauth/shared-sign-in.ts');
    try {
      await signIn();
      asked = undefined;
    } catch (error) {
      if (!isFinal(error)) asked = undefined;
      throw error;
    }
  }

  return {
    async token(request: TokenRequest = {}) {
      try {
        return await tokens.token(request);
      } catch (error) {
        if (!(error instanceof CausewayError) || ERROR_FACTS[error.code].token !== 'missing') throw error;
        await request.onSignedOut?.(error);
      }
      const { unlessAborted } = await import('../single-flight.ts');
      asked ??= ask();
      await unlessAborted(asked, request.signal);
      return tokens.token(request);
    },
  };
}

/**
 * A personal access token, read again after a 401 in case the user has replaced it.
 * @throws {CausewayError} `unauthenticated` from the source, when it is still the one that was refused
 */
function personalTokenSource(profile: Profile, where: string, read: () => Promise<Secret>): TokenSource {
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
        { remedy: `Create a new one in the workspace (Settings, Developer, Access tokens) and put it into ${where}.` },
      );
    },
  };
}
