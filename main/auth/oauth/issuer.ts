import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import { CausewayError } from '../../platform/errors.ts';
import { foreignText } from '../../platform/foreign-text.ts';
import { jsonIn } from '../../platform/json.ts';
import type { HostFetch } from '../host-fetch.ts';
import { isLoopback } from '../profiles/host.ts';

/** A workspace's sign-in service and the way to reach it. */
export interface Issuer {
  host: string;
  metadata: oauth.AuthorizationServer;
  fetch: HostFetch;
}

export interface IssuerLocation {
  host: string;
  /** Unified hosts keep one sign-in service for each account. */
  accountId: string | undefined;
}

/** The detail of an answer that a captive portal may have given. */
const PAGE = 'a web page answers';
const ENDPOINTS = [
  'authorization_endpoint',
  'token_endpoint',
  'revocation_endpoint',
  'device_authorization_endpoint',
] as const;

/**
 * Finds a workspace's sign-in service (RFC 8414, at the place where Databricks keeps it: below `/oidc`, and below
 * `/oidc/accounts/ID` on unified hosts). All of it must be on the workspace's own origin.
 * @throws {CausewayError} `wrong_workspace` if there is none, `unavailable`, and what the fetch throws
 */
export async function discoverIssuer(
  fetch: HostFetch,
  { host, accountId }: IssuerLocation,
  signal?: AbortSignal,
): Promise<Issuer> {
  const ofWorkspace = `${host}/oidc`;
  const ofAccount = accountId && `${host}/oidc/accounts/${encodeURIComponent(accountId)}`;
  const places = !ofAccount
    ? [ofWorkspace]
    : (await isUnifiedHost(fetch, host, signal))
      ? [ofAccount, ofWorkspace]
      : [ofWorkspace, ofAccount];
  let status = 0;
  for (const place of places) {
    const response = await fetch(`${place}/.well-known/oauth-authorization-server`, {
      headers: { accept: 'application/json' },
      signal,
    });
    if (response.ok) return { host, fetch, metadata: await readMetadata(host, place, response) };
    status = response.status;
  }
  if (status === 429 || status >= 500) {
    throw new CausewayError('unavailable', `The sign-in service of ${host} is not available (HTTP ${status}).`, {
      remedy: 'Try again in a minute.',
    });
  }
  throw noWorkspace(host, `HTTP ${status}`);
}

/** Whether the host reports that it serves several workspaces; a host that says nothing does not. */
async function isUnifiedHost(fetch: HostFetch, host: string, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    const response = await fetch(`${host}/.well-known/databricks-config`, { signal });
    const body: unknown = await response.json();
    const isObject = typeof body === 'object' && body !== null;
    return isObject && 'host_type' in body && /^unified/i.test(String(body.host_type));
  } catch {
    return false;
  }
}

/** A member that may be missing, or be null, which some servers put for what they do not have. */
const optional = <T extends z.ZodType>(schema: T) =>
  schema
    .nullish()
    .catch(undefined)
    .transform((value) => value ?? undefined);

/** What is read of the metadata (RFC 8414 §2). */
const Metadata = z.looseObject({
  issuer: optional(z.string()),
  authorization_endpoint: optional(z.string()),
  token_endpoint: optional(z.string()),
  revocation_endpoint: optional(z.string()),
  device_authorization_endpoint: optional(z.string()),
  code_challenge_methods_supported: optional(z.array(z.string())),
  authorization_response_iss_parameter_supported: optional(z.boolean()),
});

async function readMetadata(host: string, place: string, response: Response): Promise<oauth.AuthorizationServer> {
  const text = await response.text();
  const found = Metadata.safeParse(jsonIn(text));
  if (!found.success) throw noWorkspace(host, /^\s*</.test(text) ? PAGE : 'its response is not JSON');
  const { issuer, ...members } = found.data;
  // The issuer's path differs between kinds of hosts; what must not differ is the origin.
  if (issuer === undefined) throw noWorkspace(host, 'its response names no sign-in service');
  for (const url of [issuer, ...ENDPOINTS.map((name) => members[name])]) {
    if (url !== undefined && (!URL.canParse(url) || new URL(url).origin !== host)) {
      throw new CausewayError(
        'wrong_workspace',
        `${host} names a sign-in service on another host (${foreignText(url, { maxLength: 200 })}).`,
        {
          remedy: 'Nothing was sent there. Use the address that your workspace shows in the browser.',
        },
      );
    }
  }
  const known = Object.entries({ ...members, token_endpoint: members.token_endpoint ?? `${place}/v1/token` });
  return { issuer, ...Object.fromEntries(known.filter(([, value]) => value !== undefined)) };
}

function noWorkspace(host: string, detail: string): CausewayError {
  return new CausewayError('wrong_workspace', `${host} does not respond like a Databricks workspace (${detail}).`, {
    remedy:
      detail === PAGE
        ? 'Open the address in your browser. If a network or a company proxy asks for a sign-in there, sign in to it and try again; otherwise copy the address while the workspace is open.'
        : 'Copy the address from your browser while the workspace is open.',
  });
}

/** What every call of the OAuth library is given: our own fetch, and plain http on this computer only. */
export function oauthOptions({ host, fetch }: Pick<Issuer, 'host' | 'fetch'>, signal?: AbortSignal) {
  const { protocol, hostname } = new URL(host);
  return {
    [oauth.customFetch]: (
      url: string,
      { method, headers, body }: { method: string; headers: Record<string, string>; body?: unknown },
    ) =>
      fetch(url, {
        method,
        headers,
        signal,
        body: body === undefined || body === null ? undefined : String(body),
      }),
    [oauth.allowInsecureRequests]: protocol === 'http:' && isLoopback(hostname),
  };
}
