import {
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useState } from 'react';
import type { PermissionScopeInfo, PermissionsInfo, SwitchState } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import { useReadAgain } from '../shared/use-desktop-state.ts';
import { strings } from './strings.ts';

type PermissionsChange = Omit<
  Parameters<typeof window.causeway.request.changePermissions>[0],
  keyof PermissionScopeInfo
>;

/** The permissions of one scope, and what changes them. */
export interface PermissionsEditor {
  scope: PermissionScopeInfo;
  /** Goes over to the permissions for one client, or for all clients where that is null. */
  choose(client: string | null): void;
  permissions: UseQueryResult<PermissionsInfo>;
  changing: UseMutationResult<void, Error, PermissionsChange>;
  /** The change that is being made, which the controls show already. */
  pending: PermissionsChange | undefined;
  clearing: UseMutationResult<void, Error, void>;
}

const PERMISSIONS = ['permissions'];

/** @param version changes when the server's tools may be others than before */
export function usePermissions(server: string | null, version = ''): PermissionsEditor {
  const [client, choose] = useState<string | null>(null);
  const queries = useQueryClient();
  useReadAgain(PERMISSIONS, window.causeway.on.permissionsChanged);
  const scope = { server, client };
  const permissions = useQuery({
    queryKey: [...PERMISSIONS, server, client, version],
    queryFn: () => unwrap(window.causeway.request.getPermissions(scope)),
    placeholderData: (before) => before,
    gcTime: 0,
  });
  const onSuccess = () => queries.invalidateQueries({ queryKey: PERMISSIONS });
  const changing = useMutation({
    mutationFn: (change: PermissionsChange) =>
      unwrap(window.causeway.request.changePermissions({ ...scope, ...change })),
    onSuccess,
  });
  const clearing = useMutation({
    mutationFn: () => unwrap(window.causeway.request.clearPermissions(scope)),
    onSuccess,
  });
  const pending = changing.isPending ? changing.variables : undefined;
  return { scope, choose, permissions, changing, pending, clearing };
}

/** What can hold for the tools that no permission names: nothing that is looser than the organization's permissions. */
export function choicesForNewTools(
  { server, client }: PermissionScopeInfo,
  { newTools, loosestNewTools }: PermissionsInfo,
): { value: string; label: string; disabled?: boolean }[] {
  const wider = client !== null ? strings.asAllClients : server === null ? strings.allow : strings.asAllServers;
  const unset = { allow: wider, ask: strings.askByOrganization, block: strings.blockedByOrganization }[loosestNewTools];
  const choice = (value: SwitchState, label: string, isPossible: boolean) => ({
    value,
    label: isPossible ? label : strings.notInEffect(label),
    disabled: !isPossible,
  });
  const choices = [
    choice('on', strings.allow, loosestNewTools === 'allow'),
    choice('ask', strings.ask, loosestNewTools !== 'block'),
    choice('off', strings.block, true),
  ];
  // At every server, what is not decided is allowed.
  const isAllowUnset = newTools === null && server === null;
  return [
    ...(newTools === null ? [{ value: '', label: unset }] : []),
    ...choices.filter(({ value, disabled }) => value === newTools || !(disabled || (value === 'on' && isAllowUnset))),
  ];
}

export function isSwitchState(value: string): value is SwitchState {
  return value === 'on' || value === 'off' || value === 'ask';
}
