import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { PagedRows } from './paged-rows.ts';
import styles from './virtual-table.module.css';

export interface Column<Row> {
  name: string;
  title: ReactNode;
  cell(row: Row): ReactNode;
  /** How the rows are ordered by this column, where they can be. */
  sort?: 'ascending' | 'descending' | 'none';
}

/** The most rows that are listed: a browser's page ends at some 33 million pixels. */
export const MAX_ROWS = 300_000;

/** How many rows are drawn beyond what is in sight, above and below. */
const OVERSCAN = 4;

interface VirtualTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: PagedRows<Row>;
  /** Gives the rows their columns' widths and their height. */
  look: string | undefined;
  /** Another text leads back to the top. */
  scope: string;
  isSelected?(row: Row): boolean;
  /** Enter on a row, and the button in it. */
  onOpen?(row: Row): void;
  /** Whether a click anywhere on a row opens it too. */
  opensOnClick?: boolean;
  /** Space on a row, and the box in it. */
  onToggle?(row: Row): void;
  onTop?(isTop: boolean): void;
}

/**
 * A table of any length, of which only the rows in sight are in the page. It is one stop for the Tab key; arrows, Page Up
 * and Down, Home and End move within it, and a screen reader hears which row of how many it is.
 */
export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { label, columns, rows, look, scope, isSelected, onOpen, opensOnClick, onToggle, onTop } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const head = useRef<HTMLDivElement>(null);
  const ruler = useRef<HTMLDivElement>(null);
  const [heights, setHeights] = useState({ head: 32, row: 48 });
  const [active, setActive] = useState<number | null>(null);
  const id = useId();
  const total = Math.min(rows.total ?? 0, MAX_ROWS);
  useSyncExternalStore(rows.subscribe, rows.changes);

  const virtualizer = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => heights.row,
    scrollMargin: heights.head,
    scrollPaddingStart: heights.head,
    overscan: OVERSCAN,
  });
  useLayoutEffect(() => {
    const measure = () =>
      setHeights({ head: head.current?.offsetHeight ?? 32, row: ruler.current?.offsetHeight || 48 });
    const watching = new ResizeObserver(measure);
    if (ruler.current) watching.observe(ruler.current);
    if (head.current) watching.observe(head.current);
    return () => watching.disconnect();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other heights put every row elsewhere
  useLayoutEffect(() => virtualizer.measure(), [heights, virtualizer]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows are read from the top
  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
    setActive(null);
  }, [scope]);

  const items = virtualizer.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  // One that was scrolled away from is not in the page: it cannot be named.
  const isActiveDrawn = active !== null && items.some(({ index }) => index === active);
  useEffect(() => rows.show(first, last), [rows, first, last]);

  const move = (to: number) => {
    const next = Math.max(0, Math.min(total - 1, to));
    setActive(next);
    virtualizer.scrollToIndex(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (total === 0 || event.target !== event.currentTarget) return;
    const at = active ?? first;
    const page = Math.max(1, Math.floor(((scroller.current?.clientHeight ?? 0) - heights.head) / heights.row) - 1);
    const moves: Record<string, number> = {
      ArrowDown: active === null ? at : at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: total - 1,
    };
    const to = moves[event.key];
    const row = rows.at(at);
    if (to !== undefined) move(to);
    else if (event.key === 'Enter' && row && onOpen) onOpen(row);
    else if (event.key === ' ' && row && onToggle) onToggle(row);
    else return;
    event.preventDefault();
  };

  const onClick = ({ target }: MouseEvent) => {
    const place = target instanceof Element && target.closest('[role=row]')?.getAttribute('aria-rowindex');
    // The head is the first of them.
    const index = Number(place) - 2;
    const row = place ? rows.at(index) : undefined;
    if (!row || !onOpen) return;
    // The keys continue from here afterwards.
    scroller.current?.focus({ preventScroll: true });
    setActive(index);
    onOpen(row);
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element cannot leave out rows
    <div
      ref={scroller}
      role="grid"
      aria-label={label}
      aria-rowcount={total + 1}
      aria-multiselectable={onToggle ? true : undefined}
      aria-activedescendant={isActiveDrawn ? `${id}-${active}` : undefined}
      aria-busy={rows.total === undefined}
      tabIndex={0}
      className={styles.table}
      // No taller than its rows with the frame.
      style={{ maxHeight: heights.head + virtualizer.getTotalSize() + 2 }}
      onKeyDown={onKeyDown}
      onClick={opensOnClick ? onClick : undefined}
      data-opens={opensOnClick}
      onScroll={onTop && (({ currentTarget }) => onTop(currentTarget.scrollTop < heights.row))}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus, and names its active row */}
      <div ref={head} role="row" aria-rowindex={1} className={`${styles.head} ${look}`}>
        {columns.map(({ name, title, sort }) => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: as above
          <div key={name} role="columnheader" aria-sort={sort} data-column={name}>
            {title}
          </div>
        ))}
      </div>
      <div ref={ruler} aria-hidden className={`${styles.ruler} ${look}`} />
      <div role="presentation" className={styles.body} style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows.at(index);
          return (
            <TableRow
              key={index}
              id={`${id}-${index}`}
              index={index}
              top={start - heights.head}
              row={row}
              columns={columns}
              look={look}
              active={index === active}
              selected={row !== undefined && isSelected ? isSelected(row) : undefined}
            />
          );
        })}
      </div>
    </div>
  );
}

interface TableRowProps<Row> {
  id: string;
  index: number;
  top: number;
  row: Row | undefined;
  columns: readonly Column<Row>[];
  look: string | undefined;
  active: boolean;
  selected: boolean | undefined;
}

const TableRow = memo(function TableRow<Row>(props: TableRowProps<Row>) {
  const { id, index, top, row, columns, look, active, selected } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element cannot leave out rows
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus, and names its active row
    <div
      id={id}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      data-active={active}
      className={`${styles.row} ${look}`}
      style={{ transform: `translateY(${top}px)` }}
    >
      {columns.map(({ name, cell }) => (
        // biome-ignore lint/a11y/useSemanticElements: as above
        // biome-ignore lint/a11y/useFocusableInteractive: as above
        <div key={name} role="gridcell" data-column={name}>
          {row === undefined ? null : cell(row)}
        </div>
      ))}
    </div>
  );
}) as <Row>(props: TableRowProps<Row>) => ReactNode;
