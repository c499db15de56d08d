import { useQuery } from '@tanstack/react-query';
import type { DesktopState } from '../../preload/contract.ts';
import { INITIAL_STATE } from '../../preload/initial-state.ts';
import { answered } from './answered.ts';
import { useTold } from './told.ts';

const KEY = ['state'];

/** What main knows, kept current by its events. */
export function useDesktopState(): DesktopState {
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: () => answered(window.causeway.request.getState()),
    staleTime: Number.POSITIVE_INFINITY,
  });
  useTold(KEY, window.causeway.on.stateChanged);
  return data ?? INITIAL_STATE;
}
