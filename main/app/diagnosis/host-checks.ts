import type { Dispatcher } from 'undici';
import { isNoAnswer } from '../../../preload/contract/error-facts.ts';
import { pathOfRow } from '../../../preload/contract/server-kinds.ts';
import type { Profile } from '../../auth/auth.ts';
import { CausewayError } from '../../platform/errors.ts';
import type { ProxyLookup } from '../../platform/system-proxies.ts';
import { REMEDIES } from '../../words/remedies.ts';
import { transportFailure } from '../../workspace/transport-error.ts';
import { type CheckFinding, fail, failedBecause, pass, skipped, warning } from './finding.ts';

/** The result of a request to the host without a token, and the proxy that the desktop's settings name for it. */
export type Probe = ({ answer: HostAnswer } | { error: unknown }) & { systemProxy?: string | undefined };

/** What a request to the host needs of the program that checks. */
export interface HostCheckSource {
  env: NodeJS.ProcessEnv;
  /** Called with each host that stays silent; one that never answers is then given up. */
  onSilence(host: string): void;
  causeway: { systemProxies?: ProxyLookup | undefined };
}

/** Sends the profile's host one request and derives three checks from the answer. Never throws. */
export async function probeHost(
  profile: Profile,
  { env, onSilence, causeway: { systemProxies } }: HostCheckSource,
  signal: AbortSignal,
): Promise<Probe> {
  let found: string | undefined;
  try {
    // Loaded with the first request, not when the application starts.
    const [{ openDispatcher }, { systemProxy }] = await Promise.all([
      import('../../platform/http.ts'),
      import('../../platform/system-proxies.ts'),
    ]);
    if (systemProxies) found = await systemProxy(profile.host, systemProxies);
    const dispatcher = await openDispatcher(profile.host, { env, onSilence, systemProxies });
    try {
      return { answer: await askHost(profile.host, dispatcher, Date.now, signal), systemProxy: found };
    } finally {
      await dispatcher.destroy();
    }
  } catch (error) {
    return { error, systemProxy: found };
  }
}

export function hostFinding({ host, name }: Profile, probe: Probe): CheckFinding {
  if ('error' in probe) {
    return isTls(probe.error) ? pass(`${host} is reachable.`) : failedBecause(probe.error, 'accounts');
  }
  const { status, asksForToken, location } = probe.answer;
  if (asksForToken) return pass(`${host} is reachable and asks for a sign-in.`);
  if (location !== undefined || (status >= 300 && status < 400)) {
    return fail(`A login page blocks the connection to ${host}.`, {
      advice:
        'Open any page in your browser and log in to the network. Hotel, airport and company networks often ask for this.',
    });
  }
  if (status === 403) {
    return fail(`${host} rejects connections from this network (403).`, {
      advice: REMEDIES.ip_blocked,
    });
  }
  if (status === 404) {
    return fail(`${host} is reachable, but is not a Databricks workspace (404).`, {
      action: { do: 'check-address', profile: name },
      screen: 'accounts',
    });
  }
  return warning(`${host} returned status ${status}.`, {
    advice: REMEDIES.unavailable,
  });
}

/** @param env names the proxy and extra certificates */
export function tlsFinding({ host }: Profile, env: NodeJS.ProcessEnv, probe: Probe): CheckFinding {
  const proxy = describeProxy(host, env, probe.systemProxy);
  if ('error' in probe) {
    return isTls(probe.error) ? failedBecause(probe.error) : skipped('Not checked: the host could not be reached.');
  }
  if (host.startsWith('http:')) return pass(`The workspace runs on this computer and needs no encryption. ${proxy}`);
  return pass(`The connection is encrypted and its certificate is trusted. ${proxy}`);
}

/** By how much clocks may differ: tokens are refreshed minutes before they expire, and sign-ins have some leeway. */
const WARNING_MS = 60_000;
const FAILURE_MS = 5 * 60_000;

export function clockFinding(probe: Probe): CheckFinding {
  const ahead = 'answer' in probe ? probe.answer.clockAheadMs : undefined;
  if (ahead === undefined) return skipped('The host did not send its time.');
  const offMs = Math.round(Math.abs(ahead) / 1000) * 1000;
  const words = `This computer’s clock is ${offMs / 1000} s ${ahead > 0 ? 'behind' : 'ahead of'} the workspace.`;
  const remedy = { advice: 'Turn on automatic time in your system settings. A wrong clock makes sign-ins fail.' };
  if (offMs >= FAILURE_MS) return fail(words, remedy);
  if (offMs >= WARNING_MS) return warning(words, remedy);
  return pass('This computer’s clock matches the workspace.');
}

/** A proxy's address may hold a password: only its host is named. */
function describeProxy(host: string, env: NodeJS.ProcessEnv, systemProxy: string | undefined): string {
  const names = host.startsWith('https:')
    ? ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY']
    : ['http_proxy', 'HTTP_PROXY'];
  const name = names.find((each) => env[each]);
  const certificates = env.NODE_EXTRA_CA_CERTS ? ` Extra certificates: ${env.NODE_EXTRA_CA_CERTS}.` : '';
  if (name === undefined) {
    if (systemProxy === undefined) return `No proxy.${certificates}`;
    return `Proxy from the system’s settings: ${new URL(systemProxy).host}.${certificates}`;
  }
  const text = env[name] ?? '';
  const address = /:\/\//.test(text) ? text : `http://${text}`;
  const proxy = URL.canParse(address) ? new URL(address).host : 'an unreadable address';
  return `Proxy from ${name}: ${proxy}.${certificates}`;
}

/** Whether the host does not answer at all. A host whose certificate is not trusted does answer. */
export function isOutOfReach(probe: Probe): boolean {
  return 'error' in probe && probe.error instanceof CausewayError && isNoAnswer(probe.error.code);
}

function isTls(error: unknown): boolean {
  return error instanceof CausewayError && error.code === 'tls';
}

/** A host's answer to a request without a token. */
interface HostAnswer {
  status: number;
  /** It requires a bearer token, like a workspace's endpoint. */
  asksForToken: boolean;
  /** Where it redirects to; undefined if it does not. */
  location: string | undefined;
  /** How far the host's clock is ahead of this computer's, in milliseconds; undefined if it sends no date. */
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
async function askHost(
  host: string,
  dispatcher: Dispatcher,
  now: () => number,
  signal?: AbortSignal,
): Promise<HostAnswer> {
  const sentAt = now();
  try {
    const { statusCode, headers, body } = await dispatcher.request({
      origin: host,
      path: pathOfRow('sql'),
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
