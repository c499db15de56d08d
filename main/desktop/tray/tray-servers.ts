import type { AttachedProxy, ConfiguredServer, DesktopState } from '../../../preload/contract.ts';
import { action, type TrayItem } from './tray-item.ts';

/** A menu holds no more than so many servers; the window has them all. */
const MOST = 8;

/** The servers with the state, number of tools and sessions of each, and the way to sign in where one needs that. */
export function serverItems(state: DesktopState): TrayItem[] {
  const { servers, proxies, warehouse } = state;
  if (servers.length === 0) {
    // Before there is a workspace, and somebody signed in to it, other steps come first.
    return warehouse.status === 'known' ? [action('Add servers…', { do: 'open', screen: 'servers' })] : [];
  }
  const more = servers.length - MOST;
  return [
    ...servers
      .slice(0, MOST)
      .map((server) =>
        action(`${server.name} — ${howItIs(server, proxies)}`, { do: 'open', screen: 'servers', item: server.name }),
      ),
    ...(more > 0 ? [action(`${more} more…`, { do: 'open', screen: 'servers' })] : []),
    ...signIns(state).map((profile) => action(`Sign in to ${profile}…`, { do: 'sign-in-to', profile })),
  ];
}

/** Other profiles than the open one, which the menu speaks of above, whose servers wait for a sign-in. */
function signIns({ servers, profile }: DesktopState): string[] {
  const waiting = servers.filter(({ state }) => state.action === 'sign-in').map((server) => server.profile);
  return [...new Set(waiting)].filter((each) => each !== profile);
}

function howItIs({ profile, path, state }: ConfiguredServer, proxies: readonly AttachedProxy[]): string {
  const words = state.label.charAt(0).toLowerCase() + state.label.slice(1);
  // A session that names no profile uses the default one, which may be this.
  const isItsOwn = (proxy: AttachedProxy) =>
    proxy.path === path && (proxy.profile === profile || proxy.profile === null);
  const sessions = proxies.filter(isItsOwn).length;
  if (sessions === 0) return words;
  return `${words}, ${sessions === 1 ? '1 session' : `${sessions} sessions`}`;
}
