import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Verification } from '../../preload/contract.ts';
import { answered } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { ActionFailure } from '../shared/notice.tsx';
import { AskEndToEnd } from './ask-end-to-end.tsx';
import styles from './verify.module.css';
import { checkLines, STATUS_WORDS } from './verify-words.ts';

/** The three checks that what is shown is so: with what they are doing, and a way to end them. */
export function Verify({ profile, verification }: { profile: string; verification: Verification | null }) {
  const { request } = window.causeway;
  const [asking, setAsking] = useState(false);
  const verify = useMutation({
    mutationFn: (mayStop: string[] | null) => answered(request.verify({ profile, mayStop })),
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
            <Button variant="default" size="compact-sm" onClick={() => verify.mutate(null)}>
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
            <span className={styles.status}>{STATUS_WORDS[status]}</span>
            <p className={styles.words}>{words}</p>
          </li>
        ))}
      </ul>
      <AskEndToEnd
        profile={profile}
        opened={asking}
        onClose={() => setAsking(false)}
        onAgree={(mayStop) => verify.mutate(mayStop)}
      />
    </section>
  );
}
