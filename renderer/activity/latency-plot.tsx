import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { CallFilter, Latency } from '../../preload/contract.ts';
import { answered } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import styles from './activity.module.css';
import { heightOf, lineThrough, loneDots, ticksFor } from './plot.ts';
import { durationInWords, latencyInWords } from './words.ts';

const WIDTH = 600;
const HEIGHT = 96;
/** How often it is drawn anew while somebody looks, in milliseconds. */
const EVERY = 2000;

/** How long calls took lately: half of them and nineteen twentieths of them, on a scale of powers of ten. */
export function LatencyPlot({ filter, kept }: { filter: CallFilter; kept: number }) {
  const { data } = useQuery({
    queryKey: ['latency', filter, kept === 0],
    queryFn: () => answered(window.causeway.request.latency({ filter })),
    refetchInterval: EVERY,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  if (!data || data.count === 0) return null;
  return (
    <figure className={styles.latency}>
      <figcaption>
        <h2>How long calls took</h2>
        <p className={layout.quiet}>{latencyInWords(data)}</p>
      </figcaption>
      <div className={styles.plot}>
        <Plot latency={data} />
        <p aria-hidden className={styles.legend}>
          <span className={styles.half}>half took less</span>
          <span className={styles.most}>95 % took less</span>
          <span className={styles.span}>15 minutes ago — now</span>
        </p>
      </div>
    </figure>
  );
}

function Plot({ latency }: { latency: Latency }) {
  const { buckets, worst } = latency;
  const ticks = ticksFor(worst ?? 0);
  const top = ticks.at(-1) ?? 1000;
  const bottom = ticks[0] ?? 1;
  const place = (millis: number | null) => (millis === null ? null : HEIGHT - heightOf(millis, bottom, top) * HEIGHT);
  const half = buckets.map(({ p50 }) => place(p50));
  const most = buckets.map(({ p95 }) => place(p95));
  return (
    <div className={styles.axes}>
      <div aria-hidden className={styles.ticks}>
        {ticks.toReversed().map((tick) => (
          <span key={tick}>{durationInWords(tick)}</span>
        ))}
      </div>
      <svg
        viewBox={`-6 -6 ${WIDTH + 12} ${HEIGHT + 12}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={latencyInWords(latency)}
      >
        {ticks.map((tick) => (
          <line key={tick} className={styles.grid} x1={0} x2={WIDTH} y1={place(tick) ?? 0} y2={place(tick) ?? 0} />
        ))}
        <path className={styles.mostLine} d={lineThrough(most, WIDTH)} />
        <path className={`${styles.mostLine} ${styles.loneDots}`} d={loneDots(most, WIDTH)} />
        <path className={styles.halfLine} d={lineThrough(half, WIDTH)} />
        <path className={`${styles.halfLine} ${styles.loneDots}`} d={loneDots(half, WIDTH)} />
      </svg>
    </div>
  );
}
