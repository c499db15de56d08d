import { Button, Modal } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { AiClient } from '../../preload/contract.ts';
import { answered, problemIn } from '../shared/answered.ts';
import { Notice } from '../shared/notice.tsx';
import { addressOf } from '../shared/screen.ts';
import styles from './servers.module.css';

interface RemoveServerProps {
  name: string | null;
  onClose(): void;
  onRemoved(): void;
}

/** Says what removing a server does not do, then does it. */
export function RemoveServer({ name, onClose, onRemoved }: RemoveServerProps) {
  // The words stay while the dialog fades out.
  const shown = useRef('');
  if (name !== null) shown.current = name;
  const clients = useQuery({
    queryKey: ['clients-with', name],
    queryFn: () => answered(window.causeway.request.listClients()),
    enabled: name !== null,
    gcTime: 0,
  });
  const users = usersOf(shown.current, clients.data?.clients ?? []);
  const removing = useMutation({
    mutationFn: () => answered(window.causeway.request.removeServer({ name: shown.current })),
    onSuccess: onRemoved,
  });
  return (
    <Modal opened={name !== null} onClose={onClose} title={`Remove ${shown.current}?`}>
      <div className={styles.dialog}>
        <p>
          It leaves this list, and no AI client is offered it any more. Nothing is removed from the workspace, and you
          can add it again.
        </p>
        {users.length > 0 && (
          <p>
            {users.join(', ')}: each keeps the entry that it has for this server, and can go on using it.{' '}
            <a href={addressOf('clients')} onClick={onClose}>
              Take the entries out under AI clients
            </a>{' '}
            first if you do not want that.
          </p>
        )}
        {clients.data && users.length === 0 && <p>No AI client on this computer has an entry for it.</p>}
        {removing.error && <Notice {...problemIn(removing.error)} />}
        <div className={styles.dialogActions}>
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button loading={removing.isPending} onClick={() => removing.mutate()}>
            Remove
          </Button>
        </div>
      </div>
    </Modal>
  );
}

/** The names of the clients that have an entry of ours for a server. */
function usersOf(server: string, clients: readonly AiClient[]): string[] {
  const has = ({ files }: AiClient) =>
    files.some(({ entries }) => ['current', 'edited', 'broken'].includes(entries[server] ?? 'absent'));
  return clients.filter(has).map(({ name }) => name);
}
