import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { displayText } from '../../platform/display.ts';
import { CausewayError } from '../../platform/errors.ts';
import { codeOf } from '../../platform/file-errors.ts';
import { foreignText } from '../../platform/foreign-text.ts';
import { jsonIn } from '../../platform/json.ts';
import { Secret } from '../../platform/secret.ts';
import { type AccessToken, asTime, expiryFrom } from '../access-token.ts';
import type { Profile } from '../auth.ts';
import type { HostFetch } from '../host-fetch.ts';
import { discoverIssuer } from '../oauth/issuer.ts';
import { detailOf, isTemporary, type OAuthRefusal, serviceUnavailable } from '../oauth/oauth-failure.ts';
import { isLoopback } from '../profiles/host.ts';
import type { FederationSettings, ProfileSettings } from '../profiles/profile-settings.ts';
import { requestToken } from './token-request.ts';

/** RFC 8693 §2.1, §3. */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const JWT = 'urn:ietf:params:oauth:token-type:jwt';

/**
 * Trades an ID token of the machine for an access token of the workspace (RFC 8693): as the service principal whose client
 * id the profile names, or by an account-wide federation policy without one.
 * @throws {CausewayError} `signed_out` if there is no ID token, or it has ended; `sign_in_failed` if the workspace does
 * not take it; `unavailable`, and what the fetch throws
 */
export async function requestFederatedToken(
  method: FederatedMethod,
  settings: ProfileSettings,
  context: IdTokenContext,
  now: () => number,
): Promise<AccessToken> {
  const { profile, to } = context;
  const { host, accountId, clientId, scopes = ['all-apis'] } = settings;
  const fetch = to(host);
  const issuer = await discoverIssuer(fetch, { host, accountId });
  const endpoint = issuer.metadata.token_endpoint ?? `${host}/oidc/v1/token`;
  const audience = settings.federation.audience ?? (await defaultAudience(fetch, host, accountId, endpoint));
  const idToken = await requestIdToken(method, context, audience);
  const claims = claimsOf(idToken);
  const issuedAt = now();
  const form = {
    grant_type: TOKEN_EXCHANGE,
    subject_token: idToken.reveal(),
    subject_token_type: JWT,
    scope: scopes.join(' '),
    client_id: clientId,
  };
  const answer = await requestToken(fetch, endpoint, form, [idToken]);
  if ('refusal' in answer) throw refused(answer.refusal, { profile, clientId, audience, claims, now: now() });
  const { accessToken, expiresIn } = answer.granted;
  return { token: accessToken, issuedAt, expiresAt: expiryFrom(issuedAt, expiresIn) };
}

const HostConfig = z.object({
  host_type: z.string().optional(),
  token_federation_default_oidc_audiences: z.array(z.string().min(1)).optional(),
});

/**
 * The audience of an ID token if the profile names none: its account at a unified host, else the host's token endpoint. Of what the
 * host itself says that it expects, only these are believed: with an audience of its choice it could get a token for somebody else.
 */
async function defaultAudience(
  fetch: HostFetch,
  host: string,
  accountId: string | undefined,
  endpoint: string,
): Promise<string> {
  const config = await fetch(`${host}/.well-known/databricks-config`, { headers: { accept: 'application/json' } })
    .then((response) => response.json())
    .then((body: unknown) => HostConfig.safeParse(body).data)
    // Not every host has it, and it is optional.
    .catch(() => undefined);
  const mayBe = (audience: string) =>
    audience === accountId || (URL.canParse(audience) && new URL(audience).origin === host);
  const wanted = config?.token_federation_default_oidc_audiences?.find(mayBe);
  const isUnified = /^unified/i.test(config?.host_type ?? '');
  return wanted ?? (isUnified ? accountId : undefined) ?? endpoint;
}

const Claims = z.object({
  iss: z.string().optional(),
  sub: z.string().optional(),
  aud: z.union([z.string(), z.array(z.string())]).optional(),
  exp: z.number().optional(),
});

