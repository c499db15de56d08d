import { Button } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { problemIn } from './answered.ts';
import styles from './notice.module.css';
import { strings } from './strings.ts';

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

/** Why something is not there to be seen; nothing if there is no such reason. */
export function FailureNotice({ error, onRetry }: { error: Error | null; onRetry?: () => unknown }) {
  if (error === null) return null;
  const { message, remedy } = problemIn(error);
  return (
    <Notice message={message} remedy={remedy}>
      {onRetry && (
        <Button variant="default" onClick={() => void onRetry()}>
          {strings.tryAgain}
        </Button>
      )}
    </Notice>
  );
}

/** Why the action that the user has just started failed. */
export function ActionFailure({ error }: { error: Error | null }) {
  return (
    error && (
      <InSight>
        <FailureNotice error={error} />
      </InSight>
    )
  );
}

/**
 * What answers the press of a button comes into sight: in a low window the button may be all that is left of the form. The
 * focus stays where it is.
 */
export function InSight({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Newer browsers answer with a promise, which React would take for what to do at the end.
    void place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div ref={place} className={styles.inSight}>
      {children}
    </div>
  );
}
