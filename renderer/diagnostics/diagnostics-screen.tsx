import { Button, Skeleton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { answered } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { FailureNotice } from '../shared/notice.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { ScreenHead } from '../shared/screen-head.tsx';
import { useTold } from '../shared/told.ts';
import { CheckRow } from './check-row.tsx';
import styles from './diagnostics.module.css';
import { Report } from './report.tsx';
import { outcomeInWords } from './words.ts';

const KEY = ['diagnosis'];

/** The checks, run when the person asks for it, and the report for whoever helps. */
export function DiagnosticsScreen() {
  const { request, on } = window.causeway;
  const { data, error, refetch } = useQuery({ queryKey: KEY, queryFn: () => answered(request.getDiagnosis()) });
  useTold(KEY, on.diagnosisChanged);
  const running = useMutation({ mutationFn: () => answered(request.runDiagnosis()) });
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
            {outcomeInWords(data)}
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
