import { Button } from '@mantine/core';
import { IconCopy, IconExternalLink } from '@tabler/icons-react';
import type { AiClient } from '../../preload/contract.ts';
import { FIRST_PROMPT } from '../../preload/format.ts';
import { hasServer } from '../clients/format.ts';
import { useClients } from '../clients/use-clients.ts';
import { useAction } from '../shared/answered.ts';
import { Card } from '../shared/card.tsx';
import { ClientBadge } from '../shared/client-badge.tsx';
import { Icon } from '../shared/icon.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice } from '../shared/notice.tsx';
import { StateBadge } from '../shared/state-badge.tsx';
import { toast } from '../shared/toast.tsx';
import styles from './first-run.module.css';
import { StepPage } from './step-page.tsx';
import { strings } from './strings.ts';
import { useConnectedMarks } from './use-connected-marks.ts';
import type { StepProps } from './use-progress.ts';

const { done: texts } = strings;

/** What to ask first, and in which client. */
export function DoneStep({ state, progress: { change, end } }: StepProps) {
  const report = useClients(state.servers);
  const servers = (report.data?.servers ?? []).map(({ name }) => name);
  const clients = (report.data?.clients ?? []).filter((client) => hasAny(client, servers));
  const isEmpty = report.data !== undefined && clients.length === 0;
  const isConnected = useConnectedMarks();
  const copying = useAction(
    () => window.causeway.request.copyPrompt(),
    () => toast(texts.copied, 'clipboard'),
  );
  return (
    <StepPage
      title={isEmpty ? texts.nothingTitle : texts.title}
      lead={isEmpty ? texts.nothing : texts.lead}
      footer={
        <>
          <Button variant="subtle" onClick={() => change({ step: 'clients' })}>
            {strings.back}
          </Button>
          <Button onClick={end}>{texts.finish}</Button>
        </>
      }
    >
      <FailureNotice error={report.error} onRetry={report.refetch} />
      {clients.length > 0 && (
        <>
          <div className={styles.prompt}>
            <p>{FIRST_PROMPT}</p>
            <Button variant="default" leftSection={<Icon of={IconCopy} />} onClick={() => copying.mutate()}>
              {texts.copy}
            </Button>
          </div>
          <ActionFailure error={copying.error} />
          <Card title={texts.list} isFlush>
            {clients.map((client) => (
              <TryIn key={client.id} client={client} isConnected={isConnected(client.mark)} />
            ))}
          </Card>
        </>
      )}
    </StepPage>
  );
}

function hasAny(client: AiClient, servers: readonly string[]): boolean {
  return servers.some((server) => hasServer(client, server));
}

/** A client that has servers: how it notices them, and a way into it. */
function TryIn({ client, isConnected }: { client: AiClient; isConnected: boolean }) {
  const { id, name, mark, opensPrompts, afterwards } = client;
  const opening = useAction(() => window.causeway.request.openWithPrompt({ client: id }));
  return (
    <div className={styles.client}>
      <div className={styles.tickText}>
        <p className={styles.clientName}>
          <ClientBadge mark={mark} />
          <span className={layout.name}>{name}</span>
        </p>
        <p className={layout.quiet}>{afterwards}</p>
        <ActionFailure error={opening.error} />
      </div>
      {isConnected ? (
        <StateBadge tone="good">{texts.connected}</StateBadge>
      ) : (
        opensPrompts && (
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<Icon of={IconExternalLink} />}
            onClick={() => opening.mutate()}
          >
            {texts.open(name)}
          </Button>
        )
      )}
    </div>
  );
}
