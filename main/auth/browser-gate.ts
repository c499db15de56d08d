import { CausewayError } from '../platform/errors.ts';
import { isLoopback } from './profiles/host.ts';

/**
 * Whether an address may be handed to the system's browser: https, or a workspace on this very computer, and in either case
 * one of the workspaces that the user has configured. Their sign-in pages are on the same hosts.
 * @param hosts origins, such as `https://acme.cloud.databricks.com`
 */
export function isPageOf(address: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, username, password, origin } = new URL(address);
  if (username !== '' || password !== '' || !hosts.includes(origin)) return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/**
 * What opens addresses in the system's browser, limited to pages of these workspaces. Whatever asks for a page passes here: an
 * address may come from a service, and only the user's AI client opens those, once the user has accepted there.
 * @param hosts the origins of the workspaces that the user has configured
 */
export function gatedBrowser(
  open: (address: string) => Promise<void>,
  hosts: () => Promise<readonly string[]>,
): (address: string) => Promise<void> {
  return async (address) => {
    if (isPageOf(address, await hosts())) return open(address);
    throw new CausewayError('usage', 'The page was not opened. It does not belong to one of your workspaces.', {
      remedy: 'Check the host of the profile.',
    });
  };
}
