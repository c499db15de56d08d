import { useMemo } from 'react';
import { formatDuration } from '../../preload/contract/words/figures.ts';
import type { ActivityCall } from '../../preload/contract.ts';
import layout from '../shared/layout.module.css';
import type { usePagedRows } from '../shared/paged-rows.ts';
import { StateBadge } from '../shared/state-badge.tsx';
import { type Column, VirtualTable } from '../shared/virtual-table.tsx';
import styles from './activity.module.css';
import { formatCallOutcome, formatMoment, formatWhat, rowTime, serverOf, toneOf, tookMs } from './format.ts';
import { strings } from './strings.ts';

interface CallTableProps {
  rows: ReturnType<typeof usePagedRows<ActivityCall>>;
  scope: string;
  onTop(isTop: boolean): void;
  onOpen(call: ActivityCall): void;
}

const { columns: titles, details, grid } = strings.calls;

/** The calls as rows; a click or Enter opens a call's page. */
export function CallTable({ rows, scope, onTop, onOpen }: CallTableProps) {
  const columns = useMemo<Column<ActivityCall>[]>(
    () => [
      {
        name: 'time',
        title: titles.time,
        cell: ({ startedAt }) => <time title={formatMoment(startedAt)}>{rowTime(startedAt, Date.now())}</time>,
      },
      {
        name: 'client',
        title: titles.client,
        cell: ({ clientName }) => <Name name={clientName ?? strings.unknownClient} />,
      },
      { name: 'server', title: titles.server, cell: (call) => <span title={call.path}>{serverOf(call)}</span> },
      {
        name: 'what',
        title: titles.tool,
        cell: (call) => (
          <button type="button" tabIndex={-1} className={layout.textButton} title={details(formatWhat(call))}>
            {formatWhat(call)}
          </button>
        ),
      },
      { name: 'duration', title: titles.duration, cell: (call) => formatDuration(tookMs(call)) },
      {
        name: 'outcome',
        title: titles.outcome,
        cell: (call) => <StateBadge tone={toneOf(call)}>{formatCallOutcome(call)}</StateBadge>,
      },
    ],
    [],
  );
  return (
    <VirtualTable
      label={grid}
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

/** A name that is shown in full on hover where it is truncated. */
function Name({ name }: { name: string }) {
  return <span title={name}>{name}</span>;
}
