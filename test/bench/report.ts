import { CALLS } from './caller.ts';
import { type Figures, type Floor, FORMS } from './targets.ts';

const ALL_CALLS = CALLS.warmUp + CALLS.sequential + CALLS.concurrent;

const ms = (value: number) => `${value.toFixed(2)} ms`;
const mib = (value: number) => `${value.toFixed(0)} MiB`;
const signed = (value: number) => `${value < 0 ? '' : '+'}${value.toFixed(2)}`;

/** All that was measured, one contender a column, as rows of a table. */
export function figuresTable(floor: Floor, contenders: [string, Figures][]): string[][] {
  const row = (name: string, direct: string, cell: (figures: Figures) => string) => [
    name,
    direct,
    ...contenders.map(([, figures]) => cell(figures)),
  ];
  return [
    ['', 'direct', ...contenders.map(([name]) => name)],
    row(
      'spawn to the answer of initialize, p50',
      `${ms(floor.cold)} (bare Node)`,
      ({ cold }) => `${cold.toFixed(0)} ms = ${(cold / floor.cold).toFixed(1)} ×`,
    ),
    ...FORMS.flatMap((form) => {
      const direct = floor.calls[form];
      return [
        row(
          `one call, p50, ${form}`,
          ms(direct.p50),
          ({ calls }) => `${ms(calls[form].p50)} (${signed(calls[form].added)})`,
        ),
        row(`one call, p99, ${form}`, ms(direct.p99), ({ calls }) => ms(calls[form].p99)),
        row(
          `calls a second, ${CALLS.inFlight} in flight, ${form}`,
          direct.perSecond.toFixed(0),
          ({ calls }) => `${calls[form].perSecond.toFixed(0)} = ${(calls[form].share * 100).toFixed(0)} %`,
        ),
        row(
          `memory, idle → after ${ALL_CALLS} calls, ${form}`,
          `${mib(floor.resident)} (bare Node)`,
          ({ calls }) => `${mib(calls[form].idle)} → ${mib(calls[form].after)}`,
        ),
      ];
    }),
    row('growth, reader paused, 300 × 1 MiB', '', ({ paused }) =>
      paused.map((grown) => `+${grown.toFixed(0)} MiB`).join(', behind it '),
    ),
  ];
}
