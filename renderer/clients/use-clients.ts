import { keepPreviousData, type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ClientsReport, ConfiguredServer } from '../../preload/contract.ts';
import { useAnswer } from '../shared/answered.ts';

/** The AI clients of this computer with their entries in these servers' names, kept current while they are shown. */
export function useClients(
  servers: readonly Pick<ConfiguredServer, 'name'>[],
  { staleTime = 0, enabled = true } = {},
): UseQueryResult<ClientsReport> {
  const queries = useQueryClient();
  useEffect(
    () => window.causeway.on.clientsChanged(() => void queries.invalidateQueries({ queryKey: ['clients'] })),
    [queries],
  );
  // A server that is added or removed changes the columns.
  const key = ['clients', servers.map(({ name }) => name)];
  return useAnswer(key, () => window.causeway.request.listClients(), {
    placeholderData: keepPreviousData,
    staleTime,
    enabled,
  });
}
