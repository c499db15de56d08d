import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Account, DesktopState, SignInStep } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';

/** The profiles of this computer and who is signed in to them, read again when a sign-in or a profile changes. */
export function useAccounts(state: DesktopState, enabled = true): UseQueryResult<Account[]> {
  return useQuery({
    queryKey: ['accounts', state.profile, state.profiles, state.warehouse.status, state.otherSignIns.length],
    queryFn: () => unwrap(window.causeway.request.listAccounts()),
    placeholderData: keepPreviousData,
    staleTime: 0,
    enabled,
  });
}

/** The sign-in in progress for a profile. */
export function signInOf(name: string, { profile, warehouse, otherSignIns }: DesktopState): SignInStep | undefined {
  if (profile === name && warehouse.status === 'signing-in') return warehouse;
  return otherSignIns.find((each) => each.profile === name);
}
