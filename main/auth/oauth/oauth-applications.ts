import { join } from 'node:path';
import { z } from 'zod';
import { readBounded } from '../../platform/bounded-file.ts';
import { CausewayError } from '../../platform/errors.ts';
import { codeOf, fileError } from '../../platform/file-errors.ts';
import { withLock } from '../../platform/lock.ts';
import { configFolder, stateFolder } from '../../platform/paths.ts';
import { writeWholeFile } from '../../platform/replace-file.ts';
import { utf8Text } from '../../platform/utf8.ts';
import type { OAuthApplication } from '../auth.ts';
import type { HostFetch } from '../host-fetch.ts';
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

/** The OAuth applications that account administrators registered, one for each workspace; secrets are in the keychain. */
export interface OAuthApplications {
  /** @throws {CausewayError} `invalid_file`, `file_not_writable` */
  get(host: string): Promise<OAuthApplication | undefined>;
  /** @throws {CausewayError} `invalid_file`, `file_not_writable` */
  set(host: string, application: OAuthApplication | undefined): Promise<void>;
  /** The names under which their secrets are stored. @throws {CausewayError} `invalid_file` */
  secretNames(): Promise<string[]>;
}

/** @param openStore the store for the applications' secrets, opened when there is one to read or write */
export function oauthApplications(env: NodeJS.ProcessEnv, openStore: () => Promise<SecretStore>): OAuthApplications {
  const file = join(configFolder(env), 'oauth-applications.json');
  const secretName = (host: string, clientId: string) => `${host} ${clientId}`;

  async function read(): Promise<z.infer<typeof Saved>> {
    let text: string;
    try {
      text = utf8Text(file, await readBounded(file, 'own'));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return {};
      throw fileError(file, error);
    }
    try {
      return Saved.parse(JSON.parse(text));
    } catch (cause) {
      throw new CausewayError('invalid_file', `${file} is not a valid list of OAuth applications.`, {
        cause,
        remedy: 'Correct it, or remove it to use the built-in application.',
      });
    }
  }

  return {
    async get(host) {
      const saved = (await read())[host];
      if (!saved) return undefined;
      const { client_id: clientId, callback_port: callbackPort, scopes, confidential } = saved;
      const clientSecret = confidential ? await (await openStore()).get(secretName(host, clientId)) : undefined;
      return { clientId, clientSecret, callbackPort, scopes };
    },

    secretNames: async () =>
      Object.entries(await read()).flatMap(([host, { client_id: clientId, confidential }]) =>
        confidential ? [secretName(host, clientId)] : [],
      ),

    async set(host, application) {
      await withLock(join(stateFolder(env), 'locks', 'oauth-applications'), async () => {
        const { [host]: old, ...others } = await read();
        const store = old?.confidential || application?.clientSecret ? await openStore() : undefined;
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
        await writeWholeFile(file, `${text}\n`, { mode: 0o600 });
      });
    },
  };
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
