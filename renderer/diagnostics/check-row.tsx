import { Button } from '@mantine/core';
import type { DiagnosticCheck, DiagnosticNextStep } from '../../preload/contract.ts';
import layout from '../shared/layout.module.css';
import { showScreen } from '../shared/screen.ts';
import styles from './diagnostics.module.css';
import { MARKS, STATUS_WORDS } from './words.ts';

/** One check: what it is about, what it came to, and what can be done. */
export function CheckRow({ check }: { check: DiagnosticCheck }) {
  const { title, status, words, remedy, nextStep } = check;
  return (
    <li className={`${layout.row} ${styles.check}`} aria-label={title}>
      <span aria-hidden className={styles.mark} data-status={status}>
        {MARKS[status]}
      </span>
      <div>
        <p className={styles.line}>
          <span className={layout.name}>{title}</span>
          <span className={layout.quiet}>{STATUS_WORDS[status]}</span>
        </p>
        {words && <p className={layout.quiet}>{words}</p>}
        {remedy && <p className={layout.quiet}>{remedy}</p>}
        {nextStep && (
          <Button variant="default" size="compact-sm" className={styles.step} onClick={() => take(nextStep)}>
            {nextStep.label}
          </Button>
        )}
      </div>
    </li>
  );
}

function take(step: DiagnosticNextStep): void {
  const { request } = window.causeway;
  if (step.do === 'open-screen') showScreen(step.screen);
  else if (step.do === 'show-log') void request.showLogFolder();
  else {
    showScreen('warehouse');
    void request.signInTo({ profile: step.profile });
  }
}