/** An ID token's claims, for messages only: the workspace validates the token. Empty if it is not a JWT (RFC 7519). */
function claimsOf(idToken: Secret): z.output<typeof Claims> {
  try {
    const [, payload = ''] = idToken.reveal().split('.');
    return Claims.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
  } catch {
    return {};
  }
}

interface Refused {
  profile: Profile;
  clientId: string | undefined;
  audience: string;
  claims: z.output<typeof Claims>;
  now: number;
}

function refused(refusal: OAuthRefusal, { profile, clientId, audience, claims, now }: Refused): CausewayError {
  const { host, name } = profile;
  if (isTemporary(refusal)) return serviceUnavailable(host, refusal);
  const detail = detailOf(refusal);
  // Checked only after the refusal, because this computer's clock may be wrong.
  if (claims.exp !== undefined && claims.exp * 1000 <= now) {
    const endedAt = new Date(asTime(claims.exp * 1000) ?? 0).toISOString();
    return new CausewayError('signed_out', `The ID token of profile "${name}" expired at ${endedAt} (${detail}).`, {
      remedy: 'Have the platform that runs this issue a new one. Causeway reads it each time.',
    });
  }
  return new CausewayError('sign_in_failed', `${host} does not accept the ID token of profile "${name}" (${detail}).`, {
    remedy: remedyForRefused(refusal, { clientId, audience, claims }),
  });
}

/** What to change so that the workspace accepts the ID token. */
function remedyForRefused(
  { error, description }: OAuthRefusal,
  { clientId, audience, claims: { iss, sub, aud } }: Pick<Refused, 'clientId' | 'audience' | 'claims'>,
): string {
  const shown = (value: string | undefined) => (value === undefined ? 'none' : displayText(value, { maxLength: 200 }));
  if (error === 'invalid_client' || error === 'unauthorized_client') {
    return clientId
      ? `Check client_id: ${shown(clientId)} must be the application id of a service principal of this account.`
      : 'Add the application id of the service principal to the profile as client_id.';
  }
  const audiences = shown([aud].flat().filter(Boolean).join(', ') || undefined);
  if (/audience|\baud\b/i.test(description)) {
    return `The token is for the audience ${audiences}. Make token_audience of the profile (now ${shown(audience)}) match an audience of the federation policy.`;
  }
  return `An account admin must create a federation policy ${clientId ? `for the service principal ${shown(clientId)}` : 'for the account'} with the issuer ${shown(iss)}, the subject ${shown(sub)} and the audience ${audiences}.`;
}

export interface IdTokenContext {
  profile: Profile;
  federation: FederationSettings;
  env: NodeJS.ProcessEnv;
  /** Returns a function that sends requests to an origin. */
  to: (origin: string) => HostFetch;
}

/** How a machine authenticates: with a token that its platform has signed (OpenID Connect). */
export type FederatedMethod = 'github-oidc' | 'env-oidc' | 'file-oidc';

/**
 * Gets a new ID token for the audience. Variables and files hold one for their own audience.
 * @throws {CausewayError} `signed_out` if there is none, `sign_in_failed`, and what the fetch throws
 */
function requestIdToken(method: FederatedMethod, context: IdTokenContext, audience: string): Promise<Secret> {
  return ID_TOKENS[method](context, audience);
}

