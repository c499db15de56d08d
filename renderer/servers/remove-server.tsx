import { useQuery } from '@tanstack/react-query';
import type { ConfiguredServer } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { addressOf } from '../shared/screen.ts';
import { usePrevious } from '../shared/use-last.ts';
import { strings } from './strings.ts';
import { clientsWith } from './use-usage.ts';

interface RemoveServerProps {
  server: ConfiguredServer | null;
  onClose(): void;
  onRemoved(): void;
}

const texts = strings.removeDialog;
const LIST = new Intl.ListFormat('en');

/** Says what removing a server does not do, then does it. */
export function RemoveServer({ server, onClose, onRemoved }: RemoveServerProps) {
  const shown = usePrevious(server);
  const clients = useQuery({
    queryKey: ['clients-with', server?.name],
    queryFn: () => unwrap(window.causeway.request.listClients()),
    enabled: server !== null,
    gcTime: 0,
  });
  const users = clientsWith(shown?.name ?? '', clients.data?.clients ?? []).map(({ name }) => name);
  const remove = async () => {
    await unwrap(window.causeway.request.removeServer({ name: shown?.name ?? '' }));
    onRemoved();
  };
  return (
    <ConfirmDialog
      opened={server !== null}
      title={texts.title(shown?.title ?? '')}
      verb={texts.verb}
      isGrave
      isDangerous
      act={remove}
      onClose={onClose}
    >
      <p>{texts.text}</p>
      {users.length > 0 && (
        <p>
          {texts.entries(LIST.format(users))}{' '}
          <a href={addressOf('clients')} onClick={onClose}>
            {texts.openClients}
          </a>
        </p>
      )}
      {clients.data && users.length === 0 && <p>{texts.noEntries}</p>}
    </ConfirmDialog>
  );
}
