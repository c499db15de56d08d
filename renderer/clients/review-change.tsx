import { Button, Skeleton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ClientChange, ClientOutcome } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import { Dialog } from '../shared/dialog.tsx';
import { Footer } from '../shared/footer.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice, InSight, Notice } from '../shared/notice.tsx';
import { toast } from '../shared/toast.tsx';
import { usePrevious } from '../shared/use-last.ts';
import styles from './clients.module.css';
import { Difference } from './difference.tsx';
import { listed } from './format.ts';
import { strings } from './strings.ts';

const { review: words } = strings;

/** A change that is shown to the user before it is made. */
export interface Review {
  title: string;
  /** What the button that makes it says. */
  verb: 'Add' | 'Remove' | 'Repair' | 'Update';
  change: ClientChange;
  /** Names of clients that run now and would undo it. */
  running: string[];
  /** Servers that have a problem, and are left out unless the user wants them. */
  failing?: string[];
}

/** Leads to what a change does to one client, before it is made. */
export type ReviewChanges = (
  verb: Review['verb'],
  title: string,
  servers: string[],
  more?: Partial<ClientChange>,
) => void;

interface ReviewChangeProps {
  review: Review | null;
  onClose(): void;
  onDone(outcomes: ClientOutcome[]): void;
}

/** Shows what a change does to each file, and makes it. */
export function ReviewChange({ review, onClose, onDone }: ReviewChangeProps) {
  const shown = usePrevious(review);
  return (
    <Dialog opened={review !== null} onClose={onClose} title={shown?.title} size="lg">
      {shown && <Reviewing key={JSON.stringify(shown.change)} review={shown} onClose={onClose} onDone={onDone} />}
    </Dialog>
  );
}

function Reviewing({ review, onClose, onDone }: ReviewChangeProps & { review: Review }) {
  const { request } = window.causeway;
  const { verb, running, failing = [] } = review;
  const [replace, setReplace] = useState(false);
  const [isWhole, setWhole] = useState(false);
  const servers = isWhole ? [...review.change.servers, ...failing] : review.change.servers;
  const change = { ...review.change, servers, replace };
  const preview = useQuery({
    queryKey: ['client-change', change],
    queryFn: () => unwrap(request.previewClientChange(change)),
    enabled: servers.length > 0,
    gcTime: 0,
    staleTime: 0,
  });
  const making = useMutation({
    // Other clients that lose an entry are named above the button.
    mutationFn: (whileRunning: boolean) => unwrap(request.changeClients({ ...change, whileRunning, evenShared: true })),
    onSuccess: (outcomes) => {
      onDone(outcomes);
      if (!outcomes.some(({ problem }) => problem)) {
        toast(strings.changed(new Set(outcomes.map(({ client }) => client)).size), 'clients');
        return onClose();
      }
      // What was written is no longer a difference.
      void preview.refetch();
    },
  });
  const outcomes = preview.data ?? [];
  const changes = outcomes.filter(({ diff }) => diff !== null);
  const failures = (making.data ?? outcomes).flatMap(({ problem }) => problem ?? []);
  const isTaken = failures.some(({ code }) => code === 'already_exists');
  const runs = failures.some(({ code }) => code === 'client_running');
  const losing = [...new Set(outcomes.flatMap(({ sharedWith }) => sharedWith.map(({ name }) => name)))];
  const warnings = [...new Set(changes.flatMap((outcome) => outcome.warnings))];
  const isMany = review.change.clients.length > 1;
  return (
    <div className={layout.stack}>
      {isMany && changes.length > 0 && (
        <p>{words.summary(listed(servers), listed([...new Set(changes.map(({ name }) => name))]))}</p>
      )}
      {failing.length > 0 && !isWhole && (
        <Notice tone="note" message={words.leftOut(listed(failing))} remedy={null}>
          <Button variant="default" size="compact-sm" onClick={() => setWhole(true)}>
            {words.includeAnyway}
          </Button>
        </Notice>
      )}
      {running.length > 0 && !runs && (
        <Notice tone="note" message={words.quit(listed(running))} remedy={words.quitHelp} />
      )}
      {losing.length > 0 && <Notice message={words.loses(listed(losing))} remedy={words.losesHelp} />}
      {warnings.map((warning) => (
        <Notice key={warning} tone="note" message={warning} remedy={null} />
      ))}
      {preview.isPending && servers.length > 0 && <Skeleton height={120} />}
      <FailureNotice error={preview.error} onRetry={preview.refetch} />
      {changes.map((outcome) => (
        <ReviewedFile key={`${outcome.client} ${outcome.file}`} outcome={outcome} isFolded={isMany} />
      ))}
      {(preview.data || servers.length === 0) && changes.length === 0 && failures.length === 0 && (
        <p>{words.nothing}</p>
      )}
      {failures.map((problem) => (
        <InSight key={problem.message}>
          <Notice {...problem} />
        </InSight>
      ))}
      <ActionFailure error={making.error} />
      <Footer>
        <Button variant="default" onClick={onClose} data-autofocus>
          {making.data ? strings.close : strings.cancel}
        </Button>
        {isTaken && !replace && (
          <Button variant="default" onClick={() => setReplace(true)}>
            {words.replace}
          </Button>
        )}
        {runs && (
          <Button variant="default" onClick={() => making.mutate(true)}>
            {words.anyway[verb]}
          </Button>
        )}
        <Button disabled={changes.length === 0} loading={making.isPending} onClick={() => making.mutate(false)}>
          {runs ? strings.tryAgain : words.verbs[verb]}
        </Button>
      </Footer>
    </div>
  );
}

/** What changes in one file; of many files it is folded. */
function ReviewedFile({ outcome, isFolded }: { outcome: ClientOutcome; isFolded: boolean }) {
  const { name, file, diff } = outcome;
  const difference = <Difference file={file ?? ''} diff={diff ?? ''} />;
  if (!isFolded) return <section aria-label={name}>{difference}</section>;
  return (
    <details className={styles.folded}>
      <summary>{name}</summary>
      {difference}
    </details>
  );
}
