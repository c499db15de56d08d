import { serverPathKey, splitAddress } from '../../../preload/contract/server-path.ts';
import { keyOfAddress } from '../server-key.ts';

/**
 * The workspaces that an address in a policy means: the one that it names, or, where its host begins with `*.`, all whose host
 * names end with what follows, with one label or more in place of the star. Scheme and port have to be the same.
 */
export interface HostPattern {
  /** In the one spelling in which it is kept and compared; without a star, the origin of the workspace. */
  pattern: string;
}

const ANY_LABELS = '*.';
/** So many labels a domain has at least below which one organization's hosts are: `*.net` would mean almost every host. */
const MIN_LABELS_AFTER_STAR = 2;

/** Reads the address of a workspace, or a pattern for some, as an administrator writes it. A path is left out. */
export function readHostPattern(text: string): HostPattern | { fault: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return { fault: 'must begin with https://, and be a valid address' };
  const { origin: pattern, hostname, protocol } = url;
  if (hostname.endsWith('.')) return { fault: 'must not end with a dot' };
  if (!hostname.includes('*')) return { pattern };
  const rest = hostname.slice(ANY_LABELS.length).split('.');
  if (!hostname.startsWith(ANY_LABELS) || rest.some((label) => label === '' || label.includes('*')))
    return { fault: 'may have "*" only as the whole first label of its host, as in https://*.azuredatabricks.net' };
  if (rest.length < MIN_LABELS_AFTER_STAR)
    return { fault: 'would mean hosts of anybody: after "*." it must name a domain, such as azuredatabricks.net' };
  if (protocol !== 'https:') return { fault: 'has "*" and must therefore begin with https://' };
  return { pattern };
}

/**
 * Whether an address in a policy means this workspace.
 * @param pattern as `readHostPattern` returns it
 * @param origin of the workspace
 */
export function matchesHost(pattern: string, origin: string): boolean {
  const [scheme, domain, more] = pattern.split('*');
  if (domain === undefined) return pattern === origin;
  if (scheme !== 'https://' || more !== undefined || !URL.canParse(origin)) return false;
  const asked = new URL(origin).origin;
  if (!asked.startsWith(scheme) || !asked.endsWith(domain)) return false;
  const labels = asked.slice(scheme.length, -domain.length).split('.');
  return labels.every((label) => label !== '' && !label.includes('*'));
}

/** A server as the permissions of a policy name it. */
export interface NamedServer {
  /** The workspaces; undefined for every workspace. */
  host: string | undefined;
  /** The `serverPathKey` of its path. */
  path: string;
}

/** Reads a server's name in the permissions of a policy: its path, or its address, whose host may be a pattern; undefined for another text. */
export function readNamedServer(name: string): NamedServer | undefined {
  const address = name.startsWith('/') ? { origin: undefined, path: name } : splitAddress(name);
  const path = address && serverPathKey(address.path);
  if (address === undefined || path === undefined) return undefined;
  if (address.origin === undefined) return { host: undefined, path };
  const read = readHostPattern(address.origin);
  return 'pattern' in read ? { host: read.pattern, path } : undefined;
}

/** Whether the permissions of a policy mean a server by this name. @param key a `serverKey` */
export function isNamedServer(name: string, key: string): boolean {
  const ruled = readNamedServer(name);
  const asked = splitAddress(key);
  if (!ruled || !asked || keyOfAddress(key) !== key) return false;
  return (
    serverPathKey(asked.path) === ruled.path && (ruled.host === undefined || matchesHost(ruled.host, asked.origin))
  );
}
