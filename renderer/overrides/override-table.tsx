import { useCallback, useMemo, useRef } from 'react';
import { overrideTarget } from '../../preload/contract/words/warehouse.ts';
import type { OverrideRow, OverridesQuery } from '../../preload/contract.ts';
import layout from '../shared/layout.module.css';
import type { PagedRows } from '../shared/paged-rows.ts';
import { StateBadge, type StateTone } from '../shared/state-badge.tsx';
import { type Column, VirtualTable } from '../shared/virtual-table.tsx';
import { toneOf } from '../warehouse/format.ts';
import { nameOfUser, overrideState, personOf, secondLineOf } from './format.ts';
import styles from './overrides.module.css';
import { strings } from './strings.ts';

interface OverrideTableProps {
  rows: PagedRows<OverrideRow>;
  query: OverridesQuery;
  scope: string;
  selected: ReadonlySet<string>;
  onOrder(order: Pick<OverridesQuery, 'by' | 'descending'>): void;
  onSelect(change: (now: ReadonlySet<string>) => ReadonlySet<string>): void;
  onChange(row: OverrideRow): void;
}

/** The overrides that a query finds, as rows that can be selected and opened. */
export function OverrideTable({ rows, query, scope, selected, onOrder, onSelect, onChange }: OverrideTableProps) {
  const toggle = useCallback(
    ({ userId }: OverrideRow) =>
      onSelect((now) => {
        const next = new Set(now);
        if (!next.delete(userId)) next.add(userId);
        return next;
      }),
    [onSelect],
  );
  const open = useRef(onChange);
  open.current = onChange;
  const { by, descending } = query;
  const columns = useMemo<Column<OverrideRow>[]>(() => {
    const order = (name: 'user' | 'warehouse', title: string) => (
      <button
        type="button"
        className={layout.textButton}
        onClick={() => onOrder({ by: name, descending: by === name && !descending })}
      >
        {title}
        <span aria-hidden>{by === name ? (descending ? ' ↓' : ' ↑') : ''}</span>
      </button>
    );
    const sort = (name: OverridesQuery['by']) => {
      if (by !== name) return 'none';
      return descending ? 'descending' : 'ascending';
    };
    return [
      {
        name: 'select',
        title: <span className={layout.unseen}>{strings.selected}</span>,
        cell: (row) => <Box row={row} onToggle={toggle} />,
      },
      {
        name: 'person',
        title: order('user', strings.columns.user),
        sort: sort('user'),
        cell: (row) => <Who row={row} />,
      },
      {
        name: 'target',
        title: order('warehouse', strings.columns.warehouse),
        sort: sort('warehouse'),
        cell: (row) => <Target row={row} />,
      },
      {
        name: 'change',
        title: <span className={layout.unseen}>{strings.columns.change}</span>,
        cell: (row) => (
          <button
            type="button"
            tabIndex={-1}
            className={styles.change}
            aria-label={strings.changeNamed(nameOfUser(personOf(row)))}
            onClick={() => open.current(row)}
          >
            {strings.change}
          </button>
        ),
      },
    ];
  }, [by, descending, onOrder, toggle]);
  return (
    <VirtualTable
      label={strings.table}
      columns={columns}
      rows={rows}
      look={styles.people}
      scope={scope}
      isSelected={({ userId }) => selected.has(userId)}
      onOpen={onChange}
      onToggle={toggle}
    />
  );
}

/** Drawn from the row's own mark, so that a row does not change when another is selected. */
function Box({ row, onToggle }: { row: OverrideRow; onToggle(row: OverrideRow): void }) {
  return (
    <button
      type="button"
      tabIndex={-1}
      className={styles.box}
      aria-label={strings.selectNamed(nameOfUser(personOf(row)))}
      onClick={() => onToggle(row)}
    />
  );
}

function Who({ row }: { row: OverrideRow }) {
  const name = nameOfUser(personOf(row));
  const second = secondLineOf(row);
  return (
    <div title={`${name} ${second}`}>
      <p className={styles.name}>{name}</p>
      {second && <p className={styles.second}>{second}</p>}
    </div>
  );
}

function Target({ row }: { row: OverrideRow }) {
  const target = overrideTarget(row);
  const state = overrideState(row);
  return (
    <div title={`${target}. ${state}`} data-dangling={row.dangling !== null}>
      <p className={styles.name}>{target}</p>
      {row.type === 'CUSTOM' && state !== '' ? (
        <div className={styles.state}>
          <StateBadge tone={toneFor(row)}>{state}</StateBadge>
        </div>
      ) : (
        <p className={styles.second}>{state}</p>
      )}
    </div>
  );
}

function toneFor({ dangling, canUse, warehouseState }: OverrideRow): StateTone {
  if (dangling !== null) return 'failed';
  return canUse === 'unknown' ? 'attention' : toneOf(warehouseState ?? '');
}
