import { useQueryClient } from '@tanstack/react-query';
import { answered } from '../shared/answered.ts';
import { Question } from '../shared/question.tsx';
import { useLast } from '../shared/use-last.ts';

interface ConfirmSignOutProps {
  profile: string | null;
  onClose(): void;
  /** Told whether the workspace has confirmed it. */
  onSignedOut(outcome: { profile: string; revoked: boolean }): void;
}

/** Says what signing out ends, then does it. */
export function ConfirmSignOut({ profile, onClose, onSignedOut }: ConfirmSignOutProps) {
  const queries = useQueryClient();
  const shown = useLast(profile) ?? '';
  const signOut = async () => {
    const { revoked } = await answered(window.causeway.request.signOut({ profile: shown }));
    await queries.invalidateQueries({ queryKey: ['accounts'] });
    onSignedOut({ profile: shown, revoked });
  };
  return (
    <Question
      opened={profile !== null}
      title={`Sign out of ${shown}?`}
      verb="Sign out"
      isGrave
      act={signOut}
      onClose={onClose}
    >
      <p>The AI clients on this computer lose their way to this workspace until somebody signs in again.</p>
    </Question>
  );
}
