import { useEffect, useState } from 'react';
import type { AiClient, DesktopState, Diagnosis, EntryState, ScreenName } from '../../preload/contract.ts';
import { needsAttention } from '../../preload/format.ts';
import { useClients } from '../clients/use-clients.ts';
import { useDiagnosis } from '../diagnostics/use-diagnosis.ts';
import { strings } from './strings.ts';

/** What is beside a screen's name in the side bar. */
export interface Badge {
  /** Empty if the warning alone says enough. */
  count: string;
  warns: boolean;
  /** The badge in words. */
  description: string;
}

type Badges = Partial<Record<ScreenName, Badge>>;

/** The badges of the screens. Screens with nothing to tell have none. */
export function useBadges(state: DesktopState): Badges {
  const clients = useBrokenClients(state);
  const { data: diagnosis } = useDiagnosis();
  const problems = diagnosis ? problemsIn(diagnosis) : 0;
  const badges: [ScreenName, Badge | undefined][] = [
    ['servers', serversBadge(state)],
    ['clients', warning(clients, strings.badges.attention)],
    ['activity', activityBadge(state)],
    ['diagnostics', warning(problems, strings.badges.problems)],
  ];
  return Object.fromEntries(badges.filter(([, badge]) => badge !== undefined));
}

export function serversBadge({ servers }: Pick<DesktopState, 'servers'>): Badge | undefined {
  if (servers.length === 0) return undefined;
  const failing = servers.filter(({ state }) => needsAttention(state)).length;
  const texts = [strings.badges.servers(servers.length), failing > 0 && strings.badges.attention(failing)];
  return { count: String(servers.length), warns: failing > 0, description: texts.filter(Boolean).join(', ') };
}

function activityBadge({ proxies, approvals }: DesktopState): Badge | undefined {
  if (approvals.length > 0) return warning(approvals.length, strings.badges.approvals);
  if (proxies.length === 0) return undefined;
  return { count: String(proxies.length), warns: false, description: strings.badges.sessions(proxies.length) };
}

function warning(count: number, inWords: (count: number) => string): Badge | undefined {
  return count === 0 ? undefined : { count: String(count), warns: true, description: inWords(count) };
}

/** Entries that keep a client from reaching a server that it was given. */
const BROKEN = new Set<EntryState>(['broken', 'not-on-path', 'vanished']);

/** Whether a client cannot be read, or has an entry that does not work. */
export function isBroken({ problem, files }: AiClient): boolean {
  const own = files.filter(({ project }) => project === null);
  return problem !== null || own.some(({ entries }) => Object.values(entries).some((state) => BROKEN.has(state)));
}

/** How many AI clients need attention; read after the window has shown its answer, which does not wait for this. */
function useBrokenClients(state: DesktopState): number {
  const hasServers = state.servers.length > 0;
  const isIdle = useIdle(state.warehouse.status !== 'loading');
  const { data } = useClients(state.servers, { staleTime: Number.POSITIVE_INFINITY, enabled: isIdle && hasServers });
  return hasServers && data ? data.clients.filter(isBroken).length : 0;
}

/** How many problems a diagnosis found; none while it runs, and before one was run. */
export function problemsIn({ running, checks }: Diagnosis): number {
  return running ? 0 : checks.filter(({ status }) => status === 'fail' || status === 'warning').length;
}

/** Whether the browser has had nothing to do since `ready`. */
function useIdle(ready: boolean): boolean {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    if (!ready) return undefined;
    const waiting = requestIdleCallback(() => setIdle(true), { timeout: 2_000 });
    return () => cancelIdleCallback(waiting);
  }, [ready]);
  return isIdle;
}
