import { Button, Modal, Skeleton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ClientChange, ClientOutcome } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice, InSight, Notice } from '../shared/notice.tsx';
import { usePrevious } from '../shared/use-last.ts';
import styles from './clients.module.css';
import { Difference } from './difference.tsx';

/** A change that is shown to the user before it is made. */
export interface Review {
  title: string;
  /** What the button that makes it says. */
  verb: 'Add' | 'Remove' | 'Repair' | 'Update';
  change: ClientChange;
  /** Names of clients that run now and would undo it. */
  running: string[];
}

interface ReviewChangeProps {
  review: Review | null;
  onClose(): void;
  onDone(outcomes: ClientOutcome[]): void;
}

/** Shows what a change does to each file, and makes it. */
export function ReviewChange({ review, onClose, onDone }: ReviewChangeProps) {
  const shown = usePrevious(review);
  return (
    <Modal opened={review !== null} onClose={onClose} title={shown?.title} size="lg">
      {shown && <Reviewing key={JSON.stringify(shown.change)} review={shown} onClose={onClose} onDone={onDone} />}
    </Modal>
  );
}

function Reviewing({ review, onClose, onDone }: ReviewChangeProps & { review: Review }) {
  const { request } = window.causeway;
  const [replace, setReplace] = useState(false);
  const change = { ...review.change, replace };
  const preview = useQuery({
    queryKey: ['client-change', change],
    queryFn: () => unwrap(request.previewClientChange(change)),
    gcTime: 0,
    staleTime: 0,
  });
  const making = useMutation({
    // Other clients that lose an entry are named above the button.
    mutationFn: (whileRunning: boolean) => unwrap(request.changeClients({ ...change, whileRunning, evenShared: true })),
    onSuccess: (outcomes) => {
      onDone(outcomes);
      if (!outcomes.some(({ problem }) => problem)) return onClose();
      // What was written is no longer a difference.
      void preview.refetch();
    },
  });
  const outcomes = preview.data ?? [];
  const changes = outcomes.filter(({ diff }) => diff !== null);
  const failures = (making.data ?? outcomes).flatMap(({ problem }) => problem ?? []);
  const isTaken = failures.some(({ code }) => code === 'already_exists');
  const runs = failures.some(({ code }) => code === 'client_running');
  const running = review.running.join(' and ');
  const losing = [...new Set(outcomes.flatMap(({ sharedWith }) => sharedWith.map(({ name }) => name)))];
  return (
    <div className={layout.stack}>
      {review.running.length > 0 && !runs && (
        <Notice
          tone="note"
          message={`${running} is running.`}
          remedy={`It writes its file anew from memory, and what is added meanwhile would be lost. Quit ${running} first.`}
        />
      )}
      {losing.length > 0 && (
        <Notice
          message={`${losing.join(' and ')} would lose the same entries.`}
          remedy="They read the same file. What is removed here is removed from them too."
        />
      )}
      {preview.isPending && <Skeleton height={120} />}
      <FailureNotice error={preview.error} onRetry={preview.refetch} />
      {changes.map(({ client, name, file, diff }) => (
        <section key={`${client} ${file}`} aria-label={name}>
          <h3 className={styles.reviewed}>{name}</h3>
          <Difference file={file ?? ''} diff={diff ?? ''} />
        </section>
      ))}
      {preview.data && changes.length === 0 && failures.length === 0 && <p>There is nothing to change.</p>}
      {failures.map((problem) => (
        <InSight key={problem.message}>
          <Notice {...problem} />
        </InSight>
      ))}
      <ActionFailure error={making.error} />
      <div className={layout.closing}>
        <Button variant="default" onClick={onClose} data-autofocus>
          {making.data ? 'Close' : 'Cancel'}
        </Button>
        {isTaken && !replace && (
          <Button variant="default" onClick={() => setReplace(true)}>
            Replace it…
          </Button>
        )}
        {runs && (
          <Button variant="default" onClick={() => making.mutate(true)}>
            {review.verb} anyway
          </Button>
        )}
        <Button disabled={changes.length === 0} loading={making.isPending} onClick={() => making.mutate(false)}>
          {runs ? 'Try again' : review.verb}
        </Button>
      </div>
    </div>
  );
}
