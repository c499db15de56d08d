import { Button, Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { answered, problemIn } from '../shared/answered.ts';
import { Notice } from '../shared/notice.tsx';
import styles from './accounts.module.css';

interface ConfirmSignOutProps {
  profile: string | null;
  onClose(): void;
  /** Told whether the workspace has confirmed it. */
  onSignedOut(outcome: { profile: string; revoked: boolean }): void;
}

/** Says what signing out ends, then does it. */
export function ConfirmSignOut({ profile, onClose, onSignedOut }: ConfirmSignOutProps) {
  // The words stay while the dialog fades out.
  const shown = useRef('');
  if (profile !== null) shown.current = profile;
  return (
    <Modal opened={profile !== null} onClose={onClose} title={`Sign out of ${shown.current}?`}>
      <Confirming profile={shown.current} onClose={onClose} onSignedOut={onSignedOut} />
    </Modal>
  );
}

function Confirming({ profile, onClose, onSignedOut }: ConfirmSignOutProps & { profile: string }) {
  const queries = useQueryClient();
  const signingOut = useMutation({
    mutationFn: () => answered(window.causeway.request.signOut({ profile })),
    onSuccess: async ({ revoked }) => {
      await queries.invalidateQueries({ queryKey: ['accounts'] });
      onSignedOut({ profile, revoked });
      onClose();
    },
  });
  return (
    <>
      <p>The AI clients on this computer lose their way to this workspace until somebody signs in again.</p>
      {signingOut.error && <Notice {...problemIn(signingOut.error)} />}
      <div className={styles.formActions}>
        <Button variant="default" data-autofocus onClick={onClose}>
          Cancel
        </Button>
        <Button loading={signingOut.isPending} onClick={() => signingOut.mutate()}>
          Sign out
        </Button>
      </div>
    </>
  );
}
