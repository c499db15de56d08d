import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { DesktopState } from '../../preload/contract.ts';
import { INITIAL_STATE } from '../../preload/initial-state.ts';
import { answered } from './answered.ts';

const KEY = ['state'];

/** What main knows, kept current by its events. */
export function useDesktopState(): DesktopState {
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: () => answered(window.causeway.request.getState()),
    staleTime: Number.POSITIVE_INFINITY,
  });
  useEffect(() => window.causeway.on.stateChanged((state) => queries.setQueryData(KEY, state)), [queries]);
  return data ?? INITIAL_STATE;
}
