import type { AttachedProxy, ConfiguredServer, DesktopState } from '../../../preload/contract.ts';
import { strings } from './strings.ts';
import { action, shortened, type TrayItem, text } from './tray-item.ts';

/** The most servers, and the most clients, in the menu; the window has them all. */
const MAX_SERVERS = 8;
const MAX_CLIENTS = 8;

/** Each server with its state, number of tools and sessions, and a sign-in for each profile that needs one. */
export function serverItems(state: DesktopState): TrayItem[] {
  const { servers, proxies, warehouse } = state;
  if (servers.length === 0) {
    // Without a workspace and a sign-in, other steps come first.
    return warehouse.status === 'known' ? [action(strings.addServers, { do: 'open', screen: 'servers' })] : [];
  }
  const more = servers.length - MAX_SERVERS;
  const { signInTo } = strings.next;
  return [
    ...servers.slice(0, MAX_SERVERS).map((server) =>
      action(strings.servers.state(shortened(server.title), describeServer(server, proxies)), {
        do: 'open',
        screen: 'servers',
        item: server.name,
      }),
    ),
    ...(more > 0 ? [action(strings.more(more), { do: 'open', screen: 'servers' })] : []),
    ...signIns(state).map((profile) => action(signInTo(profile), { do: 'sign-in-to', profile })),
    ...servers
      .filter((server) => server.state.action === 'sign-in-to-service')
      .map(({ name, service: title = name }) =>
        action(signInTo(title), { do: 'sign-in-to-service', server: name, title }),
      ),
  ];
}

/** Profiles whose servers wait for a sign-in, without the open profile, which has its own item above. */
function signIns({ servers, profile }: DesktopState): string[] {
  const waiting = servers.filter(({ state }) => state.action === 'sign-in').map((server) => server.profile);
  return [...new Set(waiting)].filter((each) => each !== profile);
}

function describeServer({ profile, path, state }: ConfiguredServer, proxies: readonly AttachedProxy[]): string {
  const words = state.label.charAt(0).toLowerCase() + state.label.slice(1);
  // A session that names no profile uses the default one, which may be this.
  const isItsOwn = (proxy: AttachedProxy) =>
    proxy.path === path && (proxy.profile === profile || proxy.profile === null);
  const sessions = proxies.filter(isItsOwn).length;
  return sessions === 0 ? words : strings.servers.sessions(words, sessions);
}

/** The connected clients, each with its sessions. */
export function clientItems({ proxies }: DesktopState): TrayItem {
  if (proxies.length === 0) return text(strings.clients.none);
  const sessions = new Map<string, number>();
  for (const { client } of proxies) {
    const name = client ?? strings.clients.unknown;
    sessions.set(name, (sessions.get(name) ?? 0) + 1);
  }
  const shown = [...sessions].slice(0, MAX_CLIENTS);
  return {
    kind: 'submenu',
    label: strings.clients.count(sessions.size),
    items: [
      ...shown.map(([name, count]) => text(strings.clients.sessions(name, count))),
      ...(sessions.size > shown.length ? [text(strings.more(sessions.size - shown.length))] : []),
      { kind: 'separator' },
      action(strings.clients.activity, { do: 'open', screen: 'activity' }),
    ],
  };
}
