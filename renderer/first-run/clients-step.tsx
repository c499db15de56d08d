import { Button, Checkbox, Skeleton } from '@mantine/core';
import { useState } from 'react';
import type { AiClient, ClientChange, ClientsReport } from '../../preload/contract.ts';
import { ChangePreview } from '../clients/change-preview.tsx';
import { clientsLacking, listed, type Obstacle, obstacleTo, ownFiles, problemOf } from '../clients/format.ts';
import { failuresIn, isHeldUp, useChangeClients } from '../clients/use-client-change.ts';
import { useClients } from '../clients/use-clients.ts';
import { useAction } from '../shared/answered.ts';
import { Card } from '../shared/card.tsx';
import { ClientBadge } from '../shared/client-badge.tsx';
import layout from '../shared/layout.module.css';
import { managedHint } from '../shared/managed.tsx';
import { ActionFailure, FailureNotice, InSight, Notice } from '../shared/notice.tsx';
import { StateBadge } from '../shared/state-badge.tsx';
import { toast } from '../shared/toast.tsx';
import { useDesktopState } from '../shared/use-desktop-state.ts';
import styles from './first-run.module.css';
import { StepPage } from './step-page.tsx';
import { strings } from './strings.ts';
import type { StepProps } from './use-progress.ts';

const { clients: texts } = strings;

/** Which AI clients get the servers: those that were found are ticked. */
export function ClientsStep({ state, progress: { now, change } }: StepProps) {
  const report = useClients(state.servers);
  const { clients, servers: listedServers } = report.data ?? NOTHING;
  const servers = listedServers.map(({ name }) => name);
  const obstacles = new Map(clients.map((client) => [client.id, obstacleTo(client, servers, state.managed)]));
  const usable = clients.map(({ id }) => id).filter((id) => isUsable(obstacles.get(id) ?? null));
  const ticked = (now.clients ?? usable).filter((id) => usable.includes(id));
  const missing = clientsLacking(clients, servers, state.managed).filter(({ id }) => ticked.includes(id));
  const running = missing.filter(({ isRunning }) => isRunning).map(({ name }) => name);
  const addition: ClientChange = {
    action: 'add',
    clients: missing.map(({ id }) => id),
    servers,
  };
  const adding = useChangeClients((outcomes) => {
    if (failuresIn(outcomes).length === 0) change({ step: 'done' });
  });
  const failures = failuresIn(adding.data);
  const hasAdditions = missing.length > 0 && servers.length > 0;
  const tick = (id: string, on: boolean) => {
    adding.reset();
    change({ clients: on ? [...ticked, id] : ticked.filter((one) => one !== id) });
  };
  return (
    <StepPage
      title={texts.title}
      lead={texts.lead}
      onSubmit={() => (hasAdditions ? adding.mutate(addition) : change({ step: 'done' }))}
      footer={
        <>
          <Button variant="subtle" onClick={() => change({ step: 'servers' })}>
            {strings.back}
          </Button>
          {failures.length > 0 && (
            <Button variant="default" onClick={() => change({ step: 'done' })}>
              {strings.continue}
            </Button>
          )}
          {isHeldUp(failures) && (
            <Button variant="default" onClick={() => adding.mutate({ ...addition, whileRunning: true })}>
              {texts.addAnyway}
            </Button>
          )}
          <Button type="submit" disabled={report.isPending} loading={adding.isPending}>
            {failures.length > 0 ? strings.tryAgain : submitLabel(missing.length)}
          </Button>
        </>
      }
    >
      {report.isPending && <Skeleton height={160} />}
      <FailureNotice error={report.error} onRetry={report.refetch} />
      {report.data && <ClientTicks clients={clients} obstacles={obstacles} ticked={ticked} onTick={tick} />}
      {running.length > 0 && failures.length === 0 && (
        <Notice tone="note" message={texts.runningNow(listed(running))} remedy={texts.runningHelp} />
      )}
      {failures.map(({ client, name, file, problem }) => (
        <InSight key={`${client} ${file} ${problem.message}`}>
          <Notice message={`${texts.failed(name)} ${problem.message}`} remedy={problem.remedy} />
        </InSight>
      ))}
      <ActionFailure error={adding.error} />
      {hasAdditions && <Preview addition={addition} />}
    </StepPage>
  );
}

