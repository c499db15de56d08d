import { Button, Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
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
        <p>
          An AI client that has an entry for it keeps that entry, and can go on using it.{' '}
          <a href={addressOf('clients')} onClick={onClose}>
            Take the entries out under AI clients
          </a>{' '}
          first if you do not want that.
        </p>
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
