import { join } from 'node:path';
import { z } from 'zod';
import {
  defaultValue,
  lockedValue,
  managedError,
  NO_POLICY,
  type Policy,
  type PolicyValues,
} from '../../permissions/policy/policy.ts';
import { currentPolicy } from '../../permissions/policy/system-policy.ts';
import { readBounded } from '../../platform/bounded-file.ts';
import { CausewayError } from '../../platform/errors.ts';
import { codeOf, fileError } from '../../platform/file-errors.ts';
import { jsonIn } from '../../platform/json.ts';
import { withLock } from '../../platform/lock.ts';
import { configFolder, stateFolder } from '../../platform/paths.ts';
import { writeWholeFile } from '../../platform/replace-file.ts';
import type { Secret } from '../../platform/secret.ts';
import { utf8Text } from '../../platform/utf8.ts';
import type { OAuthApplication, Profile } from '../auth.ts';
import type { HostFetch } from '../host-fetch.ts';
import type { ProfileSettings } from '../profiles/profile-settings.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { discoverIssuer, type IssuerLocation } from './issuer.ts';

const Saved = z.record(
  z.string(),
  z.looseObject({
    client_id: z.string(),
    /** Whether it has a secret, which is in the keychain. */
    confidential: z.boolean().optional(),
    callback_port: z.int().min(1).max(65_535).optional(),
    scopes: z.array(z.string()).optional(),
  }),
);

/** The public application that every workspace knows. */
const BUILT_IN_CLIENT = 'databricks-cli';

/** Whether the Databricks CLI signs in through the application that the organization requires, if it requires one. */
export function isForDatabricksCli(demanded: string | undefined): boolean {
  return demanded === undefined || demanded === BUILT_IN_CLIENT;
}

/** The id of the OAuth application that the organization requires for every sign-in. @throws {CausewayError} `managed` */
export async function demandedApplication(): Promise<string | undefined> {
  return lockedValue(await currentPolicy(), 'oauthApplication')?.clientId;
}

/** The OAuth application of a sign-in in the browser. */
export interface ApplicationOfSignIn {
  application: OAuthApplication;
  /** Whether the user may sign in through another application. */
  canChoose: boolean;
  /** Whether a sign-in asks for no other scopes than the application's. */
  isFixed: boolean;
}

/** The OAuth applications that account administrators registered, one for each workspace; secrets are in the keychain. */
export class OAuthApplications {
  readonly #env: NodeJS.ProcessEnv;
  readonly #file: string;
  readonly #openStore: () => Promise<SecretStore>;

  /** @param openStore the store for the applications' secrets, opened when there is one to read or write */
  constructor(env: NodeJS.ProcessEnv, openStore: () => Promise<SecretStore>) {
    this.#env = env;
    this.#file = join(configFolder(env), 'oauth-applications.json');
    this.#openStore = openStore;
  }

