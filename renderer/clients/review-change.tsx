import { Button, Skeleton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { ClientChange, ClientOutcome } from '../../preload/contract.ts';
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
import { changesIn, failuresIn, isHeldUp, useChangeClients, useClientPreview } from './use-client-change.ts';

const { review: texts } = strings;

/** A change that is shown to the user before it is made. */
export interface Review {
  title: string;
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
  const { verb, failing = [] } = review;
  const [replace, setReplace] = useState(false);
  const [leftOut, setLeftOut] = useState(failing);
  const servers = [...review.change.servers, ...failing.filter((name) => !leftOut.includes(name))];
  const change = { ...review.change, servers, replace };
  const preview = useClientPreview(change);
  const making = useChangeClients((outcomes) => {
    onDone(outcomes);
    // What was written is no longer a difference.
    if (failuresIn(outcomes).length > 0) return void preview.refetch();
    toast(strings.changed(new Set(outcomes.map(({ client }) => client)).size), 'clients');
    onClose();
  });
  // Other clients that lose an entry are named above the button.
  const make = (whileRunning: boolean) => making.mutate({ ...change, whileRunning, evenShared: true });
  const changes = changesIn(preview.data);
  const failures = failuresIn(making.data ?? preview.data);
  const isKnown = preview.data !== undefined || servers.length === 0;
  return (
    <div className={layout.stack}>
      <Consequences review={review} servers={servers} outcomes={preview.data} isHeldUp={isHeldUp(failures)}>
        {leftOut.length > 0 && (
          <Notice tone="note" message={texts.leftOut(listed(leftOut))} remedy={null}>
            <Button variant="default" size="compact-sm" onClick={() => setLeftOut([])}>
              {texts.includeAnyway}
            </Button>
          </Notice>
        )}
      </Consequences>
      {preview.isLoading && <Skeleton height={120} />}
      <FailureNotice error={preview.error} onRetry={preview.refetch} />
      {changes.map((outcome) => (
        <ReviewedFile
          key={`${outcome.client} ${outcome.file}`}
          {...outcome}
          isFolded={review.change.clients.length > 1}
        />
      ))}
      {isKnown && changes.length + failures.length === 0 && <p>{texts.nothing}</p>}
      {failures.map(({ problem }) => (
        <InSight key={problem.message}>
          <Notice {...problem} />
        </InSight>
      ))}
      <ActionFailure error={making.error} />
      <Footer>
        <Button variant="default" onClick={onClose} data-autofocus>
          {making.data ? strings.close : strings.cancel}
        </Button>
        {!replace && failures.some(({ problem }) => problem.code === 'already_exists') && (
          <Button variant="default" onClick={() => setReplace(true)}>
            {texts.replace}
          </Button>
        )}
        {isHeldUp(failures) && (
          <Button variant="default" onClick={() => make(true)}>
            {texts.anyway[verb]}
          </Button>
        )}
        <Button disabled={changes.length === 0} loading={making.isPending} onClick={() => make(false)}>
          {isHeldUp(failures) ? strings.tryAgain : texts.verbs[verb]}
        </Button>
      </Footer>
    </div>
  );
}

interface ConsequencesProps {
  review: Review;
  servers: string[];
  outcomes: ClientOutcome[] | undefined;
  /** Whether the change has failed because clients run. */
  isHeldUp: boolean;
  children: ReactNode;
}

/** What a change does beside the differences in the files, and what to do before it. */
function Consequences({ review, servers, outcomes = [], isHeldUp: hasFailed, children }: ConsequencesProps) {
  const { change, running } = review;
  const changes = changesIn(outcomes);
  const losing = new Set(outcomes.flatMap(({ sharedWith }) => sharedWith.map(({ name }) => name)));
  const warnings = new Set(changes.flatMap((outcome) => outcome.warnings));
  return (
    <>
      {change.clients.length > 1 && changes.length > 0 && (
        <p>{texts.summary(listed(servers), listed([...new Set(changes.map(({ name }) => name))]))}</p>
      )}
      {children}
      {running.length > 0 && !hasFailed && (
        <Notice tone="note" message={texts.quit(listed(running))} remedy={texts.quitHelp} />
      )}
      {losing.size > 0 && <Notice message={texts.loses(listed([...losing]))} remedy={texts.losesHelp} />}
      {[...warnings].map((warning) => (
        <Notice key={warning} tone="note" message={warning} remedy={null} />
      ))}
    </>
  );
}

/** What changes in one file; of many files it is folded. */
function ReviewedFile({ name, file, diff, isFolded }: { name: string; file: string; diff: string; isFolded: boolean }) {
  const difference = <Difference file={file} diff={diff} />;
  if (!isFolded) return <section aria-label={name}>{difference}</section>;
  return (
    <details className={styles.folded}>
      <summary>{name}</summary>
      {difference}
    </details>
  );
}
