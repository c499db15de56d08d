import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { DesktopState } from '../../preload/contract.ts';
import { INITIAL_STATE } from '../../preload/initial-state.ts';
import { useAnswer } from './answered.ts';

const KEY = ['state'];

/** The state of the application, kept current by its events. */
export function useDesktopState(): DesktopState {
  const { data } = useAnswer(KEY, () => window.causeway.request.getState(), { staleTime: Number.POSITIVE_INFINITY });
  useSubscription(KEY, window.causeway.on.stateChanged);
  return data ?? INITIAL_STATE;
}

/** Keeps the data of a query current with the events of a subscription. An answer that arrives after an event is stale: it is dropped. */
export function useSubscription<Value>(
  queryKey: QueryKey,
  subscribe: (listener: (value: Value) => void) => () => void,
): void {
  const queries = useQueryClient();
  useEffect(
    () =>
      subscribe((value) => {
        void queries.cancelQueries({ queryKey });
        queries.setQueryData(queryKey, value);
      }),
    [queries, queryKey, subscribe],
  );
}

/**
 * Reads what is shown under a key, or a beginning of keys, again after each event. What is being read at that moment is read anew:
 * its answer may be from before.
 */
export function useReadAgain(queryKey: QueryKey, subscribe: (listener: () => void) => () => void): void {
  const queries = useQueryClient();
  useEffect(
    () =>
      subscribe(() => {
        // Invalidating alone does not ask again for a first answer that is on its way. Several listeners ask once.
        void queries
          .cancelQueries({ queryKey })
          .then(() => queries.invalidateQueries({ queryKey }, { cancelRefetch: false }));
      }),
    [queries, queryKey, subscribe],
  );
}
