import type { CSSProperties } from 'react';
import { useMemo } from 'react';
import layout from '../../shared/layout.module.css';
import type { PagedRows } from '../../shared/paged-rows.ts';
import { ScrollBox } from '../../shared/scroll-box.tsx';
import { VirtualTable } from '../../shared/virtual-table.tsx';
import { strings } from '../strings.ts';
import type { ResultColumn, ResultTable } from './result-table.ts';
import styles from './tools.module.css';

const texts = strings.answer;
/** Up to so many rows are in the page at once. */
const MAX_DRAWN_ROWS = 50;

/** The rows of a result: all of a short one, only those in sight of a long one. */
export function ResultRows({ table }: { table: ResultTable }) {
  return table.rows.length > MAX_DRAWN_ROWS ? <LongResult table={table} /> : <ShortResult table={table} />;
}

function ShortResult({ table: { columns, rows } }: { table: ResultTable }) {
  return (
    <ScrollBox label={texts.table} className={styles.rows}>
      <table>
        <thead>
          <tr>
            {columns.map((column, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have the same name, and none moves
              <th key={place} scope="col">
                <Heading column={column} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity, and never move
            <tr key={at}>
              {row.map((value, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as the columns
                <td key={place}>
                  <Cell value={value} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function LongResult({ table }: { table: ResultTable }) {
  const { columns, rows } = table;
  const paged = useMemo(() => inMemory(rows), [rows]);
  const width: CSSProperties & { '--columns': number } = { '--columns': columns.length };
  return (
    <div className={styles.long} style={width}>
      <VirtualTable
        label={texts.table}
        columns={columns.map((column, place) => ({
          name: String(place),
          title: <Heading column={column} />,
          cell: (row: (string | null)[]) => <Cell value={row[place] ?? null} />,
        }))}
        rows={paged}
        look={styles.longRow}
        scope=""
      />
    </div>
  );
}

function Heading({ column: { name, type } }: { column: ResultColumn }) {
  return (
    <>
      {name}
      {type !== null && <span className={styles.type}>{type}</span>}
    </>
  );
}

function Cell({ value }: { value: string | null }) {
  return value === null ? <span className={layout.quiet}>{texts.null}</span> : value;
}

/** Rows that are all here already. */
function inMemory<Row>(rows: readonly Row[]): PagedRows<Row> {
  return {
    total: rows.length,
    error: null,
    retry: () => {},
    at: (index) => rows[index],
    show: () => {},
    subscribe: () => () => {},
    changes: () => 0,
  };
}
