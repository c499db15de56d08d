import type { Dispatcher } from 'undici';
import { transportFailure } from './transport-error.ts';

/** A host's answer to a request without a token. */
export interface HostAnswer {
  status: number;
  /** It wants a bearer token, as a workspace's endpoint does. */
  asksForToken: boolean;
  /** Where it redirects to; undefined where it does not. */
  location: string | undefined;
  /** How far the host's clock is ahead of this computer's, in milliseconds; undefined where it sends no date. */
  clockAheadMs: number | undefined;
}

/** The resolution of the `Date` header: whole seconds. */
const RESOLUTION_MS = 1000;

/**
 * Asks a managed server without a token, which shows that name service, TLS and the workspace work
 * (spec/managed-mcp-endpoints.md › Errors, the first row).
 * @param now milliseconds since 1970
 * @throws {WorkspaceError} `unreachable`, `tls`, `timeout`, `cancelled`
 */
export async function reachHost(
  host: string,
  dispatcher: Dispatcher,
  now: () => number,
  signal?: AbortSignal,
): Promise<HostAnswer> {
  const sentAt = now();
  try {
    const { statusCode, headers, body } = await dispatcher.request({
      origin: host,
      path: '/api/2.0/mcp/sql',
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: '{}',
      ...(signal && { signal }),
    });
    await body.dump();
    const middle = (sentAt + now()) / 2;
    const date = Date.parse(first(headers.date) ?? '');
    return {
      status: statusCode,
      asksForToken: statusCode === 401 && headers['www-authenticate'] !== undefined,
      location: first(headers.location),
      clockAheadMs: Number.isNaN(date) ? undefined : date + RESOLUTION_MS / 2 - middle,
    };
  } catch (error) {
    throw transportFailure(error, { method: 'GET', host }, signal).error;
  }
}

function first(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
