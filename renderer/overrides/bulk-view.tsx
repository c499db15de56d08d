import { Button, NativeSelect, Progress } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Bulk, BulkLine } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice, Notice } from '../shared/notice.tsx';
import { usePagedRows } from '../shared/paged-rows.ts';
import { ScreenTitle } from '../shared/screen-head.tsx';
import { type Column, VirtualTable } from '../shared/virtual-table.tsx';
import { changesIn, changeText, counted, formatPlan, formatResults, remarkOf, resultText } from './format.ts';
import styles from './overrides.module.css';

const FILTERS = [
  { value: 'all', label: 'All lines' },
  { value: 'changes', label: 'Only changes' },
  { value: 'trouble', label: 'Only warnings and failures' },
];

/** A bulk change: its plan, its progress and the result of each line. */
export function BulkView({ profile, bulk }: { profile: string; bulk: Bulk }) {
  const { request } = window.causeway;
  const { stage, ended, total } = bulk;
  const [only, setOnly] = useState<'all' | 'changes' | 'trouble'>('all');
  const planning = useMutation({ mutationFn: () => unwrap(request.planAgain({ profile })) });
  const applying = useMutation({ mutationFn: () => unwrap(request.applyBulk({ profile })) });
  const saving = useMutation({ mutationFn: () => unwrap(request.saveBulkReport()) });
  const rows = usePagedRows({
    scope: only,
    version: `${stage} ${ended}`,
    load: (from, count) => unwrap(request.bulkPage({ only, from, count })),
  });
  const changes = changesIn(bulk);
  const isDone = stage === 'ended' || stage === 'failed';
  return (
    <div className={`${layout.screen} ${styles.screen}`}>
      <ScreenTitle>Changes from {bulk.source}</ScreenTitle>
      {stage === 'planning' && <p role="status">Comparing with what the workspace holds…</p>}
      {stage === 'planned' && <p role="status">{formatPlan(bulk)}</p>}
      {stage === 'applying' && (
        <div className={layout.head}>
          <Progress
            className={styles.meter}
            value={(100 * ended) / Math.max(1, total)}
            aria-label="Lines that have ended"
          />
          <span>
            {ended} of {counted(total, 'line')}
          </span>
        </div>
      )}
      {stage === 'ended' && <p role="status">{formatResults(bulk)}</p>}
      {stage === 'ended' && bulk.results['not-tried'] > 0 && (
        <Notice
          message="It was ended before the last line."
          remedy="Do the same again to go on: what is done already stays as it is."
        />
      )}
      {bulk.problem && <Notice {...bulk.problem} />}
      <ActionFailure error={planning.error ?? applying.error} />
      <ActionFailure error={saving.error} />
      {saving.data && <Notice tone="note" message="The report is saved." remedy={`It is in ${saving.data.file}.`} />}
      {total > 0 && (
        <>
          <NativeSelect
            className={styles.filter}
            aria-label="Which lines"
            data={FILTERS}
            value={only}
            onChange={({ currentTarget: { value } }) =>
              setOnly(value === 'changes' || value === 'trouble' ? value : 'all')
            }
          />
          <FailureNotice error={rows.error} onRetry={rows.retry} />
          <LineTable rows={rows} only={only} />
        </>
      )}
      <div className={layout.actions}>
        {(stage === 'planning' || stage === 'applying') && (
          <Button variant="default" onClick={() => void request.cancelBulk()}>
            {stage === 'planning' ? 'Cancel' : 'Stop'}
          </Button>
        )}
        {stage === 'planned' && (
          <>
            <Button disabled={changes === 0} onClick={() => applying.mutate()}>
              {changes === 0 ? 'Nothing to change' : `Make ${counted(changes, 'change')}`}
            </Button>
            <Button variant="default" onClick={() => void request.dismissBulk()}>
              Leave everything as it is
            </Button>
          </>
        )}
        {stage === 'failed' && <Button onClick={() => planning.mutate()}>Try again</Button>}
        {isDone && (
          <Button variant={stage === 'failed' ? 'default' : 'filled'} onClick={() => void request.dismissBulk()}>
            Back to everyone
          </Button>
        )}
        {stage === 'ended' && (
          <Button variant="default" loading={saving.isPending} onClick={() => saving.mutate()}>
            Save a report…
          </Button>
        )}
      </div>
    </div>
  );
}

function LineTable({ rows, only }: { rows: ReturnType<typeof usePagedRows<BulkLine>>; only: string }) {
  const columns = useMemo<Column<BulkLine>[]>(
    () => [
      { name: 'line', title: 'Line', cell: ({ line }) => line },
      {
        name: 'person',
        title: 'Person',
        cell: ({ userName, userId }) => (
          <p className={styles.name} title={userId}>
            {userName || userId || 'Nobody'}
          </p>
        ),
      },
      {
        name: 'target',
        title: 'Change',
        cell: (line) => (
          <div title={`${changeText(line)} ${remarkOf(line)}`}>
            {changeText(line) && <p className={styles.name}>{changeText(line)}</p>}
            {remarkOf(line) && <p className={styles.remark}>{remarkOf(line)}</p>}
          </div>
        ),
      },
      { name: 'outcome', title: 'Outcome', cell: (line) => resultText(line) },
    ],
    [],
  );
  return <VirtualTable label="Lines" columns={columns} rows={rows} look={styles.lines} scope={only} />;
}
