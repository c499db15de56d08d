import { Button, Skeleton } from '@mantine/core';
import {
  type Icon as Glyph,
  IconAlertTriangleFilled,
  IconCircle,
  IconCircleCheckFilled,
  IconCircleDashed,
  IconCircleMinus,
  IconCircleXFilled,
  IconCopy,
  IconDeviceFloppy,
  IconEye,
  IconHelpCircle,
} from '@tabler/icons-react';
import { useState } from 'react';
import type { DiagnosticCheck, DiagnosticNextStep } from '../../preload/contract.ts';
import { useAction, useAnswer } from '../shared/answered.ts';
import { Card } from '../shared/card.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { Icon } from '../shared/icon.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice } from '../shared/notice.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { showScreen, useSection } from '../shared/screen.ts';
import { ScreenHead } from '../shared/screen-head.tsx';
import { ScrollBox } from '../shared/scroll-box.tsx';
import { SkeletonRows } from '../shared/skeleton-rows.tsx';
import { toast } from '../shared/toast.tsx';
import styles from './diagnostics.module.css';
import { DIAGNOSIS_STATUS_TEXT, formatDiagnosis, sortedChecks } from './format.ts';
import { strings } from './strings.ts';
import { useDiagnosis } from './use-diagnosis.ts';

const GLYPHS: Record<DiagnosticCheck['status'], Glyph> = {
  waiting: IconCircle,
  running: IconCircleDashed,
  pass: IconCircleCheckFilled,
  warning: IconAlertTriangleFilled,
  fail: IconCircleXFilled,
  unknown: IconHelpCircle,
  skipped: IconCircleMinus,
};

/** The checks, which run when the user starts them, and the report for support. */
export function DiagnosticsScreen() {
  const { request } = window.causeway;
  const { data, error, refetch } = useDiagnosis();
  const running = useAction(() => request.runDiagnosis());
  return (
    <div className={layout.sections}>
      <ScreenHead title={strings.title}>
        {data?.running ? (
          <Button variant="default" onClick={() => void request.cancelDiagnosis()}>
            {strings.cancel}
          </Button>
        ) : (
          <Button onClick={() => running.mutate()}>{data?.startedAt == null ? strings.run : strings.runAgain}</Button>
        )}
      </ScreenHead>
      <FailureNotice error={error ?? running.error} onRetry={refetch} />
      {!data && !error && <SkeletonRows count={6} />}
      {data && (
        <section aria-label={strings.checks}>
          <p role="status" className={styles.outcome}>
            {formatDiagnosis(data)}
            {data.startedAt !== null && !data.running && (
              <>
                {' · '}
                {strings.checked} <RelativeTime at={data.startedAt} />
              </>
            )}
          </p>
          <ul className={layout.list}>
            {sortedChecks(data).map((check) => (
              <CheckRow key={check.id} check={check} />
            ))}
          </ul>
        </section>
      )}
      <ReportSection isLaidOut={data !== undefined || error !== null} />
    </div>
  );
}

/** One check: what it is about, what it came to, and what can be done. */
function CheckRow({ check }: { check: DiagnosticCheck }) {
  const { title, status, words, remedy, nextStep } = check;
  return (
    <li className={`${layout.row} ${styles.check}`} aria-label={title}>
      <span aria-hidden className={styles.mark} data-status={status}>
        <Icon of={GLYPHS[status]} size="navigation" />
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

/** *Support Report* in the application menu leads here. */
function ReportSection({ isLaidOut }: { isLaidOut: boolean }) {
  const place = useSection('report', isLaidOut);
  return (
    <div ref={place}>
      <Report />
    </div>
  );
}

/** The report for support, to read, copy and save. */
function Report() {
  const { request } = window.causeway;
  const [reading, setReading] = useState(false);
  const { report } = strings;
  const copying = useAction(
    () => request.copyDiagnostics(),
    () => toast(report.copied, 'clipboard'),
  );
  const saving = useAction(
    () => request.saveDiagnostics(),
    ({ file }) => {
      if (file !== null) toast(report.saved(file));
    },
  );
  return (
    <Card title={report.title}>
      <p className={layout.quiet}>{report.text}</p>
      <div className={layout.actions}>
        <Button variant="default" leftSection={<Icon of={IconEye} />} onClick={() => setReading(true)}>
          {report.preview}
        </Button>
        <Button
          variant="default"
          leftSection={<Icon of={IconCopy} />}
          loading={copying.isPending}
          onClick={() => copying.mutate()}
        >
          {report.copy}
        </Button>
        <Button
          variant="default"
          leftSection={<Icon of={IconDeviceFloppy} />}
          loading={saving.isPending}
          onClick={() => saving.mutate()}
        >
          {report.save}
        </Button>
      </div>
      <ActionFailure error={copying.error ?? saving.error} />
      <Dialog opened={reading} onClose={() => setReading(false)} title={report.title} size="xl">
        {reading && <Preview />}
      </Dialog>
    </Card>
  );
}

function Preview() {
  const { data, error } = useAnswer(['diagnostics-preview'], () => window.causeway.request.previewDiagnostics(), {
    gcTime: 0,
  });
  if (error) return <FailureNotice error={error} />;
  if (!data) return <Skeleton height={240} />;
  return (
    <ScrollBox label={strings.report.content} className={styles.preview}>
      <pre>{data.text}</pre>
    </ScrollBox>
  );
}
