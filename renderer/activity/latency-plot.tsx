import { keepPreviousData } from '@tanstack/react-query';
import { formatDuration } from '../../preload/contract/words/figures.ts';
import type { CallFilter, Latency } from '../../preload/contract.ts';
import { useAnswer } from '../shared/answered.ts';
import { Card } from '../shared/card.tsx';
import layout from '../shared/layout.module.css';
import styles from './charts.module.css';
import { formatCount } from './format.ts';
import { strings } from './strings.ts';

const WIDTH = 600;
const HEIGHT = 96;
/** How often the plot is refreshed while it is shown. */
const REFRESH_INTERVAL_MS = 2_000;

const texts = strings.latency;

/** How long calls took in the last minutes: the median and the 95th percentile, on a logarithmic scale. */
export function LatencyPlot({ filter }: { filter: CallFilter }) {
  const { data } = useAnswer(['latency', filter], () => window.causeway.request.latency({ filter }), {
    refetchInterval: REFRESH_INTERVAL_MS,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  return (
    <Card title={texts.title}>
      <p className={layout.quiet}>{data ? formatLatency(data) : ' '}</p>
      {data && data.count > 0 && (
        <div>
          <Plot latency={data} />
          <p aria-hidden className={styles.legend}>
            <span className={styles.median}>{texts.median}</span>
            <span className={styles.p95}>{texts.p95}</span>
            <span className={styles.span}>{texts.span}</span>
          </p>
        </div>
      )}
    </Card>
  );
}

/** What the plot shows, as a sentence. */
function formatLatency({ count, p50, p95, worst }: Latency): string {
  if (p50 === null || p95 === null || worst === null) return texts.none;
  return texts.summary(formatCount(count), formatDuration(p50), formatDuration(p95), formatDuration(worst));
}

function Plot({ latency }: { latency: Latency }) {
  const { buckets, worst } = latency;
  const ticks = ticksFor(worst ?? 0);
  const top = ticks.at(-1) ?? 1000;
  const bottom = ticks[0] ?? 1;
  const place = (durationMs: number | null) =>
    durationMs === null ? null : HEIGHT - heightOf(durationMs, bottom, top) * HEIGHT;
  const median = buckets.map(({ p50 }) => place(p50));
  const slow = buckets.map(({ p95 }) => place(p95));
  return (
    <div className={styles.axes}>
      <div aria-hidden className={styles.ticks}>
        {ticks.toReversed().map((tick) => (
          <span key={tick}>{formatDuration(tick)}</span>
        ))}
      </div>
      <svg
        viewBox={`-6 -6 ${WIDTH + 12} ${HEIGHT + 12}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={formatLatency(latency)}
      >
        {ticks.map((tick) => (
          <line key={tick} className={styles.grid} x1={0} x2={WIDTH} y1={place(tick) ?? 0} y2={place(tick) ?? 0} />
        ))}
        <path className={styles.p95Line} d={svgPath(slow, WIDTH)} />
        <path className={`${styles.p95Line} ${styles.loneDots}`} d={loneDots(slow, WIDTH)} />
        <path className={styles.medianLine} d={svgPath(median, WIDTH)} />
        <path className={`${styles.medianLine} ${styles.loneDots}`} d={loneDots(median, WIDTH)} />
      </svg>
    </div>
  );
}

/** The marks of the scale: powers of ten in milliseconds, from 1 ms to at least 100 ms and past the slowest call. */
export function ticksFor(worst: number): number[] {
  const decades = Math.max(2, Math.ceil(Math.log10(Math.max(1, worst))));
  return Array.from({ length: decades + 1 }, (_, power) => 10 ** power);
}

/** The height of a duration between the first and the last mark, from 0 to 1. */
export function heightOf(durationMs: number, bottom: number, top: number): number {
  const share = Math.log10(Math.max(bottom, durationMs) / bottom) / Math.log10(top / bottom);
  return Math.min(1, share);
}

/** The path of a line through points at equal distances across a width, with a gap where a point is missing. A lone point is a dot. */
export function svgPath(places: readonly (number | null)[], width: number): string {
  const step = width / Math.max(1, places.length - 1);
  const parts: string[] = [];
  for (const [index, place] of places.entries()) {
    if (place === null) continue;
    const at = `${round(index * step)} ${round(place)}`;
    const begins = (places[index - 1] ?? null) === null;
    parts.push(begins ? `M ${at} h 0` : `L ${at}`);
  }
  return parts.join(' ');
}

/** The dots of a line that stand alone, larger than the line is thick. */
export function loneDots(places: readonly (number | null)[], width: number): string {
  const isThere = (index: number) => (places[index] ?? null) !== null;
  return svgPath(
    places.map((place, index) => (isThere(index - 1) || isThere(index + 1) ? null : place)),
    width,
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