const ID_TOKENS: Record<FederatedMethod, (context: IdTokenContext, audience: string) => Promise<Secret>> = {
  'github-oidc': requestFromGitHub,

  async 'env-oidc'({ profile, federation: { tokenVariable }, env }) {
    const token = env[tokenVariable]?.trim();
    if (token) return new Secret(token);
    const what = env[tokenVariable] === undefined ? 'not set' : 'empty';
    throw new CausewayError(
      'signed_out',
      `The environment variable ${tokenVariable} is ${what}. Profile "${profile.name}" reads its ID token from it.`,
      {
        remedy: `Set it where Causeway is started. AI clients pass on few variables. Add it to the entry's env, or use a file (auth_type = file-oidc).`,
      },
    );
  },

  async 'file-oidc'({ profile, federation: { tokenFile = '' } }) {
    const whose = `Profile "${profile.name}" reads its ID token from it.`;
    const text = await readToken(tokenFile).catch((cause: unknown) => {
      if (cause instanceof CausewayError) throw cause;
      const code = codeOf(cause);
      const isAbsent = code === 'ENOENT' || code === 'ENOTDIR';
      throw new CausewayError(
        'signed_out',
        isAbsent
          ? `There is no file ${tokenFile}. ${whose}`
          : `The file ${tokenFile} cannot be read (${code ?? 'unknown error'}). ${whose}`,
        {
          cause,
          remedy:
            'Check oidc_token_filepath of the profile, or DATABRICKS_OIDC_TOKEN_FILEPATH. The platform that runs this writes the file.',
        },
      );
    });
    const token = text.trim();
    if (token) return new Secret(token);
    throw new CausewayError('signed_out', `The file ${tokenFile} is empty. ${whose}`, {
      remedy: 'The platform that runs this has not written the token yet, or oidc_token_filepath names another file.',
    });
  },
};

/** No token comes near this size, in bytes. */
const FILE_LIMIT_BYTES = 64 * 1024;

/** A file without an end, or a pipe without a writer, must not block a request for a token. */
async function readToken(path: string): Promise<string> {
  const found = await stat(path);
  if (found.isDirectory() || (found.isFile() && found.size <= FILE_LIMIT_BYTES)) return readFile(path, 'utf8');
  throw new CausewayError('signed_out', `${path} is not a file that contains an ID token.`, {
    remedy: 'Check oidc_token_filepath of the profile, or DATABRICKS_OIDC_TOKEN_FILEPATH.',
  });
}

const GitHubAnswer = z.object({ value: z.string().min(1) });

/** GitHub Actions › OpenID Connect: the job asks for a token with the address and the bearer that it was given. */
async function requestFromGitHub({ profile, env, to }: IdTokenContext, audience: string): Promise<Secret> {
  const { url, bearer } = gitHubRequest(profile, env);
  url.searchParams.set('audience', audience);
  const response = await to(url.origin)(url.href, {
    headers: { accept: 'application/json', authorization: `Bearer ${bearer}` },
  });
  const text = await response.text();
  const answer = response.ok ? GitHubAnswer.safeParse(jsonIn(text)).data : undefined;
  if (answer) return new Secret(answer.value);
  const said = response.ok ? 'its response contains no token' : `HTTP ${response.status}: ${text}`;
  const message = `GitHub Actions returned no ID token (${foreignText(said, { sent: [bearer], maxLength: 200 })}).`;
  if (response.status >= 500) throw new CausewayError('unavailable', message, { remedy: 'Try again in a minute.' });
  throw new CausewayError('sign_in_failed', message, {
    remedy:
      'The address and its token expire with the job. Run this inside the job, with `permissions: id-token: write`.',
  });
}

/** Where the job asks, and with what. @throws {CausewayError} `signed_out` outside a job, `sign_in_failed` */
function gitHubRequest(profile: Profile, env: NodeJS.ProcessEnv): { url: URL; bearer: string } {
  const variables = ['ACTIONS_ID_TOKEN_REQUEST_URL', 'ACTIONS_ID_TOKEN_REQUEST_TOKEN'];
  const missing = variables.filter((name) => !env[name]);
  const { ACTIONS_ID_TOKEN_REQUEST_URL: address = '', ACTIONS_ID_TOKEN_REQUEST_TOKEN: bearer = '' } = env;
  if (missing.length > 0) {
    throw new CausewayError(
      'signed_out',
      `Profile "${profile.name}" signs in as a GitHub Actions job, but ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set.`,
      {
        remedy:
          'In the workflow, give the job `permissions: id-token: write`. Outside GitHub Actions, use another profile.',
      },
    );
  }
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))) return { url, bearer };
  throw new CausewayError('sign_in_failed', 'ACTIONS_ID_TOKEN_REQUEST_URL is not an https address.', {
    remedy: 'GitHub Actions sets it. Nothing was sent.',
  });
}
