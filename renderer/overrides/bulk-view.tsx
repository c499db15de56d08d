import { Button, NativeSelect, Progress } from '@mantine/core';
import { IconAlertTriangle, IconArrowLeft } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { Bulk, BulkLine } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import { Footer } from '../shared/footer.tsx';
import { Icon } from '../shared/icon.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice, Notice } from '../shared/notice.tsx';
import { usePagedRows } from '../shared/paged-rows.ts';
import { ScreenTitle } from '../shared/screen-head.tsx';
import { toast } from '../shared/toast.tsx';
import { type Column, VirtualTable } from '../shared/virtual-table.tsx';
import { changesIn, changeText, counted, formatPlan, formatResults, isChange, remarkOf, resultText } from './format.ts';
import styles from './overrides.module.css';
import { strings } from './strings.ts';

const { bulk: texts } = strings;

const FILTERS = [
  { value: 'all', label: texts.allLines },
  { value: 'changes', label: texts.changesOnly },
  { value: 'problems', label: texts.problemsOnly },
];

/** A bulk change: its plan, its progress and the result of each line. */
export function BulkView({ profile, bulk }: { profile: string; bulk: Bulk }) {
  const { request } = window.causeway;
  const { stage, ended, total, results, revision } = bulk;
  const [only, setOnly] = useState<'all' | 'changes' | 'problems'>('all');
  const planning = useMutation({ mutationFn: () => unwrap(request.planAgain({ profile })) });
  const applying = useMutation({ mutationFn: () => unwrap(request.applyBulk({ profile })) });
  const undoing = useMutation({
    mutationFn: () => unwrap(request.planUndo({ profile })),
    onSuccess: () => setOnly('all'),
  });
  const leaving = useMutation({
    mutationFn: ({ line, isLeftOut }: BulkLine) => unwrap(request.leaveOut({ line, isLeftOut: !isLeftOut })),
  });
  const saving = useMutation({
    mutationFn: () => unwrap(request.saveBulkReport()),
    onSuccess: (written) => {
      if (written) toast(strings.done.reportSaved(written.file));
    },
  });
  const hasProblems = stage === 'ended' && results.done + results.unchanged < total;
  // What was left out and what failed is what is left to do.
  useEffect(() => {
    if (hasProblems) setOnly('problems');
  }, [hasProblems]);
  const rows = usePagedRows({
    scope: only,
    version: `${stage} ${ended} ${revision}`,
    load: (from, count) => unwrap(request.bulkPage({ only, from, count })),
  });
  return (
    <div className={`${layout.screen} ${styles.screen}`}>
      <ScreenTitle>{bulk.isUndo ? texts.undoTitle(bulk.source) : texts.title(bulk.source)}</ScreenTitle>
      <Stage bulk={bulk} />
      <ActionFailure error={planning.error ?? undoing.error ?? applying.error ?? leaving.error} />
      <ActionFailure error={saving.error} />
      {total > 0 && (
        <>
          <NativeSelect
            className={styles.filter}
            aria-label={texts.lines}
            data={FILTERS}
            value={only}
            onChange={({ currentTarget: { value } }) =>
              setOnly(value === 'changes' || value === 'problems' ? value : 'all')
            }
          />
          <FailureNotice error={rows.error} onRetry={rows.retry} />
          <LineTable rows={rows} only={only} onToggle={stage === 'planned' ? leaving.mutate : undefined} />
        </>
      )}
      <Footer isOfPage>
        <Actions
          bulk={bulk}
          isSaving={saving.isPending}
          onApply={applying.mutate}
          onSave={saving.mutate}
          onPlan={planning.mutate}
          onUndo={undoing.mutate}
        />
      </Footer>
    </div>
  );
}

/** How far the bulk change has come. */
function Stage({ bulk }: { bulk: Bulk }) {
  const { stage, ended, total, results, problem, journal } = bulk;
  return (
    <>
      {stage === 'planning' && <p role="status">{texts.comparing}</p>}
      {stage === 'planned' && <p role="status">{formatPlan(bulk)}</p>}
      {stage === 'applying' && (
        <div className={layout.head}>
          <Progress className={styles.meter} value={(100 * ended) / Math.max(1, total)} aria-label={texts.progress} />
          <span>{texts.of(ended, counted(total, 'line'))}</span>
        </div>
      )}
      {stage === 'ended' && <p role="status">{formatResults(bulk)}</p>}
      {stage === 'ended' && journal !== null && <p className={styles.remark}>{texts.undoLater(journal)}</p>}
      {stage === 'ended' && results['not-tried'] > 0 && <Notice message={texts.ended} remedy={texts.goOn} />}
      {problem && <Notice {...problem} />}
    </>
  );
}

