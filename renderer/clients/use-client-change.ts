import { type UseMutationResult, type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import type { ClientChange, ClientOutcome, Problem } from '../../preload/contract.ts';
import { useAction, useAnswer } from '../shared/answered.ts';

type ChangedFile = ClientOutcome & { file: string; diff: string };
type FailedFile = ClientOutcome & { problem: Problem };

/** What a change would do to each file. Nothing is read for no servers, or while it is not shown. */
export function useClientPreview(change: ClientChange, isShown = true): UseQueryResult<ClientOutcome[]> {
  return useAnswer(['client-change', change], () => window.causeway.request.previewClientChange(change), {
    enabled: isShown && change.servers.length > 0,
    gcTime: 0,
    staleTime: 0,
  });
}

/** Makes changes of clients' files, after which what is shown of them is read again. */
export function useChangeClients(
  onDone: (outcomes: ClientOutcome[], change: ClientChange) => void,
): UseMutationResult<ClientOutcome[], Error, ClientChange> {
  const queries = useQueryClient();
  return useAction(
    (change: ClientChange) => window.causeway.request.changeClients(change),
    (outcomes, change) => {
      onDone(outcomes, change);
      void queries.invalidateQueries({ queryKey: ['clients'] });
      void queries.invalidateQueries({ queryKey: ['client-backups'] });
    },
  );
}

/** The files that were changed, or would be. */
export function changesIn(outcomes: readonly ClientOutcome[] = []): ChangedFile[] {
  return outcomes.filter((one): one is ChangedFile => one.file !== null && one.diff !== null);
}

/** The files that could not be changed. */
export function failuresIn(outcomes: readonly ClientOutcome[] = []): FailedFile[] {
  return outcomes.filter((one): one is FailedFile => one.problem !== null);
}

/** Whether clients that run now are in the way of a change. */
export function isHeldUp(failures: readonly FailedFile[]): boolean {
  return failures.some(({ problem }) => problem.code === 'client_running');
}
