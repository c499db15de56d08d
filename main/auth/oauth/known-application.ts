import { CausewayError } from '../../platform/errors.ts';
import type { HostFetch } from '../host-fetch.ts';
import { discoverIssuer, type IssuerLocation } from './issuer.ts';

/** How long the workspace may take to say whether it knows an application, in milliseconds. */
const REQUEST_TIMEOUT_MS = 10_000;
/** RFC 7636 §4.1: 43 characters at least. Some services look at its length first. */
const VERIFIER = 'nobody-was-given-this-code-so-it-leads-to-nothing';

/** An OAuth application and where its sign-in may end. */
export interface ApplicationName {
  clientId: string;
  redirectUri: string;
}

/**
 * Whether a workspace's sign-in service knows a public OAuth application: it is asked for the tokens of a code that nobody was
 * given, which it refuses as `invalid_client` where it does not know the application (RFC 6749 §5.2). Nobody signs in.
 * @throws {CausewayError} `unavailable` where its answer leaves that open, and what `discoverIssuer` and the fetch throw
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
    `${where.host} did not say whether it has the application "${clientId}" (HTTP ${status}).`,
    { remedy: 'Try again in a minute, or name an application of your own.' },
  );
}
