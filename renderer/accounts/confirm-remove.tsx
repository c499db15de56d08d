import { useQueryClient } from '@tanstack/react-query';
import type { Account } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { toast } from '../shared/toast.tsx';
import { usePrevious } from '../shared/use-last.ts';
import { strings } from './strings.ts';

/** Says what the removal of an account deletes, then does it. */
export function ConfirmRemove({ account, onClose }: { account: Account | null; onClose(): void }) {
  const queries = useQueryClient();
  const shown = usePrevious(account);
  const name = shown?.name ?? '';
  const remove = async () => {
    await unwrap(window.causeway.request.removeAccount({ profile: name }));
    await queries.invalidateQueries({ queryKey: ['accounts'] });
    toast(strings.remove.done(name));
  };
  return (
    <ConfirmDialog
      opened={account !== null}
      title={strings.remove.title(name)}
      verb={strings.remove.verb}
      isGrave
      isDangerous
      act={remove}
      onClose={onClose}
    >
      <p>{strings.remove.text}</p>
      <p>
        {shown?.state.status === 'signed-in' && `${strings.remove.signedIn} `}
        {strings.remove.backup}
      </p>
    </ConfirmDialog>
  );
}
