import { useEffect, useState } from 'react';
import type { OfferedGroup, OfferedServerInfo } from '../../../preload/contract.ts';
import { unwrap } from '../../shared/answered.ts';

interface Search {
  /** Empty for everything. */
  text: string;
  /** Which groups are looked through, all by default; the same array as long as they are the same. */
  groups?: readonly OfferedGroup[];
  /** Goes on beyond the usual limit of requests. */
  isWhole: boolean;
}

/** What a workspace offers, as far as it is known. */
export interface Offered {
  servers: readonly OfferedServerInfo[];
  isRunning: boolean;
  leftOut: readonly string[];
  /** More could be had, for more requests. */
  isPartial: boolean;
  error: Error | null;
}

const NOTHING: Offered = { servers: [], isRunning: false, leftOut: [], isPartial: false, error: null };
/** How long what comes in is gathered before it is shown, in milliseconds. */
const GATHER_MS = 60;

/** Looks for what a workspace offers, and for nothing without a search. Another search, or leaving, cancels it. */
export function useOfferedServers(profile: string, search: Search | null): Offered & { again(): void } {
  const [offered, setOffered] = useState(NOTHING);
  const [attempt, setAttempt] = useState(0);
  const { text = '', isWhole = false, groups } = search ?? {};
  const isWanted = search !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt begins anew
  useEffect(() => {
    setOffered({ ...NOTHING, isRunning: isWanted });
    if (!isWanted) return;
    const job = crypto.randomUUID();
    let found: OfferedServerInfo[] = [];
    let gathering: ReturnType<typeof setTimeout> | undefined;
    let isLeft = false;
    const show = (more: Partial<Offered> = {}) => {
      clearTimeout(gathering);
      gathering = undefined;
      const servers = found;
      if (!isLeft) setOffered((before) => ({ ...before, servers, ...more }));
    };
    const unsubscribe = window.causeway.on.serversFound((event) => {
      if (event.job !== job) return;
      found = [...found, ...event.servers];
      gathering ??= setTimeout(() => show(), GATHER_MS);
    });
    unwrap(
      window.causeway.request.findServers({ job, profile, search: text, isWhole, groups: groups && [...groups] }),
    ).then(
      (end) => show({ ...end, isRunning: false }),
      (error: Error) => show({ error, isRunning: false }),
    );
    return () => {
      isLeft = true;
      clearTimeout(gathering);
      unsubscribe();
      void window.causeway.request.cancelJob({ job });
    };
  }, [profile, text, isWhole, groups, isWanted, attempt]);
  return { ...offered, again: () => setAttempt((before) => before + 1) };
}
