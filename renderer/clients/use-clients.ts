import { keepPreviousData, type UseQueryResult } from '@tanstack/react-query';
import type { ClientsReport, ConfiguredServer } from '../../preload/contract.ts';
import { useAnswer } from '../shared/answered.ts';
import { useReadAgain } from '../shared/use-desktop-state.ts';

const CLIENTS = ['clients'];

/** The AI clients of this computer with their entries in these servers' names, kept current while they are shown. */
export function useClients(
  servers: readonly Pick<ConfiguredServer, 'name'>[],
  { staleTime = 0, enabled = true } = {},
): UseQueryResult<ClientsReport> {
  useReadAgain(CLIENTS, window.causeway.on.clientsChanged);
  // A server that is added or removed changes the columns.
  const key = [...CLIENTS, servers.map(({ name }) => name)];
  return useAnswer(key, () => window.causeway.request.listClients(), {
    placeholderData: keepPreviousData,
    staleTime,
    enabled,
  });
}
