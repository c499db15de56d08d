import { CausewayError } from '../../platform/errors.ts';
import { isAccountHost, isLoopback, parseHost, type WorkspaceAddress } from './host.ts';

/** The domains under which Databricks serves workspaces, in all clouds and regions. */
export const WORKSPACE_DOMAINS = [
  'databricks.com',
  'databricks.us',
  'databricks.mil',
  'azuredatabricks.net',
  'databricks.azure.us',
  'databricks.azure.cn',
];

const EXAMPLE = 'Copy it from your browser, such as https://acme.cloud.databricks.com.';

/**
 * A workspace's URL as a user pastes it, with or without `https://`, a path and a query.
 * @throws {CausewayError} `usage` for what cannot be the URL of a workspace, in words for the field that it was typed into
 */
export function parseWorkspaceUrl(text: string): WorkspaceAddress {
  const typed = text.trim();
  const address = parsed(typed);
  const { hostname } = new URL(address.host);
  if (isLoopback(hostname)) return address;
  if (!hostname.includes('.')) throw refused(`“${typed}” is not a workspace URL.`, EXAMPLE);
  if (isAccountHost(address.host)) {
    throw refused('This is the account console.', 'Open a workspace from there, and copy its URL.');
  }
  if (!WORKSPACE_DOMAINS.some((domain) => hostname.endsWith(`.${domain}`))) {
    throw refused(`${hostname} is not a Databricks host.`, EXAMPLE);
  }
  return address;
}

function parsed(typed: string): WorkspaceAddress {
  try {
    return parseHost(typed);
  } catch (cause) {
    if (/^http:/i.test(typed)) throw refused('A workspace URL begins with https://, not http://.', EXAMPLE, cause);
    throw refused('This is not a workspace URL.', EXAMPLE, cause);
  }
}

function refused(message: string, remedy: string, cause?: unknown): CausewayError {
  return new CausewayError('usage', message, { remedy, cause });
}
