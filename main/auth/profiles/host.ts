import { CausewayError } from '../../platform/errors.ts';

/** The parts of a workspace's address as users write it. */
export interface WorkspaceAddress {
  /** The origin: scheme, host name and port, never a path. */
  host: string;
  /** Taken from `?o=`, `?w=` or `?workspace_id=`, which the browser's address bar shows on unified hosts. */
  workspaceId: string | undefined;
  accountId: string | undefined;
}

const ACCOUNT_PREFIXES = ['accounts.', 'accounts-dod.'];
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a host name means this computer. Only there may a token be sent over plain http. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.has(hostname) || hostname.endsWith('.localhost') || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Whether an origin is an account console, which manages workspaces but is not one. */
export function isAccountHost(host: string): boolean {
  const { hostname } = new URL(host);
  return ACCOUNT_PREFIXES.some((prefix) => hostname.startsWith(prefix));
}

/**
 * Turns what a user typed or a file holds into an origin, as the Databricks command line does: `https://` where no
 * scheme is given, path and trailing slash dropped, workspace and account ids lifted from the query.
 * @throws {CausewayError} `usage` for an invalid web address, and for plain http beyond this computer
 */
export function parseHost(text: string): WorkspaceAddress {
  const trimmed = text.trim();
  const url = toUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`);
  if (url && url.username !== '') {
    throw new CausewayError('usage', `The address "${withoutUserInfo(trimmed)}" has a user name.`, {
      remedy: 'Remove everything before the @ sign. Causeway signs in on its own.',
    });
  }
  if (trimmed === '' || !url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new CausewayError('usage', `"${withoutUserInfo(trimmed)}" is not a workspace address.`, {
      remedy:
        'Use an address like https://adb-1234567890123456.7.azuredatabricks.net or https://my-company.cloud.databricks.com.',
    });
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new CausewayError('usage', `"${url.origin}" would send tokens unencrypted.`, {
      remedy: `Use https://${url.host} instead.`,
    });
  }
  const query = (...names: string[]) => names.map((name) => url.searchParams.get(name)).find(Boolean) ?? undefined;
  return {
    host: url.origin,
    workspaceId: query('o', 'w', 'workspace_id'),
    accountId: query('a', 'account_id'),
  };
}

function toUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function withoutUserInfo(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/]*@/i, '$1');
}
