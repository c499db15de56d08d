import { connect } from 'node:net';
import { CausewayError } from './errors.ts';
import { within } from './within.ts';

/**
 * Asks the desktop how an origin is reached, by its settings and PAC scripts. The answer is a list as a PAC script gives it, such
 * as `PROXY a:1; SOCKS5 b:2; DIRECT` (developer.mozilla.org › Proxy Auto-Configuration file).
 */
export type ProxyLookup = (origin: string) => Promise<string>;

/** One entry of such a list. */
export type ProxyWay =
  | { kind: 'direct' }
  | { kind: 'proxy'; address: string }
  /** SOCKS, which is not supported. */
  | { kind: 'unsupported'; name: string };

/** How long the desktop may take, in milliseconds. It may have to fetch a script. */
const LOOKUP_TIMEOUT_MS = 3_000;
/** How long a proxy may take to accept a connection if the list has another entry, in milliseconds. */
const CONNECT_TIMEOUT_MS = 2_000;

const SCHEMES = new Map([
  ['PROXY', 'http:'],
  ['HTTP', 'http:'],
  ['HTTPS', 'https:'],
]);

/** Reads a list of ways, in its order. Invalid entries are skipped, and an empty list means direct, as in browsers. */
export function parseProxyList(list: string): ProxyWay[] {
  const ways = list.split(';').flatMap((entry): ProxyWay[] => {
    const [kind = '', host = ''] = entry.trim().split(/\s+/);
    const name = kind.toUpperCase();
    if (name === 'DIRECT') return [{ kind: 'direct' }];
    if (host === '') return [];
    if (/^(SOCKS|SOCKS4|SOCKS5|QUIC)$/.test(name)) return [{ kind: 'unsupported', name: `${name} ${host}` }];
    const scheme = SCHEMES.get(name);
    const address = `${scheme}//${host}`;
    return scheme && isAddress(address) ? [{ kind: 'proxy', address: new URL(address).origin }] : [];
  });
  return ways.length === 0 ? [{ kind: 'direct' }] : ways;
}

/**
 * The address of the proxy through which an origin is reached, by the desktop's settings: the first of the list that accepts
 * connections. Undefined for a direct connection, and if the desktop does not answer.
 * @throws {CausewayError} `unreachable` if there is no way but SOCKS
 */
export async function systemProxy(origin: string, lookup: ProxyLookup): Promise<string | undefined> {
  if (isLoopback(new URL(origin).hostname)) return undefined;
  const ways = parseProxyList(await within(LOOKUP_TIMEOUT_MS, lookup(origin), '').catch(() => ''));
  const usable = ways.filter((way) => way.kind !== 'unsupported');
  const [first] = usable;
  if (!first) throw onlySocks(ways);
  for (const way of usable) {
    if (way.kind === 'direct') return undefined;
    if (usable.length === 1 || (await accepts(way.address))) return way.address;
  }
  return first.kind === 'proxy' ? first.address : undefined;
}

function isAddress(text: string): boolean {
  return URL.canParse(text) && new URL(text).username === '' && new URL(text).hostname !== '';
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || /^127\.|^\[::1\]$/.test(hostname);
}

/** Whether something listens at a proxy's address. */
function accepts(address: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(address);
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: Number(port || (protocol === 'https:' ? 443 : 80)),
      timeout: CONNECT_TIMEOUT_MS,
    });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true));
    socket.once('timeout', () => settle(false));
    socket.once('error', () => settle(false));
  });
}

function onlySocks(ways: readonly ProxyWay[]): CausewayError {
  const names = ways.flatMap((way) => (way.kind === 'unsupported' ? [way.name] : []));
  return new CausewayError(
    'unreachable',
    `This computer's settings name a proxy that Causeway cannot use (${names.join(', ')}). It supports HTTP and HTTPS proxies only.`,
    { remedy: 'Set HTTPS_PROXY to an HTTP proxy, or add the host to NO_PROXY.' },
  );
}
