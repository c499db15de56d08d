import { Button, Modal, Skeleton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { DiagnosticCheck, DiagnosticNextStep } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice } from '../shared/notice.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { showScreen } from '../shared/screen.ts';
import { ScreenHead } from '../shared/screen-head.tsx';
import { ScrollBox } from '../shared/scroll-box.tsx';
import { useSubscription } from '../shared/use-desktop-state.ts';
import styles from './diagnostics.module.css';
import { DIAGNOSIS_STATUS_TEXT, formatDiagnosis, MARKS } from './format.ts';

const KEY = ['diagnosis'];

/** The checks, which run when the user starts them, and the report for support. */
export function DiagnosticsScreen() {
  const { request, on } = window.causeway;
  const { data, error, refetch } = useQuery({ queryKey: KEY, queryFn: () => unwrap(request.getDiagnosis()) });
  useSubscription(KEY, on.diagnosisChanged);
  const running = useMutation({ mutationFn: () => unwrap(request.runDiagnosis()) });
  return (
    <div className={layout.sections}>
      <ScreenHead title="Diagnostics">
        {data?.running ? (
          <Button variant="default" onClick={() => void request.cancelDiagnosis()}>
            Cancel
          </Button>
        ) : (
          <Button onClick={() => running.mutate()}>{data?.startedAt == null ? 'Run the checks' : 'Run again'}</Button>
        )}
      </ScreenHead>
      <FailureNotice error={error ?? running.error} onRetry={refetch} />
      {!data && !error && <Skeleton height={320} />}
      {data && (
        <section aria-label="Checks">
          <p role="status" className={styles.outcome}>
            {formatDiagnosis(data)}
            {data.startedAt !== null && !data.running && (
              <>
                {' '}
                Checked <RelativeTime at={data.startedAt} />.
              </>
            )}
          </p>
          <ul className={layout.list}>
            {data.checks.map((check) => (
              <CheckRow key={check.id} check={check} />
            ))}
          </ul>
        </section>
      )}
      <Report />
    </div>
  );
}

/** One check: what it is about, what it came to, and what can be done. */
function CheckRow({ check }: { check: DiagnosticCheck }) {
  const { title, status, words, remedy, nextStep } = check;
  return (
    <li className={`${layout.row} ${styles.check}`} aria-label={title}>
      <span aria-hidden className={styles.mark} data-status={status}>
        {MARKS[status]}
      </span>
      <div>
        <p className={styles.line}>
          <span className={layout.name}>{title}</span>
          <span className={layout.quiet}>{DIAGNOSIS_STATUS_TEXT[status]}</span>
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

/** The report for support, to read, copy and save. */
function Report() {
  const { request } = window.causeway;
  const [reading, setReading] = useState(false);
  const copying = useMutation({ mutationFn: () => unwrap(request.copyDiagnostics()) });
  const saving = useMutation({ mutationFn: () => unwrap(request.saveDiagnostics()) });
  const done = saving.data?.file ? `Saved as ${saving.data.file}.` : copying.isSuccess ? 'Copied.' : '';
  return (
    <section aria-label="Report" className={layout.stack}>
      <h2>Report for whoever helps you</h2>
      <p className={layout.quiet}>
        Versions, the checks above, states and the newest lines of the log, as plain text. Tokens, passwords and
        people’s names are taken out.
      </p>
      <div className={layout.actions}>
        <Button
          variant="default"
          loading={copying.isPending}
          onClick={() => {
            saving.reset();
            copying.mutate();
          }}
        >
          Copy diagnostics
        </Button>
        <Button
          variant="default"
          loading={saving.isPending}
          onClick={() => {
            copying.reset();
            saving.mutate();
          }}
        >
          Save…
        </Button>
        <Button variant="subtle" onClick={() => setReading(true)}>
          Read it first
        </Button>
        <span role="status">{done}</span>
      </div>
      <ActionFailure error={copying.error ?? saving.error} />
      <Modal opened={reading} onClose={() => setReading(false)} title="Report" size="xl">
        {reading && <Preview />}
      </Modal>
    </section>
  );
}

function Preview() {
  const { data, error } = useQuery({
    queryKey: ['diagnostics-preview'],
    queryFn: () => unwrap(window.causeway.request.previewDiagnostics()),
    gcTime: 0,
  });
  if (error) return <FailureNotice error={error} />;
  if (!data) return <Skeleton height={240} />;
  return (
    <ScrollBox label="The report’s text" className={styles.preview}>
      <pre>{data.text}</pre>
    </ScrollBox>
  );
}
