import { useQuery } from '@tanstack/react-query';
import type { AiClient, ServerUsageInfo } from '../../preload/contract.ts';
import { hasEntry } from '../clients/format.ts';
import { unwrap } from '../shared/answered.ts';
import { useSubscription } from '../shared/use-desktop-state.ts';

const USAGE = ['server-usage'];

/** How often each server was called, kept current. */
export function useUsage(): ReadonlyMap<string, ServerUsageInfo> {
  const { data = [] } = useQuery({
    queryKey: USAGE,
    queryFn: () => unwrap(window.causeway.request.serverUsage()),
    staleTime: 0,
  });
  useSubscription(USAGE, window.causeway.on.serverUsageChanged);
  return new Map(data.map((usage) => [usage.name, usage]));
}

/** The clients that have a server: by its own entry, or by one for all servers. */
export function clientsWith(server: string, clients: readonly AiClient[]): AiClient[] {
  return clients.filter(({ files }) =>
    files.some((file) => hasEntry(file, server) || file.servedByAll.includes(server)),
  );
}
