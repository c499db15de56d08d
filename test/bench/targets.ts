import type { DirectFigures } from './caller.ts';
import type { CallFigures } from './calls.ts';
import type { Memory } from './memory.ts';

/** The two forms that a server may answer in: one JSON text, or an event stream. */
export const FORMS = ['json', 'events'] as const;

export type FormFigures = Record<(typeof FORMS)[number], CallFigures>;

/** Everything that was measured of one contender. */
export interface Figures {
  cold: number;
  calls: FormFigures;
  /** MiB that its process, and the one behind it, grew by under a paused reader. */
  paused: number[];
}

/** Everything that was measured without one. */
export interface Floor {
  cold: number;
  memory: Memory;
  calls: Record<(typeof FORMS)[number], DirectFigures>;
}

/** What one figure of Causeway's must not exceed (or fall below); the bound may depend on the rest of the run. */
interface Target {
  name: string;
  at: 'most' | 'least';
  figure(own: Figures): number;
  bound: { alone: Bound; hub: Bound };
  unit: string;
}
type Bound = (floor: Floor, peers: Figures[]) => number | undefined;

const worst = (of: (form: (typeof FORMS)[number]) => number) => Math.max(...FORMS.map(of));
const bestPeer = (share: number) => (_: Floor, peers: Figures[]) =>
  peers.length > 0 ? share * Math.min(...peers.map(({ cold }) => cold)) : undefined;

const TARGETS: Target[] = [
  {
    name: 'spawn to initialize, beside the best peer',
    at: 'most',
    unit: 'ms',
    figure: ({ cold }) => cold,
    bound: { alone: bestPeer(1 / 2), hub: bestPeer(1 / 4) },
  },
  {
    name: 'spawn to initialize, beside bare Node',
    at: 'most',
    unit: 'ms',
    figure: ({ cold }) => cold,
    bound: { alone: () => undefined, hub: ({ cold }) => 1.6 * cold },
  },
  {
    name: 'added to one call, p50',
    at: 'most',
    unit: 'ms',
    figure: (own) => worst((form) => own.calls[form].added),
    bound: { alone: () => 0.12, hub: () => 0.2 },
  },
  {
    name: 'calls a second beside direct',
    at: 'least',
    unit: '%',
    figure: (own) => 100 * Math.min(...FORMS.map((form) => own.calls[form].share)),
    bound: { alone: () => 75, hub: () => 50 },
  },
  {
    name: 'memory after the calls',
    at: 'most',
    unit: 'MiB',
    figure: (own) => worst((form) => own.calls[form].after.resident),
    bound: { alone: () => 90, hub: ({ memory }) => 1.3 * memory.resident },
  },
  {
    name: 'private memory of a proxy that waits',
    at: 'most',
    unit: 'MiB',
    figure: (own) => worst((form) => own.calls[form].idle.private),
    bound: { alone: () => undefined, hub: () => 12 },
  },
  {
    name: 'private memory after the calls',
    at: 'most',
    unit: 'MiB',
    figure: (own) => worst((form) => own.calls[form].after.private),
    bound: { alone: () => undefined, hub: () => 12 },
  },
  {
    name: 'grown under a paused reader',
    at: 'most',
    unit: 'MiB',
    figure: ({ paused }) => Math.max(...paused),
    bound: { alone: () => 40, hub: () => 40 },
  },
];

/** Each target beside what was measured, as rows of a table. The worse of the two forms counts. */
export function verdicts(floor: Floor, own: { alone: Figures; hub: Figures }, peers: Figures[]): string[][] {
  const cell = (target: Target, which: 'alone' | 'hub') => {
    const bound = target.bound[which](floor, peers);
    if (bound === undefined) return '';
    const figure = target.figure(own[which]);
    const met = target.at === 'most' ? figure <= bound : figure >= bound;
    const sign = target.at === 'most' ? '≤' : '≥';
    return `${met ? 'met   ' : 'MISSED'} ${round(figure)} (${sign} ${round(bound)}) ${target.unit}`;
  };
  return [
    ['target', 'alone', 'through the hub'],
    ...TARGETS.map((target) => [target.name, cell(target, 'alone'), cell(target, 'hub')]),
  ];
}

const round = (value: number) => value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 20 ? 1 : 0);