  /** The user's own choice. @throws {CausewayError} `invalid_file`, `file_not_writable` */
  async get(host: string): Promise<OAuthApplication | undefined> {
    const saved = (await this.#read())[host];
    if (!saved) return undefined;
    const { client_id: clientId, callback_port: callbackPort, scopes, confidential } = saved;
    const clientSecret = confidential ? await (await this.#openStore()).get(secretName(host, clientId)) : undefined;
    return { clientId, clientSecret, callbackPort, scopes };
  }

  /** @throws {CausewayError} `managed`, `invalid_file`, `file_not_writable` */
  async set(host: string, application: OAuthApplication | undefined): Promise<void> {
    const policy = await currentPolicy();
    // An application that is no longer used may be removed.
    if (application && lockedValue(policy, 'oauthApplication')) {
      throw managedError(policy, 'oauthApplication', 'the OAuth application cannot be changed');
    }
    await withLock(join(stateFolder(this.#env), 'locks', 'oauth-applications'), async () => {
      const { [host]: old, ...others } = await this.#read();
      const store = old?.confidential || application?.clientSecret ? await this.#openStore() : undefined;
      if (old?.confidential) await store?.delete(secretName(host, old.client_id));
      if (application?.clientSecret) {
        await store?.set(secretName(host, application.clientId), application.clientSecret);
      }
      const entry = application && {
        ...old,
        client_id: application.clientId,
        confidential: application.clientSecret !== undefined,
        callback_port: application.callbackPort,
        scopes: application.scopes,
      };
      const text = JSON.stringify(entry ? { ...others, [host]: entry } : others, undefined, 2);
      await writeWholeFile(this.#file, `${text}\n`, { mode: 0o600 });
    });
  }

  /** The names under which their secrets are stored. @throws {CausewayError} `invalid_file` */
  async secretNames(): Promise<string[]> {
    return Object.entries(await this.#read()).flatMap(([host, { client_id: clientId, confidential }]) =>
      confidential ? [secretName(host, clientId)] : [],
    );
  }

  /** The organization's application goes before all that the user has chosen. @throws {CausewayError} `managed`, and as `get` */
  async ofSignIn(
    profile: Profile,
    settings: ProfileSettings,
    asked: OAuthApplication | null | undefined,
  ): Promise<ApplicationOfSignIn> {
    const policy = await currentPolicy();
    const managed = lockedValue(policy, 'oauthApplication');
    if (!managed) {
      const application = await this.#ofUser(profile, settings, policy, asked);
      return { application, canChoose: true, isFixed: false };
    }
    if (asked !== undefined && asked?.clientId !== managed.clientId) {
      throw managedError(policy, 'oauthApplication', `the OAuth application must be "${managed.clientId}"`);
    }
    return { application: withoutSecret(managed), canChoose: false, isFixed: managed.scopes !== undefined };
  }

  /** The secret of the application that a sign-in was made through. @throws {CausewayError} as `get` */
  async secretOf(
    profile: Profile,
    clientId: string,
    settings: () => Promise<ProfileSettings>,
  ): Promise<Secret | undefined> {
    if (clientId === BUILT_IN_CLIENT) return undefined;
    // The organization's application has no secret, and a sign-in through one of the user's own may be left from before.
    const application = await this.#ofUser(profile, await settings(), NO_POLICY, undefined);
    return application.clientId === clientId ? application.clientSecret : undefined;
  }

  /** The profile's own keys go before what is configured for its workspace, and that before what the organization suggests. */
  async #ofUser(
    { host, method }: Profile,
    settings: ProfileSettings,
    policy: Policy,
    asked: OAuthApplication | null | undefined,
  ): Promise<OAuthApplication> {
    const suggested = defaultValue(policy, 'oauthApplication');
    const saved =
      asked === undefined ? ((await this.get(host)) ?? (suggested && withoutSecret(suggested))) : (asked ?? undefined);
    const chosen = method === 'oauth-user' && settings.clientId !== undefined ? settings : saved;
    return {
      clientId: chosen?.clientId ?? BUILT_IN_CLIENT,
      clientSecret: chosen?.clientSecret,
      callbackPort: settings.callbackPort ?? saved?.callbackPort,
      scopes: settings.scopes ?? saved?.scopes,
    };
  }

  async #read(): Promise<z.infer<typeof Saved>> {
    let text: string;
    try {
      text = utf8Text(this.#file, await readBounded(this.#file, 'own'));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return {};
      throw fileError(this.#file, error);
    }
    const saved = Saved.safeParse(jsonIn(text));
    if (saved.success) return saved.data;
    throw new CausewayError('invalid_file', `${this.#file} is not a valid list of OAuth applications.`, {
      cause: saved.error,
      remedy: 'Correct it, or remove it to use the built-in application.',
    });
  }
}

function secretName(host: string, clientId: string): string {
  return `${host} ${clientId}`;
}

/** An application that the organization names. */
function withoutSecret({ clientId, callbackPort, scopes }: PolicyValues['oauthApplication']): OAuthApplication {
  return { clientId, clientSecret: undefined, callbackPort, scopes };
}

/** How long the workspace may take to say whether it knows an application, in milliseconds. */
const REQUEST_TIMEOUT_MS = 10_000;
/** RFC 7636 §4.1: at least 43 characters. Some services check the length first. */
const VERIFIER = 'nobody-was-given-this-code-so-it-leads-to-nothing';

/** An OAuth application and where its sign-in may end. */
export interface ApplicationName {
  clientId: string;
  redirectUri: string;
}

/**
 * Whether a workspace's sign-in service knows a public OAuth application: it is asked for the tokens of a code that nobody was
 * given, which it refuses as `invalid_client` if it does not know the application (RFC 6749 §5.2). Nobody signs in.
 * @throws {CausewayError} `unavailable` if its answer leaves that open, and what `discoverIssuer` and the fetch throw
 */
export async function knowsApplication(
  fetch: HostFetch,
  where: IssuerLocation,
  { clientId, redirectUri }: ApplicationName,
): Promise<boolean> {
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const { metadata } = await discoverIssuer(fetch, where, signal);
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: 'none',
    redirect_uri: redirectUri,
    client_id: clientId,
    code_verifier: VERIFIER,
  });
  const { status } = await fetch(metadata.token_endpoint ?? `${metadata.issuer}/v1/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: String(form),
    signal,
  });
  if (status === 400) return true;
  if (status === 401) return false;
  throw new CausewayError(
    'unavailable',
    `${where.host} could not confirm the application "${clientId}" (HTTP ${status}).`,
    { remedy: 'Try again in a minute, or use an OAuth application of your own.' },
  );
}
