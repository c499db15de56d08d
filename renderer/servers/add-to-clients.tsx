import { Button, Checkbox, Skeleton } from '@mantine/core';
import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AiClient, ClientChange, ClientsReport, ConfiguredServer, DesktopState } from '../../preload/contract.ts';
import { Difference } from '../clients/difference.tsx';
import { clientEntryStatus, hasEntry, isCovered, ownFiles } from '../clients/format.ts';
import { unwrap } from '../shared/answered.ts';
import { ClientBadge } from '../shared/client-badge.tsx';
import { Dialog } from '../shared/dialog.tsx';
import layout from '../shared/layout.module.css';
import { isAllowed, managedHint } from '../shared/managed.tsx';
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

const words = strings.clientsDialog;
const LIST = new Intl.ListFormat('en');

/** Adds one server to AI clients. Every client on this computer is listed; one that cannot be changed says why. */
export function AddToClients({ opened, server, report, onClose }: AddToClientsProps) {
  const { request } = window.causeway;
  const queries = useQueryClient();
  const { managed } = useDesktopState();
  const [unticked, setUnticked] = useState<ReadonlySet<string>>(new Set());
  const clients = report.data?.clients ?? [];
  const addable = clients.filter((client) => obstacleIn(client, server.name, managed) === null);
  const chosen = addable.filter(({ id }) => !unticked.has(id));
  const change: ClientChange = {
    action: 'add',
    clients: chosen.map(({ id }) => id),
    servers: [server.name],
  };
  const adding = useMutation({
    mutationFn: () => unwrap(request.changeClients(change)),
    onSuccess: (outcomes) => {
      void queries.invalidateQueries({ queryKey: ['clients'] });
      const written = outcomes.filter(({ result }) => result === 'written').map(({ name }) => name);
      if (written.length > 0) toast(words.done(LIST.format([...new Set(written)])), 'clients');
      if (outcomes.every(({ result }) => result !== 'failed')) close();
    },
  });
  const close = () => {
    setUnticked(new Set());
    adding.reset();
    onClose();
  };
  const failed = adding.data?.filter(({ result }) => result === 'failed') ?? [];
  const toggle = (id: string, isOn: boolean) => {
    adding.reset();
    setUnticked(new Set(isOn ? [...unticked].filter((one) => one !== id) : [...unticked, id]));
  };
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={words.title(server.title)}
      size="lg"
      footer={
        <>
          <Button variant="default" data-autofocus={addable.length === 0 || undefined} onClick={close}>
            {addable.length === 0 ? words.close : words.cancel}
          </Button>
          {addable.length > 0 && (
            <Button disabled={chosen.length === 0} loading={adding.isPending} onClick={() => adding.mutate()}>
              {words.submit(chosen.length)}
            </Button>
          )}
        </>
      }
    >
      {report.isPending && <Skeleton height={96} />}
      <FailureNotice error={report.error} onRetry={report.refetch} />
      {report.data && clients.length === 0 && <p>{words.none}</p>}
      {clients.length > 0 && (
        <ul className={layout.list} aria-label={words.list}>
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
      {failed.length > 0 && (
        <Notice
          message={words.notAll}
          remedy={failed.map(({ name, problem }) => words.failed(name, problem?.message ?? '')).join(' ')}
        />
      )}
    </Dialog>
  );
}

/** Why a server cannot be added to a client, or need not be; null if it can. */
function obstacleIn(client: AiClient, server: string, managed: DesktopState['managed']): string | null {
  const files = ownFiles(client);
  if (isCovered(client, server)) return words.inAll;
  if (files.some((file) => hasEntry(file, server)) && clientEntryStatus(client, server).on) return words.added;
  if (client.problem !== null || clientEntryStatus(client, server).unknown) {
    return client.problem ?? files.find(({ problem }) => problem !== null)?.problem ?? words.unreadable;
  }
  if (!isAllowed(managed, 'clients', client.id)) return managedHint(managed, 'clients');
  return files.some(({ entries }) => entries[server] === 'foreign') ? words.foreign : null;
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
  const obstacle = obstacleIn(client, server, managed);
  return (
    <li className={`${layout.row} ${styles.choice}`}>
      <Checkbox
        label={
          <span>
            <ClientBadge mark={mark} />
            {name}
          </span>
        }
        description={obstacle ?? (isRunning ? words.running : undefined)}
        checked={isChosen || obstacle === words.added || obstacle === words.inAll}
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
  const preview = useQuery({
    queryKey: ['add-to-clients', change.clients, change.servers],
    queryFn: () => unwrap(window.causeway.request.previewClientChange(change)),
    enabled: isOpen,
    gcTime: 0,
    staleTime: 0,
  });
  const outcomes = preview.data ?? [];
  return (
    <details className={styles.more} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{words.changes}</summary>
      <div className={layout.stack}>
        {preview.isPending && <Skeleton height={96} />}
        <FailureNotice error={preview.error} />
        {outcomes.map(({ client, name, file, diff, problem }) =>
          problem ? (
            <p key={`${client} ${file}`}>{words.failed(name, problem.message)}</p>
          ) : (
            diff !== null && <Difference key={`${client} ${file}`} file={file ?? name} diff={diff} />
          ),
        )}
        {preview.data && outcomes.every(({ diff, problem }) => diff === null && !problem) && <p>{words.noChanges}</p>}
      </div>
    </details>
  );
}
