import { useEffect, useState } from 'react';
import type { Activity } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';

const NOTHING: Activity = {
  sessions: [],
  moreSessions: 0,
  kept: 0,
  newest: 0,
  revision: 0,
  recorded: 0,
  clients: [],
  paths: [],
  tools: [],
  days: [],
  keptDays: 0,
  problem: null,
};

/** What happens between AI clients and servers; null until it is read. Main sends its events only while something shows it. */
export function useActivity(): Activity | null {
  const [activity, setActivity] = useState<Activity | null>(null);
  useEffect(() => {
    const { request, on } = window.causeway;
    const stop = on.activityChanged(setActivity);
    // The answer may arrive after a newer event.
    const show = (answer: Activity) => setActivity((now) => now ?? answer);
    unwrap(request.watchActivity({ on: true })).then(show, () => show(NOTHING));
    return () => {
      stop();
      void request.watchActivity({ on: false });
    };
  }, []);
  return activity;
}
