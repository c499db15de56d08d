import type { Dispatcher } from 'undici';
import { readBoundedSync } from './bounded-file.ts';
import { BUDGETS } from './budgets.ts';
import { CausewayError } from './errors.ts';
import { giveUpOnSilence } from './silent-host.ts';
import type { ProxyLookup } from './system-proxies.ts';

/** How long a connection may take to be made, TLS included, in milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;
/** How long an idle connection is kept for the next request, in milliseconds; load balancers close theirs after 60 s or more. */
export const KEEP_ALIVE_MS = 30_000;
/** How much of an unread answer is taken from the network anyway, in bytes; TLS takes no more either. */
const READ_AHEAD_BYTES = 16 * 1024;

export interface HttpOptions {
  env: NodeJS.ProcessEnv;
  /** How long the other side may be silent before or during an answer, in milliseconds; 0 means without limit. */
  silenceMs?: number;
  /** Called with each host that stays silent; a host that never answers is then given up (`giveUpOnSilence`). */
  onSilence?: ((host: string) => void) | undefined;
  /** What the desktop's settings say about proxies. It is asked only if the environment names none. */
  systemProxies?: ProxyLookup | undefined;
  /** How many requests to one origin may be in flight; the others wait. No limit if left out. */
  atOnce?: number;
}

/**
 * Checks what the environment says about proxies and certificates for an origin, without loading what uses them.
 * @throws {CausewayError} `usage` for an invalid address, `invalid_file` for a certificate file that cannot be read
 */
export function checkNetworkSettings(origin: string, env: NodeJS.ProcessEnv): void {
  if (usesProxy(env)) proxyAddresses(env);
  if (!origin.startsWith('https:')) return;
  for (const file of certificateFiles(env)) readPem(file);
}

/**
 * A connection pool for one origin, going through the proxy that the environment or else the desktop names, if any. Loads as
 * little as it can: a process that AI clients spawn pays for this at each start.
 * @throws {CausewayError} `invalid_file` when a certificate file that the environment names cannot be read, `unreachable` where
 * the desktop names only proxies that cannot be used
 */
export async function openPool(origin: string, options: HttpOptions): Promise<Dispatcher> {
  const settings = await poolSettings(options, origin.startsWith('https:'));
  const proxies = await proxiesTo(origin, options);
  if (proxies) {
    const { EnvHttpProxyAgent } = await import('undici');
    return new EnvHttpProxyAgent({ ...settings, ...proxies });
  }
  const { default: Pool } = await import('undici/lib/dispatcher/pool.js');
  return new Pool(origin, settings);
}

/**
 * A dispatcher for the REST and OAuth clients: the same proxies, certificates and time limits as `openPool`. It serves any
 * origin; the desktop is asked for the proxy to this one.
 * @throws {CausewayError} as `openPool`
 */
export async function openDispatcher(origin: string, options: HttpOptions): Promise<Dispatcher> {
  const { EnvHttpProxyAgent } = await import('undici');
  const proxies = (await proxiesTo(origin, options)) ?? proxyAddresses({});
  const agent = new EnvHttpProxyAgent({ ...(await poolSettings(options, true)), ...proxies });
  const { onSilence } = options;
  if (!onSilence) return agent;
  return agent.compose(giveUpOnSilence({ onSilence }));
}

async function poolSettings({ env, silenceMs = 60_000, atOnce }: HttpOptions, secure: boolean) {
  const { countWireBytes } = await import('./wire-budget.ts');
  countWireBytes();
  const ca = secure ? await certificateAuthorities(env) : undefined;
  return {
    connections: atOnce ?? null,
    maxHeaderSize: BUDGETS.headerBytes,
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CONNECT_TIMEOUT_MS, highWaterMark: READ_AHEAD_BYTES, ...(ca ? { ca } : {}) },
    requestTls: { timeout: CONNECT_TIMEOUT_MS, ...(ca ? { ca } : {}) },
  };
}

