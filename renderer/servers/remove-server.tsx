import { useQuery } from '@tanstack/react-query';
import type { AiClient } from '../../preload/contract.ts';
import { answered } from '../shared/answered.ts';
import { Question } from '../shared/question.tsx';
import { addressOf } from '../shared/screen.ts';
import { useLast } from '../shared/use-last.ts';

interface RemoveServerProps {
  name: string | null;
  onClose(): void;
  onRemoved(): void;
}

/** Says what removing a server does not do, then does it. */
export function RemoveServer({ name, onClose, onRemoved }: RemoveServerProps) {
  const shown = useLast(name) ?? '';
  const clients = useQuery({
    queryKey: ['clients-with', name],
    queryFn: () => answered(window.causeway.request.listClients()),
    enabled: name !== null,
    gcTime: 0,
  });
  const users = usersOf(shown, clients.data?.clients ?? []);
  const remove = async () => {
    await answered(window.causeway.request.removeServer({ name: shown }));
    onRemoved();
  };
  return (
    <Question opened={name !== null} title={`Remove ${shown}?`} verb="Remove" isGrave act={remove} onClose={onClose}>
      <p>
        It leaves this list, and no AI client is offered it any more. Nothing is removed from the workspace, and you can
        add it again.
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
    </Question>
  );
}

/** The names of the clients that have an entry of ours for a server. */
function usersOf(server: string, clients: readonly AiClient[]): string[] {
  const has = ({ files }: AiClient) =>
    files.some(({ entries }) => ['current', 'outdated', 'edited', 'broken'].includes(entries[server] ?? 'absent'));
  return clients.filter(has).map(({ name }) => name);
}
