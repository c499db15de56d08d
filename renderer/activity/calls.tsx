import { Button, NativeSelect } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Activity, ActivityCall, CallFilter, Recording } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice, Notice } from '../shared/notice.tsx';
import { usePagedRows } from '../shared/paged-rows.ts';
import { type Column, VirtualTable } from '../shared/virtual-table.tsx';
import styles from './activity.module.css';
import {
  clockTime,
  formatCallOutcome,
  formatCount,
  formatDuration,
  formatMoment,
  formatServer,
  formatWhat,
  isFailure,
  readOutcome,
} from './format.ts';
import { CallDetails } from './recorded-contents.tsx';
import { AskClear, AskExport } from './recording.tsx';

interface CallsProps {
  activity: Activity;
  filter: CallFilter;
  onFilter(filter: CallFilter): void;
}

interface OpenCallsProps extends CallsProps {
  recording: Recording;
  /** Called when the user wants contents to be recorded. */
  onTurnOn(): void;
}

const OUTCOMES = [
  { value: '', label: 'Any outcome' },
  { value: 'failed', label: 'All that failed' },
  { value: 'answered', label: 'Answered' },
  { value: 'tool-error', label: 'The tool failed' },
  { value: 'error', label: 'Refused with an error' },
  { value: 'cancelled', label: 'Cancelled' },
  { value: 'lost', label: 'Lost' },
];

/** The calls, newest first. New calls do not move the list while it is scrolled down or paused. */
export function Calls({ activity, filter, onFilter, recording, onTurnOn }: OpenCallsProps) {
  const { request } = window.causeway;
  /** The newest call that is shown; null while the list follows new calls. */
  const [upTo, setUpTo] = useState<number | null>(null);
  const [isPaused, setPaused] = useState(false);
  const [visits, setVisits] = useState(0);
  const [opened, setOpened] = useState<ActivityCall | null>(null);
  const [askingExport, setAskingExport] = useState(false);
  const [askingClear, setAskingClear] = useState(false);
  const { newest, kept, recorded } = activity;
  const scope = `${JSON.stringify(filter)} ${visits}`;
  const rows = usePagedRows({
    scope,
    version: upTo === null ? `${newest} ${kept}` : `to ${upTo} ${kept === 0}`,
    load: (from, count) => unwrap(request.activityPage({ filter, upTo, from, count })),
  });
  const exporting = useMutation({
    mutationFn: (withContents: boolean) => unwrap(request.exportActivity({ filter, upTo, withContents })),
  });
  const clear = () => {
    exporting.reset();
    return unwrap(request.clearActivity());
  };
  const clearing = useMutation({ mutationFn: clear });
  const isRecording = recording.status === 'on';
  const pause = () => {
    setPaused(true);
    setUpTo(newest);
  };
  const goOn = () => {
    setPaused(false);
    setUpTo(null);
    setVisits(visits + 1);
  };
  const onTop = (isTop: boolean) => {
    if (!isPaused) setUpTo((now) => (isTop ? null : (now ?? newest)));
  };
  const waiting = upTo === null ? 0 : newest - upTo;
  return (
    <section className={styles.calls} aria-labelledby="calls">
      <div className={`${layout.head} ${styles.bar}`}>
        <h2 id="calls">Calls</h2>
        <div className={layout.actions}>
          {isPaused ? (
            <Button variant="default" size="compact-sm" onClick={goOn}>
              Go on
            </Button>
          ) : (
            <Button variant="default" size="compact-sm" onClick={pause}>
              Pause
            </Button>
          )}
          <Button
            variant="default"
            size="compact-sm"
            disabled={kept === 0}
            onClick={() => (isRecording ? setAskingClear(true) : clearing.mutate())}
          >
            {isRecording ? 'Clear…' : 'Clear'}
          </Button>
          <Button
            variant="default"
            size="compact-sm"
            disabled={kept === 0}
            loading={exporting.isPending}
            onClick={() => (recorded > 0 ? setAskingExport(true) : exporting.mutate(false))}
          >
            Export…
          </Button>
        </div>
      </div>
      <Filters activity={activity} filter={filter} onFilter={onFilter} />
      <ActionFailure error={exporting.error} />
      <ActionFailure error={clearing.error} />
      {exporting.data && (
        <Notice
          tone="note"
          message={`${formatCount(exporting.data.count)} written.`}
          remedy={`They are in ${exporting.data.file}.`}
        />
      )}
      <div className={`${layout.head} ${styles.bar}`}>
        <p role="status" className={layout.quiet}>
          {statusOf(rows.total, kept, isPaused)}
        </p>
        {waiting > 0 && (
          <Button size="compact-sm" onClick={goOn}>
            Show new calls
          </Button>
        )}
      </div>
      <FailureNotice error={rows.error} onRetry={rows.retry} />
      <CallTable rows={rows} scope={scope} onTop={onTop} onOpen={setOpened} />
      <CallDetails
        call={opened}
        recording={recording}
        onClose={() => setOpened(null)}
        onTurnOn={() => {
          setOpened(null);
          onTurnOn();
        }}
      />
      <AskClear
        opened={askingClear}
        isRecording={isRecording}
        kept={kept}
        recorded={recorded}
        clear={clear}
        onClose={() => setAskingClear(false)}
      />
      <AskExport
        opened={askingExport}
        recorded={recorded}
        onClose={() => setAskingExport(false)}
        onExport={(withContents) => exporting.mutate(withContents)}
      />
    </section>
  );
}