const NOTHING: Pick<ClientsReport, 'clients' | 'servers'> = { clients: [], servers: [] };

interface ClientTicksProps {
  clients: readonly AiClient[];
  /** Of each client, by its id. */
  obstacles: ReadonlyMap<string, Obstacle | null>;
  ticked: readonly string[];
  onTick(id: string, on: boolean): void;
}

function ClientTicks({ clients, obstacles, ticked, onTick }: ClientTicksProps) {
  if (clients.length === 0) return <NoClients />;
  return (
    <Card title={texts.list} isFlush>
      {clients.map((client) => (
        <ClientTick
          key={client.id}
          client={client}
          obstacle={obstacles.get(client.id) ?? null}
          isTicked={ticked.includes(client.id)}
          onTick={(on) => onTick(client.id, on)}
        />
      ))}
    </Card>
  );
}

function submitLabel(missing: number): string {
  return missing === 0 ? strings.continue : texts.add(missing);
}

/** What is written into which file, on demand. */
function Preview({ addition }: { addition: ClientChange }) {
  const [isShown, setShown] = useState(false);
  return (
    <>
      <div className={styles.unframed}>
        <Button variant="subtle" size="compact-sm" onClick={() => setShown(!isShown)}>
          {isShown ? texts.hidePreview : texts.preview}
        </Button>
      </div>
      {isShown && <ChangePreview change={addition} />}
    </>
  );
}

/** Whether it can be ticked: also where nothing is left to add. */
function isUsable(obstacle: Obstacle | null): boolean {
  return obstacle !== 'unreadable' && obstacle !== 'managed';
}

interface ClientTickProps {
  client: AiClient;
  obstacle: Obstacle | null;
  isTicked: boolean;
  onTick(on: boolean): void;
}

function ClientTick({ client, obstacle, isTicked, onTick }: ClientTickProps) {
  const { name, mark } = client;
  const { managed } = useDesktopState();
  const others = [...new Set(ownFiles(client).flatMap(({ sharedWith }) => sharedWith.map((other) => other.name)))];
  const shares = others.length > 0 ? texts.sharedWith(listed(others)) : undefined;
  const forbidden = obstacle === 'managed' ? managedHint(managed, 'clients') : null;
  return (
    <div className={styles.client}>
      <Checkbox
        classNames={{ body: styles.tickBody, labelWrapper: styles.tickText }}
        label={
          <span className={styles.clientName}>
            <ClientBadge mark={mark} />
            {name}
          </span>
        }
        description={problemOf(client) ?? forbidden ?? shares}
        checked={isTicked}
        disabled={!isUsable(obstacle)}
        onChange={({ currentTarget }) => onTick(currentTarget.checked)}
      />
      <ClientState client={client} obstacle={obstacle} />
    </div>
  );
}

function ClientState({ client, obstacle }: Pick<ClientTickProps, 'client' | 'obstacle'>) {
  if (obstacle === 'unreadable') return <StateBadge tone="failed">{texts.unreadable}</StateBadge>;
  if (obstacle === 'added' || obstacle === 'covered') return <StateBadge tone="good">{texts.connected}</StateBadge>;
  return client.isRunning && <StateBadge tone="attention">{texts.running}</StateBadge>;
}

function NoClients() {
  const copying = useAction(
    () => window.causeway.request.copyClientJson({ client: null }),
    () => toast(texts.jsonCopied, 'clipboard'),
  );
  return (
    <Card title={texts.none}>
      <p>{texts.noneHelp}</p>
      <div className={layout.actions}>
        <Button variant="default" onClick={() => copying.mutate()}>
          {texts.copyJson}
        </Button>
        <span className={layout.quiet}>{texts.jsonHelp}</span>
      </div>
      <ActionFailure error={copying.error} />
    </Card>
  );
}