interface ActionsProps {
  bulk: Bulk;
  isSaving: boolean;
  onApply(): void;
  onSave(): void;
  onPlan(): void;
  onUndo(): void;
}

function Actions({ bulk, isSaving, onApply, onSave, onPlan, onUndo }: ActionsProps) {
  const { request } = window.causeway;
  const { stage } = bulk;
  const changes = changesIn(bulk);
  const dismiss = () => void request.dismissBulk();
  const back = (
    <Button
      variant={stage === 'failed' ? 'default' : 'filled'}
      leftSection={<Icon of={IconArrowLeft} />}
      onClick={dismiss}
    >
      {texts.back}
    </Button>
  );
  switch (stage) {
    case 'planning':
    case 'applying':
      return (
        <Button variant="default" onClick={() => void request.cancelBulk()}>
          {stage === 'planning' ? texts.cancel : texts.stop}
        </Button>
      );
    case 'planned':
      return (
        <>
          <Button variant="default" onClick={dismiss}>
            {texts.cancel}
          </Button>
          <Button disabled={changes === 0} onClick={() => onApply()}>
            {changes === 0 ? texts.nothing : texts.apply(counted(changes, 'change'))}
          </Button>
        </>
      );
    case 'ended':
      return (
        <>
          {bulk.journal !== null && !bulk.isUndo && bulk.results.done > 0 && (
            <Button variant="default" onClick={() => onUndo()}>
              {texts.undo}
            </Button>
          )}
          <Button variant="default" loading={isSaving} onClick={() => onSave()}>
            {texts.saveReport}
          </Button>
          {back}
        </>
      );
    case 'failed':
      return (
        <>
          {back}
          <Button onClick={() => onPlan()}>{strings.tryAgain}</Button>
        </>
      );
  }
}

interface LineTableProps {
  rows: ReturnType<typeof usePagedRows<BulkLine>>;
  only: string;
  /** Leaves a line out or takes it in again; undefined once the plan is carried out. */
  onToggle: ((line: BulkLine) => void) | undefined;
}

function LineTable({ rows, only, onToggle }: LineTableProps) {
  const toggle = useMemo(() => onToggle && ((line: BulkLine) => isChange(line) && onToggle(line)), [onToggle]);
  const columns = useMemo<Column<BulkLine>[]>(
    () => [
      {
        name: 'include',
        title: <span className={layout.unseen}>{texts.columns.include}</span>,
        cell: (line) => (toggle && isChange(line) ? <Include line={line} onToggle={toggle} /> : null),
      },
      { name: 'line', title: texts.columns.line, cell: ({ line }) => line },
      {
        name: 'person',
        title: texts.columns.user,
        cell: ({ userName, userId }) => (
          <p className={styles.name} title={userId}>
            {userName || userId || texts.noUser}
          </p>
        ),
      },
      {
        name: 'target',
        title: texts.columns.change,
        cell: (line) => (
          <div title={`${changeText(line)} ${remarkOf(line)}`} data-dangerous={line.isDangerous}>
            {changeText(line) && <p className={styles.name}>{changeText(line)}</p>}
            {remarkOf(line) && (
              <p className={styles.remark}>
                {line.problem !== null && <Icon of={IconAlertTriangle} />}
                {remarkOf(line)}
              </p>
            )}
          </div>
        ),
      },
      { name: 'outcome', title: texts.columns.outcome, cell: (line) => resultText(line) },
    ],
    [toggle],
  );
  return (
    <VirtualTable
      label={texts.lines}
      columns={columns}
      rows={rows}
      look={styles.lines}
      scope={only}
      isSelected={(line) => onToggle !== undefined && isChange(line) && !line.isLeftOut}
      {...(toggle && { onToggle: toggle })}
    />
  );
}

/** Drawn from the row's own mark, so that a row does not change when another is left out. */
function Include({ line, onToggle }: { line: BulkLine; onToggle: (line: BulkLine) => unknown }) {
  return (
    <button
      type="button"
      tabIndex={-1}
      className={styles.box}
      aria-label={texts.include(String(line.line))}
      onClick={() => onToggle(line)}
    />
  );
}