function statusOf(total: number | undefined, kept: number, isPaused: boolean): string {
  if (kept === 0) return 'No call yet. Each one appears here when it has ended.';
  const found = total === 0 ? 'No call matches.' : `${formatCount(total ?? 0)}.`;
  return isPaused ? `${found} Paused: new ones are kept, but not shown.` : found;
}

function Filters({ activity, filter, onFilter }: CallsProps) {
  const { clients, paths, tools } = activity;
  const choice = (
    label: string,
    any: string,
    name: 'client' | 'path' | 'tool',
    values: readonly string[],
    words = same,
  ) => (
    <NativeSelect
      aria-label={label}
      className={styles.filter}
      data={[
        { value: '', label: any },
        ...withChosen(values, filter[name]).map((value) => ({ value, label: words(value) })),
      ]}
      value={filter[name] ?? ''}
      onChange={({ currentTarget: { value } }) => onFilter({ ...filter, [name]: value || null })}
    />
  );
  return (
    <div className={styles.filters}>
      {choice('Client', 'Any client', 'client', clients)}
      {choice('Server', 'Any server', 'path', paths, formatServer)}
      {choice('Tool', 'Any tool', 'tool', tools)}
      <NativeSelect
        aria-label="Outcome"
        className={styles.filter}
        data={OUTCOMES}
        value={filter.outcome ?? ''}
        onChange={({ currentTarget: { value } }) => onFilter({ ...filter, outcome: readOutcome(value) })}
      />
    </div>
  );
}

/** A name that is shown in full on hover where it is truncated. */
function Name({ name }: { name: string }) {
  return <span title={name}>{name}</span>;
}

const same = (value: string) => value;

/** Keeps the chosen value in the options when no call has it any more. */
function withChosen(values: readonly string[], chosen: string | null): readonly string[] {
  return chosen === null || values.includes(chosen) ? values : [...values, chosen];
}

interface CallTableProps {
  rows: ReturnType<typeof usePagedRows<ActivityCall>>;
  scope: string;
  onTop(isTop: boolean): void;
  onOpen(call: ActivityCall): void;
}

function CallTable({ rows, scope, onTop, onOpen }: CallTableProps) {
  const columns = useMemo<Column<ActivityCall>[]>(
    () => [
      {
        name: 'time',
        title: 'Time',
        cell: ({ startedAt }) => <time title={formatMoment(startedAt)}>{clockTime(startedAt)}</time>,
      },
      { name: 'client', title: 'Client', cell: ({ clientName }) => <Name name={clientName ?? 'An AI client'} /> },
      { name: 'server', title: 'Server', cell: ({ path }) => <span title={path}>{formatServer(path)}</span> },
      {
        name: 'what',
        title: 'Tool',
        cell: (call) => (
          <button type="button" tabIndex={-1} className={layout.textButton} title={`Details of ${formatWhat(call)}`}>
            {formatWhat(call)}
          </button>
        ),
      },
      { name: 'duration', title: 'Duration', cell: ({ durationMs }) => formatDuration(durationMs) },
      {
        name: 'outcome',
        title: 'Outcome',
        cell: (call) => <span data-failed={isFailure(call)}>{formatCallOutcome(call)}</span>,
      },
    ],
    [],
  );
  return (
    <VirtualTable
      label="Calls"
      columns={columns}
      rows={rows}
      look={styles.call}
      scope={scope}
      onTop={onTop}
      onOpen={onOpen}
      opensOnClick
    />
  );
}
