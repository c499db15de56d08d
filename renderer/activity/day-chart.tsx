import { Button } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { formatNumber } from '../../preload/contract/words/figures.ts';
import type { CallFilter, DayOfCalls } from '../../preload/contract.ts';
import { useAnswer } from '../shared/answered.ts';
import { Card } from '../shared/card.tsx';
import layout from '../shared/layout.module.css';
import { ScrollBox } from '../shared/scroll-box.tsx';
import styles from './charts.module.css';
import { formatCount, hourTime } from './format.ts';
import { strings } from './strings.ts';

/** How often the chart is refreshed while it is shown. */
const REFRESH_INTERVAL_MS = 2_000;
const HOUR_MS = 60 * 60_000;

const WIDTH = 480;
const HEIGHT = 96;
/** Between two bars, as a share of an hour's width. */
const GAP = 0.25;
/** The least height of what is not nothing. */
const MIN_HEIGHT = 2;

const texts = strings.day;

/** Calls per hour of the last day, with those that failed; as a chart or as a table. */
export function DayChart({ filter, newest }: { filter: CallFilter; newest: number }) {
  const [isTable, setTable] = useState(false);
  const { data } = useAnswer(
    ['day-of-calls', filter, newest === 0],
    () => window.causeway.request.dayOfCalls({ filter }),
    { refetchInterval: REFRESH_INTERVAL_MS, placeholderData: keepPreviousData, gcTime: 0 },
  );
  return (
    <Card
      title={texts.title}
      actions={
        <Button variant="subtle" size="compact-sm" onClick={() => setTable(!isTable)}>
          {isTable ? texts.showChart : texts.showTable}
        </Button>
      }
    >
      <p className={layout.quiet}>{data ? formatDay(data) : ' '}</p>
      {isTable ? <Table hours={data?.hours ?? []} /> : <Chart day={data} />}
      {data?.droppedBefore != null && (
        <p className={layout.quiet}>{texts.droppedBefore(hourTime(data.droppedBefore))}</p>
      )}
    </Card>
  );
}

type Hour = DayOfCalls['hours'][number];

/** `1,240 calls, 12 failed`. */
function formatDay({ hours }: DayOfCalls): string {
  const calls = hours.reduce((sum, hour) => sum + hour.calls, 0);
  const failed = hours.reduce((sum, hour) => sum + hour.failed, 0);
  return calls === 0 ? texts.none : texts.summary(formatCount(calls), formatNumber(failed));
}

function rangeOf({ from }: Hour): string {
  return texts.range(hourTime(from), hourTime(from + HOUR_MS));
}

function Chart({ day }: { day: DayOfCalls | undefined }) {
  const hours = day?.hours ?? [];
  const most = Math.max(1, ...hours.map(({ calls }) => calls));
  const busiest = hours.find(({ calls }) => calls === most);
  const label = day && busiest ? texts.label(formatDay(day), rangeOf(busiest), formatCount(most)) : texts.none;
  const step = WIDTH / Math.max(1, hours.length);
  const [first, middle, last] = [hours[0], hours[hours.length / 2], hours.at(-1)];
  return (
    <div>
      <div className={styles.axes}>
        <div aria-hidden className={styles.ticks}>
          <span>{formatNumber(most)}</span>
          <span>0</span>
        </div>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
          <line className={styles.grid} x1={0} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
          {hours.map((hour, index) => (
            <Bar key={hour.from} hour={hour} most={most} x={index * step} width={step} />
          ))}
        </svg>
      </div>
      <p aria-hidden className={styles.times}>
        <span>{first && hourTime(first.from)}</span>
        <span>{middle && hourTime(middle.from)}</span>
        <span>{last && hourTime(last.from + HOUR_MS)}</span>
      </p>
      <p aria-hidden className={styles.legend}>
        <span className={styles.ofCalls}>{texts.legendCalls}</span>
        <span className={styles.ofFailed}>{texts.legendFailed}</span>
      </p>
    </div>
  );
}

/** One hour: what went well, and on top of it what failed, with a gap and a hatch so that color never speaks alone. */
function Bar({ hour, most, x, width }: { hour: Hour; most: number; x: number; width: number }) {
  const { calls, failed } = hour;
  const of = (count: number) => (count === 0 ? 0 : Math.max(MIN_HEIGHT, (count / most) * (HEIGHT - 4)));
  const failedHeight = of(failed);
  const height = of(calls - failed);
  const inner = { x: x + (width * GAP) / 2, width: width * (1 - GAP) };
  const gap = failedHeight > 0 && height > 0 ? 2 : 0;
  return (
    <g>
      <title>{texts.bar(rangeOf(hour), formatCount(calls), formatNumber(failed))}</title>
      <rect x={x} y={0} width={width} height={HEIGHT} fill="transparent" />
      {height > 0 && <rect className={styles.bar} {...inner} y={HEIGHT - height} height={height} rx={1.5} />}
      {failedHeight > 0 && (
        <rect
          className={styles.failedBar}
          {...inner}
          y={Math.max(0, HEIGHT - height - gap - failedHeight)}
          height={failedHeight}
          rx={1.5}
        />
      )}
    </g>
  );
}

function Table({ hours }: { hours: readonly Hour[] }) {
  const shown = hours.filter(({ calls }) => calls > 0).toReversed();
  if (shown.length === 0) return null;
  return (
    <ScrollBox label={texts.scroll} className={styles.tableBox}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{texts.hour}</th>
            <th scope="col">{texts.calls}</th>
            <th scope="col">{texts.failed}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((hour) => (
            <tr key={hour.from}>
              <th scope="row">{rangeOf(hour)}</th>
              <td>{formatNumber(hour.calls)}</td>
              <td>{formatNumber(hour.failed)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
