import { Button, Skeleton } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { AiClient, ClientOutcome, ClientsReport, DesktopState } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import { FirstSteps } from '../shared/first-steps.tsx';
import layout from '../shared/layout.module.css';
import { FailureNotice, Notice } from '../shared/notice.tsx';
import { showScreen } from '../shared/screen.ts';
import { ScreenHead } from '../shared/screen-head.tsx';
import { Backups } from './backups.tsx';
import { ClientRow } from './client-row.tsx';
import { ByHand, ConnectItself } from './connect-itself.tsx';
import { clientEntryStatus, entriesForAll, ownFiles } from './format.ts';
import { type Review, ReviewChange } from './review-change.tsx';

/** The AI clients of this computer and the servers that each of them has. */
export function ClientsScreen({ state }: { state: DesktopState }) {
  const queries = useQueryClient();
  const [review, setReview] = useState<Review | null>(null);
  const [connecting, setConnecting] = useState<AiClient | null>(null);
  const [lookingBack, setLookingBack] = useState(false);
  const [done, setDone] = useDone();
  const report = useQuery({
    // A server that is added or removed changes the columns.
    queryKey: ['clients', state.servers.map(({ name }) => name)],
    queryFn: () => unwrap(window.causeway.request.listClients()),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  useEffect(
    () => window.causeway.on.clientsChanged(() => void queries.invalidateQueries({ queryKey: ['clients'] })),
    [queries],
  );
  const finish = (outcomes: ClientOutcome[]) => {
    const changed = outcomes.map(({ client }) => client);
    setDone([...done.filter(({ client }) => !changed.includes(client)), ...outcomes]);
    void queries.invalidateQueries({ queryKey: ['clients'] });
    void queries.invalidateQueries({ queryKey: ['client-backups'] });
  };
  const { data } = report;
  const everything = data && everythingFor(data);
  return (
    <div className={layout.screen}>
      <ScreenHead title="AI clients">
        {everything && <Button onClick={() => setReview(everything)}>Add to all…</Button>}
        <Button variant="default" onClick={() => setLookingBack(true)}>
          Backups…
        </Button>
      </ScreenHead>
      {report.isPending && <Skeleton height={160} />}
      <FailureNotice error={report.error} onRetry={report.refetch} />
      {data && data.servers.length === 0 && <NoServers clients={data.clients.map(({ name }) => name)} />}
      {data && data.servers.length > 0 && data.clients.length === 0 && (
        <p>No AI client that Causeway knows was found on this computer. Install one and it appears here.</p>
      )}
      {data && isFirstRun(data) && (
        <>
          <FirstSteps step="clients" />
          <p>Last step: switch a server on for a program below. Causeway shows you what it writes before it does.</p>
        </>
      )}
      {data && data.clients.length > 0 && (
        <ul className={layout.list} aria-label="AI clients">
          {data.clients.map((client) => (
            <ClientRow
              key={client.id}
              client={client}
              servers={data.servers}
              outcomes={done.filter((outcome) => outcome.client === client.id)}
              onReview={setReview}
              onConnectItself={() => setConnecting(client)}
              onDone={finish}
              onDismiss={() => setDone(done.filter((outcome) => outcome.client !== client.id))}
            />
          ))}
        </ul>
      )}
      {data && data.servers.length > 0 && (
        <ByHand servers={data.servers.map(({ name }) => name)} others={data.others} open={data.clients.length === 0} />
      )}
      <ConnectItself
        client={connecting}
        servers={data?.servers ?? []}
        onClose={() => setConnecting(null)}
        onReview={(change) => {
          setConnecting(null);
          setReview(change);
        }}
      />
      <ReviewChange review={review} onClose={() => setReview(null)} onDone={finish} />
      <Backups opened={lookingBack} onClose={() => setLookingBack(false)} />
    </div>
  );
}

/** The outcomes of changes that are not dismissed yet. They are kept while another screen is open. */
function useDone(): [ClientOutcome[], (outcomes: ClientOutcome[]) => void] {
  const queries = useQueryClient();
  const queryKey = ['clients-done'];
  const { data } = useQuery<ClientOutcome[]>({
    queryKey,
    queryFn: () => [],
    initialData: [],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  return [data, (outcomes) => queries.setQueryData(queryKey, outcomes)];
}

function NoServers({ clients }: { clients: string[] }) {
  return (
    <Notice
      tone="note"
      message="There are no servers yet that your AI clients could have."
      remedy={
        clients.length === 0
          ? 'Add one first: your SQL warehouse, a Genie space, an index or functions.'
          : `Add one first, then switch it on here for ${clients.join(', ')}.`
      }
    >
      <Button onClick={() => showScreen('servers')}>Add a server</Button>
    </Notice>
  );
}

/** Whether there are servers and clients, and nothing of ours in any of them. */
function isFirstRun({ clients, servers }: ClientsReport): boolean {
  const names = servers.map(({ name }) => name);
  const hasAny = (client: AiClient) => hasOneForAll(client) || names.some((name) => clientEntryStatus(client, name).on);
  const hasNone = !clients.some(hasAny);
  return names.length > 0 && clients.length > 0 && hasNone;
}

function hasOneForAll(client: AiClient): boolean {
  return entriesForAll(ownFiles(client)).length > 0;
}

/** Every server for every client, while one of them lacks one. */
function everythingFor({ clients, servers }: ClientsReport): Review | null {
  const names = servers.map(({ name }) => name);
  const lacking = clients.filter(
    (client) => !hasOneForAll(client) && names.some((name) => !clientEntryStatus(client, name).on),
  );
  if (names.length === 0 || lacking.length === 0) return null;
  return {
    title: 'Add all servers to all clients',
    verb: 'Add',
    change: {
      action: 'add',
      clients: lacking.map(({ id }) => id),
      servers: names,
      replace: false,
      whileRunning: false,
      evenShared: false,
      project: null,
      itself: null,
      pin: null,
      allInOne: false,
    },
    running: lacking.filter(({ isRunning }) => isRunning).map(({ name }) => name),
  };
}
