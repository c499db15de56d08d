import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

/** Keeps what was asked for current with what main tells of it since. An answer that this overtakes is older: it is dropped. */
export function useTold<Value>(queryKey: QueryKey, subscribe: (hear: (told: Value) => void) => () => void): void {
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
