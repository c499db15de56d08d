import { Button, Modal, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answered, problemIn } from '../shared/answered.ts';
import { Notice } from '../shared/notice.tsx';
import styles from './verify.module.css';
import { beforeEndToEnd } from './verify-words.ts';
import shared from './warehouse.module.css';

interface AskEndToEndProps {
  profile: string;
  opened: boolean;
  onClose(): void;
  /** Told the ids of the warehouses that were named, and no others. */
  onAgree(mayStop: string[]): void;
}

/** Names what the third check would stop, and begins it only once the person has agreed. */
export function AskEndToEnd({ profile, opened, onClose, onAgree }: AskEndToEndProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Check end to end?">
      <Asking profile={profile} onClose={onClose} onAgree={onAgree} />
    </Modal>
  );
}

function Asking({ profile, onClose, onAgree }: Omit<AskEndToEndProps, 'opened'>) {
  const running = useQuery({
    queryKey: ['would-stop', profile],
    queryFn: () => answered(window.causeway.request.wouldStop({ profile })),
    gcTime: 0,
  });
  const { data } = running;
  return (
    <>
      <div className={shared.dialog}>
        <p>A query through the SQL server has to start the right warehouse by itself.</p>
        {running.isPending && <Skeleton height={42} />}
        {running.error && (
          <Notice {...problemIn(running.error)}>
            <Button variant="default" onClick={() => void running.refetch()}>
              Try again
            </Button>
          </Notice>
        )}
        {data && <p>{beforeEndToEnd(data.map(({ name }) => name))}</p>}
        {data && data.length > 0 && (
          <ul className={styles.toStop}>
            {data.map(({ id, name }) => (
              <li key={id}>{name}</li>
            ))}
          </ul>
        )}
      </div>
      <div className={shared.dialogActions}>
        <Button variant="default" data-autofocus onClick={onClose}>
          Cancel
        </Button>
        <Button
          disabled={!data}
          onClick={() => {
            onAgree((data ?? []).map(({ id }) => id));
            onClose();
          }}
        >
          {data && data.length > 0 ? 'Stop and check' : 'Check'}
        </Button>
      </div>
    </>
  );
}
