import type { ReactNode } from 'react';
import { ScreenTitle } from '../shared/screen-head.tsx';
import styles from './first-run.module.css';

interface StepPageProps {
  title: string;
  lead: string;
  /** The buttons that lead on and back, always in sight. */
  footer?: ReactNode;
  onSubmit?: () => void;
  children?: ReactNode;
}

/** One step: its heading, one sentence, what it asks for, and the buttons that lead on. */
export function StepPage({ title, lead, footer, onSubmit, children }: StepPageProps) {
  const content = (
    <>
      <div className={styles.intro}>
        <ScreenTitle>{title}</ScreenTitle>
        <p className={styles.lead}>{lead}</p>
      </div>
      {children}
      {footer && (
        <div className={styles.footer} data-footer="page">
          {footer}
        </div>
      )}
    </>
  );
  if (!onSubmit) return <div className={styles.content}>{content}</div>;
  return (
    <form
      noValidate
      className={styles.content}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {content}
    </form>
  );
}
