import { Button, Skeleton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ClientBackup } from '../../preload/contract.ts';
import { problemIn, unwrap } from '../shared/answered.ts';
import { Dialog } from '../shared/dialog.tsx';
import { Footer } from '../shared/footer.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice } from '../shared/notice.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { toast } from '../shared/toast.tsx';
import styles from './clients.module.css';
import { Difference } from './difference.tsx';
import { strings } from './strings.ts';

const { backups: texts } = strings;

/** Files as they were before Causeway first changed them, and how to restore them. */
export function Backups({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const [chosen, setChosen] = useState<ClientBackup | null>(null);
  const close = () => {
    setChosen(null);
    onClose();
  };
  return (
    <Dialog opened={opened} onClose={close} title={texts.title} size="lg">
      {chosen ? (
        <Restoring backup={chosen} onBack={() => setChosen(null)} />
      ) : (
        <List onChoose={setChosen} onClose={close} />
      )}
    </Dialog>
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
      <p className={layout.quiet}>{texts.help}</p>
      {backups.isPending && <Skeleton height={96} />}
      <FailureNotice error={backups.error} onRetry={backups.refetch} />
      {backups.data?.length === 0 && <p>{texts.none}</p>}
      {backups.data && backups.data.length > 0 && (
        <ul className={`${layout.list} ${styles.backups}`} aria-label={texts.title}>
          {backups.data.map((backup) => (
            <li key={backup.id} className={`${layout.row} ${layout.split} ${styles.backup}`}>
              <div>
                <p className={layout.name}>{backup.client}</p>
                <p className={layout.quiet}>
                  {backup.missing ? texts.noFile(backup.file) : backup.file} · <RelativeTime at={backup.at} />
                </p>
              </div>
              <Button
                variant="default"
                size="compact-sm"
                aria-label={texts.restoreOf(backup.client, new Date(backup.at).toLocaleString())}
                onClick={() => onChoose(backup)}
              >
                {texts.restore}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Footer>
        <Button variant="default" onClick={onClose} data-autofocus>
          {strings.close}
        </Button>
      </Footer>
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
      toast(texts.restored(client), 'clients');
      onBack();
    },
  });
  const diff = preview.data?.diff ?? null;
  const runs = restoring.error !== null && problemIn(restoring.error).code === 'client_running';
  return (
    <div className={layout.stack}>
      <p>{missing ? texts.removing(client) : texts.restoring(client)}</p>
      {preview.isPending && <Skeleton height={120} />}
      <FailureNotice error={preview.error} onRetry={preview.refetch} />
      {diff !== null && <Difference file={file} diff={diff} />}
      {preview.data && diff === null && <p>{texts.unchanged}</p>}
      <ActionFailure error={restoring.error} />
      <Footer>
        <Button variant="default" onClick={onBack} data-autofocus>
          {texts.back}
        </Button>
        {runs && (
          <Button variant="default" onClick={() => restoring.mutate(true)}>
            {texts.restoreAnyway}
          </Button>
        )}
        <Button disabled={diff === null} loading={restoring.isPending} onClick={() => restoring.mutate(false)}>
          {runs ? strings.tryAgain : texts.restoreNow}
        </Button>
      </Footer>
    </div>
  );
}
