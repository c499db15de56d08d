import { Button, Modal, Skeleton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ClientBackup } from '../../preload/contract.ts';
import { problemIn, unwrap } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice } from '../shared/notice.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import styles from './clients.module.css';
import { Difference } from './difference.tsx';

/** Files as they were before Causeway first changed them, and how to restore them. */
export function Backups({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const [chosen, setChosen] = useState<ClientBackup | null>(null);
  const close = () => {
    setChosen(null);
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title="Backups" size="lg">
      {chosen ? (
        <Restoring backup={chosen} onBack={() => setChosen(null)} />
      ) : (
        <List onChoose={setChosen} onClose={close} />
      )}
    </Modal>
  );
}

function List({ onChoose, onClose }: { onChoose(backup: ClientBackup): void; onClose(): void }) {
  const backups = useQuery({
    queryKey: ['client-backups'],
    queryFn: () => unwrap(window.causeway.request.listClientBackups()),
    staleTime: 0,
  });
  return (
    <div className={layout.stack}>
      <p>Each file as it was before Causeway first wrote to it.</p>
      {backups.isPending && <Skeleton height={96} />}
      <FailureNotice error={backups.error} onRetry={backups.refetch} />
      {backups.data?.length === 0 && <p>There are none yet: no client’s file has been changed.</p>}
      {backups.data && backups.data.length > 0 && (
        <ul className={`${layout.list} ${styles.backups}`} aria-label="Backups">
          {backups.data.map((backup) => (
            <li key={backup.id} className={`${layout.row} ${layout.split} ${styles.backup}`}>
              <div>
                <p className={layout.name}>{backup.client}</p>
                <p className={layout.quiet}>
                  {backup.missing ? `No file yet: ${backup.file}` : backup.file} · <RelativeTime at={backup.at} />
                </p>
              </div>
              <Button
                variant="default"
                size="compact-sm"
                aria-label={`Put back ${backup.client}, ${new Date(backup.at).toLocaleString()}…`}
                onClick={() => onChoose(backup)}
              >
                Put back…
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div className={layout.closing}>
        <Button variant="default" onClick={onClose} data-autofocus>
          Close
        </Button>
      </div>
    </div>
  );
}

function Restoring({ backup, onBack }: { backup: ClientBackup; onBack(): void }) {
  const { request } = window.causeway;
  const { id, client, file, missing } = backup;
  const queries = useQueryClient();
  const preview = useQuery({
    queryKey: ['client-backup', id],
    queryFn: () => unwrap(request.previewClientRestore({ id })),
    gcTime: 0,
    staleTime: 0,
  });
  const restoring = useMutation({
    mutationFn: (whileRunning: boolean) => unwrap(request.restoreClientBackup({ id, whileRunning })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['client-backups'] });
      await queries.invalidateQueries({ queryKey: ['clients'] });
      onBack();
    },
  });
  const diff = preview.data?.diff ?? null;
  const runs = restoring.error !== null && problemIn(restoring.error).code === 'client_running';
  return (
    <div className={layout.stack}>
      <p>
        {missing
          ? `${client} had no file then: the one that is there now is removed.`
          : `The file of ${client} gets back what it held then.`}{' '}
        What it holds now is kept as another backup.
      </p>
      {preview.isPending && <Skeleton height={120} />}
      <FailureNotice error={preview.error} onRetry={preview.refetch} />
      {diff !== null && <Difference file={file} diff={diff} />}
      {preview.data && diff === null && <p>The file is as it was: there is nothing to put back.</p>}
      <ActionFailure error={restoring.error} />
      <div className={layout.closing}>
        <Button variant="default" onClick={onBack} data-autofocus>
          Back
        </Button>
        {runs && (
          <Button variant="default" onClick={() => restoring.mutate(true)}>
            Put it back all the same
          </Button>
        )}
        <Button disabled={diff === null} loading={restoring.isPending} onClick={() => restoring.mutate(false)}>
          {runs ? 'Try again' : 'Put it back'}
        </Button>
      </div>
    </div>
  );
}
