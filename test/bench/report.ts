import type { AllFigures } from './all-in-one.ts';
import { ALL_CALLS, CALLS } from './caller.ts';
import type { PlainFigures } from './calls.ts';
import { type Figures, type Floor, FORMS } from './targets.ts';

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
          `${mib(floor.memory.resident)} (bare Node)`,
          ({ calls }) => `${mib(calls[form].idle.resident)} → ${mib(calls[form].after.resident)}`,
        ),
        row(
          `of it private, ${form}`,
          `${floor.memory.private.toFixed(1)} MiB (bare Node)`,
          ({ calls }) => `${calls[form].idle.private.toFixed(1)} → ${calls[form].after.private.toFixed(1)} MiB`,
        ),
        row(`processor time of a call in user mode, ${form}`, '', ({ calls }) => `${calls[form].user.toFixed(0)} µs`),
      ];
    }),
    row('growth, reader paused, 300 × 1 MiB', '', ({ paused }) =>
      paused.map((grown) => `+${grown.toFixed(0)} MiB`).join(', behind it '),
    ),
  ];
}

/** What the user's permissions add to a call, as rows of a table. */
export function permissionsTable({ one, other }: { one: PlainFigures; other: PlainFigures }): string[][] {
  return [
    ['a call of a proxy alone, json', 'without permissions', 'with permissions'],
    ['one call, p50', ms(one.p50), `${ms(other.p50)} (${signed(other.p50 - one.p50)})`],
    ['processor time in user mode', `${one.user.toFixed(0)} µs`, `${other.user.toFixed(0)} µs`],
  ];
}

interface AllInOneFigures {
  alone: AllFigures;
  hub: AllFigures;
  permissions: { one: PlainFigures; other: PlainFigures };
}

/** What four servers as one cost beside one server, as rows of a table of ratios. */
export function allInOneTable(bareNode: number, { alone, hub, permissions }: AllInOneFigures): string[][] {
  const times = (value: number, beside: number) => `${(value / beside).toFixed(2)} ×`;
  const row = (name: string, cell: (of: AllFigures) => string) => [name, cell(alone), cell(hub)];
  return [
    ['`proxy --all` with four servers, json', 'alone', 'through the hub'],
    row('spawn to the answer of initialize, beside bare Node', ({ start }) => times(start.all.initialize, bareNode)),
    row('the same, beside one server', ({ start }) => times(start.all.initialize, start.one.initialize)),
    row('spawn to the answer of tools/list, beside one server', ({ start }) => times(start.all.tools, start.one.tools)),
    row(
      'one call, p50, beside one server',
      ({ calls: { one, other } }) => `${times(other.p50, one.p50)} (${signed(other.p50 - one.p50)})`,
    ),
    row('processor time of a call in user mode, beside one server', ({ calls: { one, other } }) =>
      times(other.user, one.user),
    ),
    ['one call, p50, with permissions beside without', times(permissions.other.p50, permissions.one.p50), ''],
    ['processor time of a call in user mode, the same', times(permissions.other.user, permissions.one.user), ''],
  ];
}
