import {
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { RulesOfScope, RulesScope, SwitchState } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import { strings } from './strings.ts';

type RulesChange = Omit<Parameters<typeof window.causeway.request.changeRules>[0], keyof RulesScope>;

/** The rules of one scope, and what changes them. */
export interface RulesEditor {
  scope: RulesScope;
  /** Goes over to the rules for one client, or for all clients where that is null. */
  choose(client: string | null): void;
  rules: UseQueryResult<RulesOfScope>;
  changing: UseMutationResult<void, Error, RulesChange>;
  /** The change that is being made, which the controls show already. */
  pending: RulesChange | undefined;
  clearing: UseMutationResult<void, Error, void>;
}

/** @param version changes when the server's tools may be others than before */
export function useRules(server: string | null, version = ''): RulesEditor {
  const [client, choose] = useState<string | null>(null);
  const queries = useQueryClient();
  useEffect(
    () => window.causeway.on.rulesChanged(() => void queries.invalidateQueries({ queryKey: ['rules'] })),
    [queries],
  );
  const scope = { server, client };
  const rules = useQuery({
    queryKey: ['rules', server, client, version],
    queryFn: () => unwrap(window.causeway.request.getRules(scope)),
    placeholderData: (before) => before,
    gcTime: 0,
  });
  const onSuccess = () => queries.invalidateQueries({ queryKey: ['rules'] });
  const changing = useMutation({
    mutationFn: (change: RulesChange) => unwrap(window.causeway.request.changeRules({ ...scope, ...change })),
    onSuccess,
  });
  const clearing = useMutation({ mutationFn: () => unwrap(window.causeway.request.clearRules(scope)), onSuccess });
  const pending = changing.isPending ? changing.variables : undefined;
  return { scope, choose, rules, changing, pending, clearing };
}

/** What can hold for the tools that no rule names: nothing that is looser than the organization's rules. */
export function choicesForNewTools(
  { server, client }: RulesScope,
  { newTools, loosestNewTools }: RulesOfScope,
): { value: string; label: string; disabled?: boolean }[] {
  const wider = client !== null ? strings.asAllClients : server === null ? strings.allow : strings.asAllServers;
  const isFree = loosestNewTools === 'allow';
  const unset = { allow: wider, ask: strings.askByOrganization, refuse: strings.blockedByOrganization }[
    loosestNewTools
  ];
  return [
    ...(newTools === null ? [{ value: '', label: unset }] : []),
    ...(newTools === 'on' || (isFree && (newTools !== null || server !== null))
      ? [{ value: 'on', label: isFree ? strings.allow : strings.notInEffect(strings.allow), disabled: !isFree }]
      : []),
    ...(newTools === 'ask' || loosestNewTools !== 'refuse'
      ? [
          {
            value: 'ask',
            label: loosestNewTools === 'refuse' ? strings.notInEffect(strings.ask) : strings.ask,
            disabled: loosestNewTools === 'refuse',
          },
        ]
      : []),
    { value: 'off', label: strings.block },
  ];
}

export function isSwitchState(value: string): value is SwitchState {
  return value === 'on' || value === 'off' || value === 'ask';
}
