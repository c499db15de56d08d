import { Button, Modal, NativeSelect, Skeleton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Check, Verification } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice } from '../shared/notice.tsx';
import { ScrollBox } from '../shared/scroll-box.tsx';
import { pinnedWarehouses, usePins } from './pick-pin.tsx';
import styles from './verify.module.css';

/** The three checks of the shown warehouse, with their progress and a button that cancels them. */
export function Verify({ profile, verification }: { profile: string; verification: Verification | null }) {
  const { request } = window.causeway;
  const [asking, setAsking] = useState(false);
  const verify = useMutation({
    mutationFn: ({ mayStop = null, pin = null }: { mayStop?: string[] | null; pin?: string | null }) =>
      unwrap(request.verify({ profile, mayStop, pin })),
  });
  const running = verification?.running ?? false;
  return (
    <section aria-labelledby="verify">
      <div className={`${layout.head} ${styles.head}`}>
        <h2 id="verify">Verify</h2>
        {running ? (
          <Button variant="default" size="compact-sm" onClick={() => void request.cancelVerify()}>
            Cancel
          </Button>
        ) : (
          <div className={layout.actions}>
            <Button variant="default" size="compact-sm" onClick={() => verify.mutate({})}>
              Run checks
            </Button>
            <Button variant="default" size="compact-sm" onClick={() => setAsking(true)}>
              Check end to end…
            </Button>
          </div>
        )}
      </div>
      {verify.error && (
        <div className={styles.checks}>
          <ActionFailure error={verify.error} />
        </div>
      )}
      <ul className={`${layout.list} ${styles.checks}`} aria-live="polite">
        {checkLines(verification).map(({ name, title, status, words }) => (
          <li key={name} className={`${layout.row} ${layout.split} ${styles.check}`} data-status={status}>
            <span>{title}</span>
            <span className={styles.status}>{CHECK_STATUS_TEXT[status]}</span>
            <p className={styles.words}>{words}</p>
          </li>
        ))}
      </ul>
      <AskEndToEnd
        profile={profile}
        opened={asking}
        onClose={() => setAsking(false)}
        onAgree={(mayStop, pin) => verify.mutate({ mayStop, pin })}
      />
    </section>
  );
}

interface AskEndToEndProps {
  profile: string;
  opened: boolean;
  onClose(): void;
  /** Called with the ids of the warehouses that were named, and no others, and with the pin that the query is to carry. */
  onAgree(mayStop: string[], pin: string | null): void;
}

/** Names what the third check would stop, and begins it only after the user agrees. */
function AskEndToEnd({ profile, opened, onClose, onAgree }: AskEndToEndProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Check end to end?">
      <Asking profile={profile} onClose={onClose} onAgree={onAgree} />
    </Modal>
  );
}

function Asking({ profile, onClose, onAgree }: Omit<AskEndToEndProps, 'opened'>) {
  const running = useQuery({
    queryKey: ['would-stop', profile],
    queryFn: () => unwrap(window.causeway.request.wouldStop({ profile })),
    gcTime: 0,
  });
  const { data } = running;
  const [pin, setPin] = useState('');
  const pinned = pinnedWarehouses(usePins(profile).data?.pins ?? []);
  return (
    <div className={layout.stack}>
      <p>A query through the SQL server has to start the right warehouse by itself.</p>
      {pinned.length > 0 && (
        <NativeSelect
          label="Send the query"
          value={pin}
          onChange={({ currentTarget }) => setPin(currentTarget.value)}
          data={[
            { value: '', label: 'Without a pin' },
            ...pinned.map(({ id, name }) => ({ value: id, label: `Pinned to ${name}` })),
          ]}
        />
      )}
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
            onAgree(
              (data ?? []).map(({ id }) => id),
              pin || null,
            );
            onClose();
          }}
        >
          {data && data.length > 0 ? 'Stop and check' : 'Check'}
        </Button>
      </div>
    </div>
  );
}

/** What each check is called, and what it finds out, for as long as it has nothing to say itself. */
const CHECKS: Record<Check['name'], { title: string; meaning: string }> = {
  record: { title: 'Recorded', meaning: 'The workspace holds your choice as it is shown here.' },
  resolver: { title: 'Resolves', meaning: 'The Databricks command line comes to the same warehouse.' },
  'end-to-end': {
    title: 'End to end',
    meaning: 'With everything stopped, a query through the SQL server starts this warehouse and no other.',
  },
};

const CHECK_STATUS_TEXT: Record<Check['status'] | 'not-run', string> = {
  'not-run': 'Not checked',
  waiting: 'Waiting',
  running: 'Checking…',
  pass: 'Passed',
  fail: 'Failed',
  unknown: 'Could not tell',
  'not-applicable': 'Nothing to check',
  cancelled: 'Cancelled',
};

export interface CheckLine {
  name: Check['name'];
  title: string;
  status: keyof typeof CHECK_STATUS_TEXT;
  words: string;
}

/** All three checks in their order, also those that were not asked for. */
export function checkLines(verification: Verification | null): CheckLine[] {
  const names: Check['name'][] = ['record', 'resolver', 'end-to-end'];
  return names.map((name) => {
    const { title, meaning } = CHECKS[name];
    const check = verification?.checks.find((each) => each.name === name);
    return { name, title, status: check?.status ?? 'not-run', words: check?.words || meaning };
  });
}

/** What the third check does to the warehouses that run, before it is begun. */
export function beforeEndToEnd(names: readonly string[]): string {
  if (names.length === 0) return 'No warehouse runs just now, so nothing has to be stopped.';
  const which = names.length === 1 ? 'this warehouse' : `these ${names.length} warehouses`;
  return `It stops ${which} first, and starts what it stopped again afterwards. Queries that run there, yours and those of others, are cut off.`;
}
