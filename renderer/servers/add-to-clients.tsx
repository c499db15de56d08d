import { Button, Checkbox, Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import type { AiClient, ClientChange, ClientsReport, ConfiguredServer, DesktopState } from '../../preload/contract.ts';
import { ChangePreview } from '../clients/change-preview.tsx';
import { listed, type Obstacle, obstacleTo, problemOf } from '../clients/format.ts';
import { strings as clientStrings } from '../clients/strings.ts';
import { changesIn, failuresIn, useChangeClients } from '../clients/use-client-change.ts';
import { ClientBadge } from '../shared/client-badge.tsx';
import { Dialog } from '../shared/dialog.tsx';
import layout from '../shared/layout.module.css';
import { managedHint } from '../shared/managed.tsx';
import { ActionFailure, FailureNotice, Notice } from '../shared/notice.tsx';
import { toast } from '../shared/toast.tsx';
import { useDesktopState } from '../shared/use-desktop-state.ts';
import styles from './servers.module.css';
import { strings } from './strings.ts';

interface AddToClientsProps {
  opened: boolean;
  server: ConfiguredServer;
  report: UseQueryResult<ClientsReport>;
  onClose(): void;
}

const texts = strings.clientsDialog;

/** Adds one server to AI clients. Every client on this computer is listed; one that cannot be changed says why. */
export function AddToClients({ opened, server, report, onClose }: AddToClientsProps) {
  const { managed } = useDesktopState();
  const [unticked, setUnticked] = useState<ReadonlySet<string>>(new Set());
  const clients = report.data?.clients ?? [];
  const addable = clients.filter((client) => obstacleTo(client, [server.name], managed) === null);
  const chosen = addable.filter(({ id }) => !unticked.has(id));
  const change: ClientChange = {
    action: 'add',
    clients: chosen.map(({ id }) => id),
    servers: [server.name],
  };
  const adding = useChangeClients((outcomes) => {
    const written = new Set(changesIn(outcomes).map(({ name }) => name));
    if (written.size > 0) toast(texts.done(listed([...written])), 'clients');
    if (failuresIn(outcomes).length === 0) close();
  });
  const close = () => {
    setUnticked(new Set());
    adding.reset();
    onClose();
  };
  const failures = failuresIn(adding.data);
  const toggle = (id: string, isOn: boolean) => {
    adding.reset();
    setUnticked(new Set(isOn ? [...unticked].filter((one) => one !== id) : [...unticked, id]));
  };
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={texts.title(server.title)}
      size="lg"
      footer={
        <>
          <Button variant="default" data-autofocus={addable.length === 0 || undefined} onClick={close}>
            {addable.length === 0 ? texts.close : texts.cancel}
          </Button>
          {addable.length > 0 && (
            <Button disabled={chosen.length === 0} loading={adding.isPending} onClick={() => adding.mutate(change)}>
              {texts.submit(chosen.length)}
            </Button>
          )}
        </>
      }
    >
      {report.isPending && <Skeleton height={96} />}
      <FailureNotice error={report.error} onRetry={report.refetch} />
      {report.data && clients.length === 0 && <p>{texts.none}</p>}
      {clients.length > 0 && (
        <ul className={layout.list} aria-label={texts.list}>
          {clients.map((client, place) => (
            <ClientChoice
              key={client.id}
              client={client}
              server={server.name}
              isFirst={place === 0}
              isChosen={chosen.includes(client)}
              onToggle={(isOn) => toggle(client.id, isOn)}
            />
          ))}
        </ul>
      )}
      {opened && chosen.length > 0 && <Changes change={change} />}
      <ActionFailure error={adding.error} />
      {failures.length > 0 && (
        <Notice
          message={texts.notAll}
          remedy={failures.map(({ name, problem }) => clientStrings.failed(name, problem.message)).join(' ')}
        />
      )}
    </Dialog>
  );
}

/** Why a server cannot be added to a client, or need not be, as a text; null if it can. */
function obstacleText(client: AiClient, obstacle: Obstacle | null, managed: DesktopState['managed']): string | null {
  if (obstacle === 'managed') return managedHint(managed, 'clients');
  if (obstacle === 'unreadable') return problemOf(client) ?? texts.obstacles.unreadable;
  return obstacle && texts.obstacles[obstacle];
}

interface ClientChoiceProps {
  client: AiClient;
  server: string;
  isFirst: boolean;
  isChosen: boolean;
  onToggle(isOn: boolean): void;
}

function ClientChoice({ client, server, isFirst, isChosen, onToggle }: ClientChoiceProps) {
  const { name, mark, isRunning } = client;
  const { managed } = useDesktopState();
  const obstacle = obstacleTo(client, [server], managed);
  return (
    <li className={`${layout.row} ${styles.choice}`}>
      <Checkbox
        label={
          <span>
            <ClientBadge mark={mark} />
            {name}
          </span>
        }
        description={obstacleText(client, obstacle, managed) ?? (isRunning ? texts.running : undefined)}
        checked={isChosen || obstacle === 'added' || obstacle === 'covered'}
        disabled={obstacle !== null}
        data-autofocus={(isFirst && obstacle === null) || undefined}
        onChange={({ currentTarget }) => onToggle(currentTarget.checked)}
      />
    </li>
  );
}

/** What would be written, folded away. */
function Changes({ change }: { change: ClientChange }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles.more} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{texts.changes}</summary>
      {isOpen && <ChangePreview change={change} />}
    </details>
  );
}
