import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { problemIn } from './answered.ts';
import styles from './notice.module.css';

interface NoticeProps {
  message: string;
  remedy: string | null;
  /** A note is only good to know. */
  tone?: 'warning' | 'note';
  /** What to do next, as buttons. */
  children?: ReactNode;
}

/** Something that is not as it should be: what, why, and the next step. */
export function Notice({ message, remedy, tone = 'warning', children }: NoticeProps) {
  return (
    <div className={styles.notice} data-tone={tone} role={tone === 'warning' ? 'alert' : 'note'}>
      <p className={styles.message}>{message}</p>
      {remedy && <p>{remedy}</p>}
      {children && <div className={styles.actions}>{children}</div>}
    </div>
  );
}

/** What a request came to that could not be fulfilled; nothing where there is no such. */
export function FailureNotice({ error, onRetry }: { error: Error | null; onRetry?: () => unknown }) {
  if (error === null) return null;
  const { message, remedy } = problemIn(error);
  return (
    <Notice message={message} remedy={remedy}>
      {onRetry && (
        <Button variant="default" onClick={() => void onRetry()}>
          Try again
        </Button>
      )}
    </Notice>
  );
}
