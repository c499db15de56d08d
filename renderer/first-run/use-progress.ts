import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { DesktopState, FirstRunState } from '../../preload/contract.ts';

/** How long typing is gathered before it is stored, in milliseconds. */
const GATHER_MS = 300;

/** How far the first run has come, and how it continues. */
export interface Progress {
  now: FirstRunState;
  change(more: Partial<FirstRunState>): void;
  /** The same for what is typed. */
  type(more: Pick<Partial<FirstRunState>, 'url' | 'name'>): void;
  /** Goes on to the sign-in of a profile. */
  connect(profile: string, more?: Partial<FirstRunState>): void;
  /** Leads to the ordinary window. */
  end(): void;
}

/** What each step is given. */
export interface StepProps {
  state: DesktopState;
  progress: Progress;
}

/** The progress, which main stores: only this window changes it while it is shown. */
export function useProgress(stored: FirstRunState): Progress {
  const [now, setNow] = useState(stored);
  const latest = useRef(stored);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const store = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = undefined;
    void window.causeway.request.setFirstRun(latest.current);
  }, []);
  const change = useCallback(
    (more: Partial<FirstRunState>) => {
      latest.current = { ...latest.current, ...more };
      setNow(latest.current);
      store();
    },
    [store],
  );
  const type = useCallback(
    (more: Pick<Partial<FirstRunState>, 'url' | 'name'>) => {
      latest.current = { ...latest.current, ...more };
      setNow(latest.current);
      clearTimeout(timer.current);
      timer.current = setTimeout(store, GATHER_MS);
    },
    [store],
  );
  const connect = useCallback(
    (profile: string, more: Partial<FirstRunState> = {}) => {
      change({ ...more, step: 'sign-in', profile });
      void window.causeway.request.connectWorkspace({ profile });
    },
    [change],
  );
  const end = useCallback(() => {
    clearTimeout(timer.current);
    void window.causeway.request.setFirstRun(null);
  }, []);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useMemo(() => ({ now, change, type, connect, end }), [now, change, type, connect, end]);
}
