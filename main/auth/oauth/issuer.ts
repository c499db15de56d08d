import * as oauth from 'oauth4webapi';
import { CausewayError } from '../../platform/errors.ts';
import { foreignCause, foreignText } from '../../platform/foreign-text.ts';
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

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'revocation_endpoint'] as const;

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

async function readMetadata(host: string, place: string, response: Response): Promise<oauth.AuthorizationServer> {
  const body: unknown = await response
    .clone()
    .json()
    .catch((cause: unknown) => {
      throw noWorkspace(host, 'its response is not JSON', cause);
    });
  // The issuer's path differs between kinds of hosts; what must not differ is the origin.
  const named = typeof body === 'object' && body && 'issuer' in body ? body.issuer : undefined;
  const issuer = typeof named === 'string' && URL.canParse(named) ? new URL(named) : new URL(place);
  let metadata: oauth.AuthorizationServer;
  try {
    metadata = await oauth.processDiscoveryResponse(issuer, response);
  } catch (cause) {
    throw noWorkspace(host, 'its response names no sign-in service', cause);
  }
  for (const url of [metadata.issuer, ...ENDPOINTS.map((name) => metadata[name])]) {
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
  return { ...metadata, token_endpoint: metadata.token_endpoint ?? `${place}/v1/token` };
}

function noWorkspace(host: string, detail: string, cause?: unknown): CausewayError {
  return new CausewayError('wrong_workspace', `${host} does not respond like a Databricks workspace (${detail}).`, {
    cause: foreignCause(cause),
    remedy: 'Copy the address from your browser while the workspace is open.',
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
