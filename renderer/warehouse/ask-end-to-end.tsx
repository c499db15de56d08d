import { Button, Modal, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answered } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { FailureNotice } from '../shared/notice.tsx';
import { ScrollBox } from '../shared/scroll-box.tsx';
import styles from './verify.module.css';
import { beforeEndToEnd } from './verify-words.ts';

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
    <div className={layout.stack}>
      <p>A query through the SQL server has to start the right warehouse by itself.</p>
      {running.isPending && <Skeleton height={42} />}
      <FailureNotice error={running.error} onRetry={running.refetch} />
      {data && <p>{beforeEndToEnd(data.map(({ name }) => name))}</p>}
      {data && data.length > 0 && (
        <ScrollBox label="What would be stopped" className={styles.toStop}>
          <ul>
            {data.map(({ id, name }) => (
              <li key={id}>{name}</li>
            ))}
          </ul>
        </ScrollBox>
      )}
      <div className={layout.closing}>
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
    </div>
  );
}
