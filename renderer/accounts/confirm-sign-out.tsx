import { useQueryClient } from '@tanstack/react-query';
import { unwrap } from '../shared/answered.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { showScreen } from '../shared/screen.ts';
import { toast } from '../shared/toast.tsx';
import { usePrevious } from '../shared/use-last.ts';
import { strings } from './strings.ts';

interface ConfirmSignOutProps {
  /** The profile to sign out of; null closes the dialog. */
  profile: string | null;
  onClose(): void;
}

/** Says what signing out ends, then does it. */
export function ConfirmSignOut({ profile, onClose }: ConfirmSignOutProps) {
  const queries = useQueryClient();
  const shown = usePrevious(profile) ?? '';
  const signOut = async () => {
    const { revoked } = await unwrap(window.causeway.request.signOut({ profile: shown }));
    await queries.invalidateQueries({ queryKey: ['accounts'] });
    if (revoked) return toast(strings.signOut.done(shown));
    queries.setQueryData(UNCONFIRMED_KEY, shown);
    showScreen('accounts');
  };
  return (
    <ConfirmDialog
      opened={profile !== null}
      title={strings.signOut.title(shown)}
      verb={strings.signOut.verb}
      isGrave
      act={signOut}
      onClose={onClose}
    >
      <p>{strings.signOut.text}</p>
    </ConfirmDialog>
  );
}

/** The profile that the user signed out of without the workspace having confirmed it. */
export const UNCONFIRMED_KEY = ['unconfirmed-sign-out'];
