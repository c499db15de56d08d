import { Button, Checkbox, Skeleton } from '@mantine/core';
import { useState } from 'react';
import type { AiClient, ClientChange, ClientOutcome } from '../../preload/contract.ts';
import { Difference } from '../clients/difference.tsx';
import { hasServer, ownFiles } from '../clients/format.ts';
import { useClients } from '../clients/use-clients.ts';
import { useAction, useAnswer } from '../shared/answered.ts';
import { Card } from '../shared/card.tsx';
import { ClientBadge } from '../shared/client-badge.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice, InSight, Notice } from '../shared/notice.tsx';
import { StateBadge } from '../shared/state-badge.tsx';
import { toast } from '../shared/toast.tsx';
import styles from './first-run.module.css';
import { StepPage } from './step-page.tsx';
import { strings } from './strings.ts';
import type { StepProps } from './use-progress.ts';

const { clients: words } = strings;

/** Which AI clients get the servers: those that were found are ticked. */
export function ClientsStep({ state, progress: { now, change } }: StepProps) {
  const { request } = window.causeway;
  const [isPreviewing, setPreviewing] = useState(false);
  const report = useClients(state.servers);
  const servers = (report.data?.servers ?? []).map(({ name }) => name);
  const clients = report.data?.clients ?? [];
  const usable = clients.filter(isUsable).map(({ id }) => id);
  const ticked = (now.clients ?? usable).filter((id) => usable.includes(id));
  const missing = clients.filter((client) => ticked.includes(client.id) && !hasAll(client, servers));
  const running = missing.filter(({ isRunning }) => isRunning).map(({ name }) => name);
  const addition: ClientChange = {
    action: 'add',
    clients: missing.map(({ id }) => id),
    servers,
  };
  const adding = useAction(
    (whileRunning: boolean) => request.changeClients({ ...addition, whileRunning }),
    (outcomes) => {
      if (outcomes.some(({ problem }) => problem)) return void report.refetch();
      change({ step: 'done' });
    },
  );
  const failures = (adding.data ?? []).filter(({ problem }) => problem !== null);
  const isHeldUp = failures.some(({ problem }) => problem?.code === 'client_running');
  const goOn = () => (missing.length === 0 || servers.length === 0 ? change({ step: 'done' }) : adding.mutate(false));
  const tick = (id: string, on: boolean) => {
    adding.reset();
    change({ clients: on ? [...ticked, id] : ticked.filter((one) => one !== id) });
  };
  return (
    <StepPage
      title={words.title}
      lead={words.lead}
      onSubmit={goOn}
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
          {isHeldUp && (
            <Button variant="default" onClick={() => adding.mutate(true)}>
              {words.addAnyway}
            </Button>
          )}
          <Button type="submit" disabled={report.isPending} loading={adding.isPending}>
            {failures.length > 0
              ? strings.tryAgain
              : missing.length === 0
                ? strings.continue
                : words.add(missing.length)}
          </Button>
        </>
      }
    >
      {report.isPending && <Skeleton height={160} />}
      <FailureNotice error={report.error} onRetry={report.refetch} />
      {report.data && clients.length === 0 && <NoClients />}
      {clients.length > 0 && (
        <Card title={words.list} isFlush>
          {clients.map((client) => (
            <ClientTick
              key={client.id}
              client={client}
              hasAll={hasAll(client, servers)}
              isTicked={ticked.includes(client.id)}
              onTick={(on) => tick(client.id, on)}
            />
          ))}
        </Card>
      )}
      {running.length > 0 && failures.length === 0 && (
        <Notice tone="note" message={words.runningNow(LIST.format(running))} remedy={words.runningHelp} />
      )}
      {failures.map(({ client, name, file, problem }) => (
        <InSight key={`${client} ${file} ${problem?.message}`}>
          <Notice message={`${words.failed(name)} ${problem?.message}`} remedy={problem?.remedy ?? null} />
        </InSight>
      ))}
      <ActionFailure error={adding.error} />
      {missing.length > 0 && servers.length > 0 && (
        <>
          <div className={styles.unframed}>
            <Button variant="subtle" size="compact-sm" onClick={() => setPreviewing(!isPreviewing)}>
              {isPreviewing ? words.hidePreview : words.preview}
            </Button>
          </div>
          {isPreviewing && <Preview addition={addition} />}
        </>
      )}
    </StepPage>
  );
}

const LIST = new Intl.ListFormat('en');

function isUsable(client: AiClient): boolean {
  return client.problem === null && ownFiles(client).every(({ problem }) => problem === null);
}

/** Whether nothing is left to add to a client. */
function hasAll(client: AiClient, servers: readonly string[]): boolean {
  return servers.length > 0 && servers.every((server) => hasServer(client, server));
}

interface ClientTickProps {
  client: AiClient;
  hasAll: boolean;
  isTicked: boolean;
  onTick(on: boolean): void;
}

function ClientTick({ client, hasAll: isDone, isTicked, onTick }: ClientTickProps) {
  const { name, mark, isRunning, problem } = client;
  const files = ownFiles(client);
  const trouble = [problem, ...files.map((file) => file.problem)].find((it) => it !== null);
  const others = [...new Set(files.flatMap(({ sharedWith }) => sharedWith.map((other) => other.name)))];
  const about = trouble ?? (others.length > 0 ? words.sharedWith(LIST.format(others)) : undefined);
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
        description={about}
        checked={isTicked}
        disabled={trouble !== undefined}
        onChange={({ currentTarget }) => onTick(currentTarget.checked)}
      />
      {trouble !== undefined ? (
        <StateBadge tone="failed">{words.unreadable}</StateBadge>
      ) : isDone ? (
        <StateBadge tone="good">{words.connected}</StateBadge>
      ) : (
        isRunning && <StateBadge tone="attention">{words.running}</StateBadge>
      )}
    </div>
  );
}

/** What is written into which file. */
function Preview({ addition }: { addition: ClientChange }) {
  const preview = useAnswer(['client-change', addition], () => window.causeway.request.previewClientChange(addition), {
    gcTime: 0,
    staleTime: 0,
  });
  const changes = (preview.data ?? []).filter(isChange);
  return (
    <div className={layout.stack}>
      {preview.isPending && <Skeleton height={120} />}
      <FailureNotice error={preview.error} onRetry={preview.refetch} />
      {preview.data && changes.length === 0 && <p>{words.noChange}</p>}
      {changes.map(({ client, name, file, diff }) => (
        <Card key={`${client} ${file}`} title={name}>
          <Difference file={file} diff={diff} />
        </Card>
      ))}
    </div>
  );
}

function isChange(outcome: ClientOutcome): outcome is ClientOutcome & { file: string; diff: string } {
  return outcome.file !== null && outcome.diff !== null;
}

function NoClients() {
  const copying = useAction(
    () => window.causeway.request.copyClientJson({ client: null }),
    () => toast(words.jsonCopied, 'clipboard'),
  );
  return (
    <Card title={words.none}>
      <p>{words.noneHelp}</p>
      <div className={layout.actions}>
        <Button variant="default" onClick={() => copying.mutate()}>
          {words.copyJson}
        </Button>
        <span className={layout.quiet}>{words.jsonHelp}</span>
      </div>
      <ActionFailure error={copying.error} />
    </Card>
  );
}
