import fc from 'fast-check';

export interface FuzzOptions<Inputs extends unknown[]> {
  /** Its share of a run's inputs beside the other properties; less than 1 where an input costs a real process or socket. */
  weight?: number;
  /** Seeds that have found a counter-example before: each run tries them too. */
  seeds?: readonly number[];
  /** Inputs that each run tries first. */
  examples?: readonly Inputs[];
  /** Once before and after all inputs of a run. */
  before?: () => Promise<void>;
  after?: () => Promise<void>;
}

interface FuzzRun {
  inputs: number;
  seed: number;
  /** Where in that seed's inputs to begin, as a failure names it; the shrunk counter-example is there at once. */
  path?: string;
}

export interface FuzzProperty {
  title: string;
  weight: number;
  seeds: readonly number[];
  /** @returns undefined, or the shrunk counter-example with its seed and path, in words */
  run(run: FuzzRun): Promise<string | undefined>;
}

/** How long one input may take, in milliseconds: past this it counts as a counter-example. */
const LONGEST_MS = 20_000;

const registered: FuzzProperty[] = [];

/**
 * Registers something that holds for every input. It is tried with a few inputs in `npm test`, and with as many as one
 * likes in `npm run fuzz`.
 * @param holds throws or rejects for a counter-example; assertions come from `node:assert`, for the long run has no test runner
 */
export function fuzzProperty<Inputs extends [unknown, ...unknown[]]>(
  title: string,
  inputs: { [Index in keyof Inputs]: fc.Arbitrary<Inputs[Index]> },
  holds: (...inputs: Inputs) => void | Promise<void>,
  { weight = 1, seeds = [], examples = [], before, after }: FuzzOptions<Inputs> = {},
): void {
  const property = fc.asyncProperty(fc.tuple<Inputs>(...inputs), async (values) => holds(...values));
  registered.push({
    title,
    weight,
    seeds,
    async run({ inputs: numRuns, seed, path }) {
      await before?.();
      try {
        const details = await fc.check(property, {
          numRuns,
          seed,
          timeout: LONGEST_MS,
          examples: examples.map((values): [Inputs] => [values]),
          ...(path !== undefined && { path, endOnFailure: true }),
        });
        if (!details.failed) return undefined;
        return `${fc.defaultReportMessage(details) ?? 'failed'}\n${details.errorInstance}`;
      } finally {
        await after?.();
      }
    },
  });
}

/** Every property of the `*.fuzz.ts` files of this folder. */
export async function allProperties(): Promise<readonly FuzzProperty[]> {
  const { readdir } = await import('node:fs/promises');
  const folder = new URL('.', import.meta.url);
  for (const name of (await readdir(folder)).filter((each) => each.endsWith('.fuzz.ts')).sort()) {
    await import(/* @vite-ignore */ new URL(name, folder).href);
  }
  return registered;
}
