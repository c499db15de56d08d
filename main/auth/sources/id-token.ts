import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { CausewayError } from '../../platform/errors.ts';
import { codeOf } from '../../platform/file-errors.ts';
import { foreignText } from '../../platform/foreign-text.ts';
import { Secret } from '../../platform/secret.ts';
import type { Profile } from '../auth.ts';
import type { HostFetch } from '../host-fetch.ts';
import { isLoopback } from '../profiles/host.ts';
import type { FederationSettings } from '../profiles/profile-settings.ts';

export interface IdTokenContext {
  profile: Profile;
  federation: FederationSettings;
  env: NodeJS.ProcessEnv;
  /** Reaches an origin. */
  to: (origin: string) => HostFetch;
}

/** How a machine shows who it is: by a token that its platform has signed (OpenID Connect). */
export type FederatedMethod = 'github-oidc' | 'env-oidc' | 'file-oidc';

/**
 * Gets a new ID token for the audience. Variables and files hold one for an audience of their own.
 * @throws {CausewayError} `signed_out` where there is none, `sign_in_failed`, and what the fetch throws
 */
export function requestIdToken(method: FederatedMethod, context: IdTokenContext, audience: string): Promise<Secret> {
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
      `The environment variable ${tokenVariable}, from which profile "${profile.name}" takes its ID token, is ${what}.`,
      {
        remedy: `Set it where Causeway is started. AI clients pass on few variables: name it in the entry's own env, or use a file (auth_type = file-oidc).`,
      },
    );
  },

  async 'file-oidc'({ profile, federation: { tokenFile = '' } }) {
    const whose = `from which profile "${profile.name}" takes its ID token`;
    const text = await readToken(tokenFile).catch((cause: unknown) => {
      if (cause instanceof CausewayError) throw cause;
      const code = codeOf(cause);
      const isAbsent = code === 'ENOENT' || code === 'ENOTDIR';
      throw new CausewayError(
        'signed_out',
        isAbsent
          ? `There is no file ${tokenFile}, ${whose}.`
          : `The file ${tokenFile}, ${whose}, cannot be read (${code ?? 'unknown error'}).`,
        {
          cause,
          remedy:
            'Check oidc_token_filepath of the profile, or DATABRICKS_OIDC_TOKEN_FILEPATH: the platform that runs this writes the file.',
        },
      );
    });
    const token = text.trim();
    if (token) return new Secret(token);
    throw new CausewayError('signed_out', `The file ${tokenFile}, ${whose}, is empty.`, {
      remedy: 'The platform that runs this has not written the token yet, or oidc_token_filepath names another file.',
    });
  },
};

/** No token comes near this size, in bytes. */
const FILE_LIMIT_BYTES = 64 * 1024;

/** A file that never ends, or that waits for somebody to write to it, must not hold up who asks for a token. */
async function readToken(path: string): Promise<string> {
  const found = await stat(path);
  if (found.isDirectory() || (found.isFile() && found.size <= FILE_LIMIT_BYTES)) return readFile(path, 'utf8');
  throw new CausewayError('signed_out', `${path} is no file that holds an ID token.`, {
    remedy: 'Check oidc_token_filepath of the profile, or DATABRICKS_OIDC_TOKEN_FILEPATH.',
  });
}

const GitHubAnswer = z.object({ value: z.string().min(1) });

/** GitHub Actions › OpenID Connect: the job asks for a token with the address and the bearer that it was given. */
async function requestFromGitHub({ profile, env, to }: IdTokenContext, audience: string): Promise<Secret> {
  const variables = ['ACTIONS_ID_TOKEN_REQUEST_URL', 'ACTIONS_ID_TOKEN_REQUEST_TOKEN'];
  const missing = variables.filter((name) => !env[name]);
  const { ACTIONS_ID_TOKEN_REQUEST_URL: address = '', ACTIONS_ID_TOKEN_REQUEST_TOKEN: bearer = '' } = env;
  if (missing.length > 0) {
    throw new CausewayError(
      'signed_out',
      `Profile "${profile.name}" signs in as a job of GitHub Actions, but ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set.`,
      {
        remedy:
          'In the workflow, give the job `permissions: id-token: write`. Elsewhere than in GitHub Actions, use another profile.',
      },
    );
  }
  const url = URL.parse?.(address) ?? (URL.canParse(address) ? new URL(address) : undefined);
  if (!url || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname)))) {
    throw new CausewayError('sign_in_failed', 'ACTIONS_ID_TOKEN_REQUEST_URL holds no https address.', {
      remedy: 'GitHub Actions sets it; nothing was sent to it.',
    });
  }
  url.searchParams.set('audience', audience);
  const response = await to(url.origin)(url.href, {
    headers: { accept: 'application/json', authorization: `Bearer ${bearer}` },
  });
  const text = await response.text();
  const answer = response.ok ? GitHubAnswer.safeParse(asJson(text)).data : undefined;
  if (answer) return new Secret(answer.value);
  const said = response.ok ? 'its answer holds no token' : `HTTP ${response.status}: ${text}`;
  throw new CausewayError(
    response.status >= 500 ? 'unavailable' : 'sign_in_failed',
    `GitHub Actions gave no ID token (${foreignText(said, { sent: [bearer], maxLength: 200 })}).`,
    {
      remedy:
        response.status >= 500
          ? 'Try again in a minute.'
          : 'The address and its token end with the job: run this within the job, with `permissions: id-token: write`.',
    },
  );
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
