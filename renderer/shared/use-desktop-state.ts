import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { DesktopState } from '../../preload/contract.ts';
import { INITIAL_STATE } from '../../preload/initial-state.ts';
import { unwrap } from './answered.ts';

const KEY = ['state'];

/** What main knows, kept current by its events. */
export function useDesktopState(): DesktopState {
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: () => unwrap(window.causeway.request.getState()),
    staleTime: Number.POSITIVE_INFINITY,
  });
  useSubscription(KEY, window.causeway.on.stateChanged);
  return data ?? INITIAL_STATE;
}

/** Keeps what was asked for current with what main tells of it since. An answer that this overtakes is older: it is dropped. */
export function useSubscription<Value>(
  queryKey: QueryKey,
  subscribe: (hear: (told: Value) => void) => () => void,
): void {
  const queries = useQueryClient();
  useEffect(
    () =>
      subscribe((told) => {
        void queries.cancelQueries({ queryKey });
        queries.setQueryData(queryKey, told);
      }),
    [queries, queryKey, subscribe],
  );
}
