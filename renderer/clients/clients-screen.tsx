import { Button } from '@mantine/core';
import { IconApps, IconHistory, IconServer } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type CSSProperties, useEffect, useRef, useState } from 'react';
import type { AiClient, ClientOutcome, ClientsReport, DesktopState } from '../../preload/contract.ts';
import { hasProblem } from '../../preload/format.ts';
import { EmptyState } from '../shared/empty-state.tsx';
import layout from '../shared/layout.module.css';
import { Managed } from '../shared/managed.tsx';
import { MoreMenu } from '../shared/more-menu.tsx';
import { FailureNotice } from '../shared/notice.tsx';
import { showScreen, useItem } from '../shared/screen.ts';
import { ScreenHead } from '../shared/screen-head.tsx';
import { SkeletonRows } from '../shared/skeleton-rows.tsx';
import { Backups } from './backups.tsx';
import { ByHand } from './by-hand.tsx';
import { projectsOf } from './client-details.tsx';
import { ClientRow } from './client-row.tsx';
import styles from './clients.module.css';
import { ConnectItself } from './connect-itself.tsx';
import { clientsLacking, hasEntries, hasServer } from './format.ts';
import { type Review, ReviewChange } from './review-change.tsx';
import { strings } from './strings.ts';
import { useClients } from './use-clients.ts';

/** The AI clients of this computer and the servers that each of them has. */
export function ClientsScreen({ state }: { state: DesktopState }) {
  const [review, setReview] = useState<Review | null>(null);
  const [connecting, setConnecting] = useState<AiClient | null>(null);
  const [lookingBack, setLookingBack] = useState(false);
  const [done, setDone] = useDone();
  const report = useClients(state.servers);
  const finish = (outcomes: ClientOutcome[]) => {
    const changed = outcomes.map(({ client }) => client);
    setDone([...done.filter(({ client }) => !changed.includes(client)), ...outcomes]);
  };
  const { data } = report;
  const everything = data && everythingFor(data, state);
  return (
    <div className={layout.screen}>
      <ScreenHead title={strings.title}>
        {everything && <Button onClick={() => setReview(everything)}>{strings.addToAll}</Button>}
        <MoreMenu
          label={strings.more}
          items={[{ label: strings.backupsAction, icon: IconHistory, onClick: () => setLookingBack(true) }]}
        />
      </ScreenHead>
      <Managed managed={state.managed} by={['clients', 'requiredClients']} />
      {report.isPending && <SkeletonRows count={3} />}
      <FailureNotice error={report.error} onRetry={report.refetch} />
      {data && (
        <Found
          report={data}
          titles={new Map(state.servers.map(({ name, title }) => [name, title]))}
          done={done}
          onReview={setReview}
          onConnectItself={setConnecting}
          onDone={finish}
          onDismiss={(id) => setDone(done.filter(({ client }) => client !== id))}
        />
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

interface MatrixProps {
  report: ClientsReport;
  /** What each server is called where there is room for it. */
  titles: ReadonlyMap<string, string>;
  done: ClientOutcome[];
  onReview(review: Review): void;
  onConnectItself(client: AiClient): void;
  onDone(outcomes: ClientOutcome[]): void;
  onDismiss(id: string): void;
}

/** What there is of servers and clients. */
function Found(props: MatrixProps) {
  const { report } = props;
  const { clients, servers, others } = report;
  if (servers.length === 0) return <NoServers clients={clients.map(({ name }) => name)} />;
  return (
    <>
      {clients.length === 0 ? (
        <EmptyState icon={IconApps} title={strings.noClients.title} text={strings.noClients.help} />
      ) : (
        <>
          {hasNoEntry(report) && <p className={layout.quiet}>{strings.firstEntry}</p>}
          <Matrix {...props} />
        </>
      )}
      <ByHand servers={servers.map(({ name }) => name)} others={others} open={clients.length === 0} />
    </>
  );
}

/** A client a row, a server a column, a switch a cell; if there is no room for columns, the switches of a client beneath it. */
function Matrix({
  report: { clients, servers },
  titles,
  done,
  onReview,
  onConnectItself,
  onDone,
  onDismiss,
}: MatrixProps) {
  const item = useItem();
  const [expanded, setExpanded] = useState<ReadonlyMap<string, boolean>>(new Map());
  const wanted = useRef<HTMLLIElement>(null);
  // A link to one client leads to its details.
  useEffect(() => {
    if (item === null) return;
    setExpanded((before) => new Map([...before, [item, true]]));
    void wanted.current?.scrollIntoView({ block: 'nearest' });
  }, [item]);
  const columns: CSSProperties & { '--servers': number } = { '--servers': servers.length };
  return (
    <div className={styles.frame}>
      <section className={styles.matrix} style={columns}>
        {/* Each switch has its server in its name. */}
        <div className={styles.heads} aria-hidden="true">
          <span className={styles.corner} />
          {servers.map(({ name }) => (
            <span key={name} className={styles.columnHead}>
              {titles.get(name) ?? name}
            </span>
          ))}
          <span />
        </div>
        <ul className={styles.rows} aria-label={strings.list}>
          {clients.map((client) => (
            <ClientRow
              key={client.id}
              {...(client.id === item ? { ref: wanted } : {})}
              client={client}
              servers={servers}
              titles={titles}
              outcomes={done.filter((outcome) => outcome.client === client.id)}
              isExpanded={expanded.get(client.id) ?? projectsOf(client).length > 0}
              onExpand={(on) => setExpanded((before) => new Map([...before, [client.id, on]]))}
              onReview={onReview}
              onConnectItself={() => onConnectItself(client)}
              onDone={onDone}
              onDismiss={() => onDismiss(client.id)}
            />
          ))}
        </ul>
      </section>
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
  const { title, help, add, found } = strings.noServers;
  return (
    <EmptyState
      icon={IconServer}
      title={title}
      text={help}
      actions={<Button onClick={() => showScreen('servers')}>{add}</Button>}
    >
      {clients.length > 0 && <p>{found(clients.join(', '))}</p>}
    </EmptyState>
  );
}

/** Whether nothing of ours is in any client. */
function hasNoEntry({ clients }: ClientsReport): boolean {
  return !clients.some(hasEntries);
}

/** Every server for every client, while one of them lacks one. Servers that have a problem are left out at first. */
function everythingFor({ clients, servers }: ClientsReport, { servers: states, managed }: DesktopState): Review | null {
  const names = servers.map(({ name }) => name);
  const lacking = clientsLacking(clients, names, managed);
  if (names.length === 0 || lacking.length === 0) return null;
  const isFailing = (name: string) => states.some((server) => server.name === name && hasProblem(server.state));
  return {
    title: strings.review.addAll,
    verb: 'Add',
    change: {
      action: 'add',
      clients: lacking.map(({ id }) => id),
      servers: names.filter((name) => !isFailing(name) && lacking.some((client) => !hasServer(client, name))),
    },
    running: lacking.filter(({ isRunning }) => isRunning).map(({ name }) => name),
    failing: names.filter(isFailing),
  };
}
