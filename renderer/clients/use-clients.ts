import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ConfiguredServer } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';

/** The AI clients of this computer with their entries in these servers' names, kept current while they are shown. */
export function useClients(servers: readonly Pick<ConfiguredServer, 'name'>[]) {
  const queries = useQueryClient();
  useEffect(
    () => window.causeway.on.clientsChanged(() => void queries.invalidateQueries({ queryKey: ['clients'] })),
    [queries],
  );
  return useQuery({
    // A server that is added or removed changes the columns.
    queryKey: ['clients', servers.map(({ name }) => name)],
    queryFn: () => unwrap(window.causeway.request.listClients()),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}