const PROXY_VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'];

function usesProxy(env: NodeJS.ProcessEnv): boolean {
  return PROXY_VARIABLES.some((name) => env[name]);
}

/** The proxies for this origin from the environment, or else from the desktop's settings. */
async function proxiesTo(origin: string, { env, systemProxies }: HttpOptions) {
  if (usesProxy(env)) return proxyAddresses(env);
  if (!systemProxies) return undefined;
  const { systemProxy } = await import('./system-proxies.ts');
  const address = await systemProxy(origin, systemProxies);
  return address && { httpProxy: address, httpsProxy: address, noProxy: noProxy(env) };
}

function proxyAddresses(env: NodeJS.ProcessEnv) {
  const httpProxy = proxyAddress('HTTP_PROXY', env.http_proxy || env.HTTP_PROXY);
  const httpsProxy = proxyAddress('HTTPS_PROXY', env.https_proxy || env.HTTPS_PROXY) || httpProxy;
  return { httpProxy, httpsProxy, noProxy: noProxy(env) };
}

/** What undici can talk to as a proxy. */
const PROXY_SCHEMES = new Set(['http:', 'https:', 'socks5:', 'socks:']);

/**
 * A proxy's address as users write it, often without a scheme, and with a percent sign in the password that stands for itself.
 * It may contain a password, so no error quotes it.
 */
function proxyAddress(name: string, text = ''): string {
  const whole = text === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const address = whole.replaceAll(/%(?![0-9a-f]{2})/gi, '%25');
  if (address === '' || isProxyAddress(address)) return address;
  throw new CausewayError('usage', `${name} is not a valid address.`, {
    remedy: 'Use the form http://proxy.example:8080, or unset it.',
  });
}

function isProxyAddress(text: string): boolean {
  try {
    const { protocol, username, password } = new URL(text);
    // Both must be UTF-8.
    decodeURIComponent(username + password);
    return PROXY_SCHEMES.has(protocol);
  } catch {
    return false;
  }
}

/** Requests to loopback addresses never use a proxy: the embedded workspace and the sign-in's listener are there. */
function noProxy(env: NodeJS.ProcessEnv): string {
  return [env.no_proxy || env.NO_PROXY, 'localhost', '127.0.0.1', '::1'].filter(Boolean).join(',');
}

/**
 * The certificates that count as trusted: Node's own, the operating system's (where a company puts its inspection proxy's),
 * the PEM files that `NODE_EXTRA_CA_CERTS` and `SSL_CERT_FILE` name, and `more`, in PEM. Undefined if Node's own are all there is.
 */
export async function certificateAuthorities(
  env: NodeJS.ProcessEnv,
  more: readonly string[] = [],
): Promise<string[] | undefined> {
  // Loaded here because it takes as long to load as everything else that a session over plain loopback needs.
  const tls = await import('node:tls');
  const extra = [...certificateFiles(env).map((file) => readPem(file)), ...more];
  // Node 22.15 and newer can read the system's store; Electron 33 (Node 20.18) cannot.
  const read: typeof tls.getCACertificates | undefined = tls.getCACertificates;
  const system = read?.('system') ?? [];
  if (extra.length === 0 && system.length === 0) return undefined;
  return [...new Set([...(read?.('default') ?? tls.rootCertificates), ...system, ...extra])];
}

function certificateFiles(env: NodeJS.ProcessEnv): string[] {
  return [env.NODE_EXTRA_CA_CERTS, env.SSL_CERT_FILE].filter((file): file is string => Boolean(file));
}

function readPem(file: string): string {
  try {
    return readBoundedSync(file, 'given').toString('utf8');
  } catch (cause) {
    throw new CausewayError('invalid_file', `The certificate file ${file} cannot be read.`, {
      cause,
      remedy: 'Correct NODE_EXTRA_CA_CERTS or SSL_CERT_FILE, or unset it.',
    });
  }
}
