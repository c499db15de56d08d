/**
 * `npm run test:mutation`: changes one expression at a time in the modules that decide about something, and has the unit
 * tests find it out. `-- FILE…` looks at these modules alone. Fails when a module's tests notice too few of the changes.
 */
import { join, relative } from 'node:path';
import { Stryker } from '@stryker-mutator/core';

const ROOT = join(import.meta.dirname, '..', '..');
const MODULES = [
  'main/auth/freshness.ts',
  'main/auth/host.ts',
  'main/bridge/envelope.ts',
  'main/bridge/raw-id.ts',
  'main/bridge/repeat.ts',
  'main/bridge/session-death.ts',
  'main/bridge/session-state.ts',
  'main/clients/entry.ts',
  'main/hub/glance.ts',
  'main/platform/redact.ts',
  'main/warehouses/chain.ts',
  'main/warehouses/heuristic.ts',
  'main/warehouses/names.ts',
];
const WANTED_PERCENT = 90;

process.chdir(ROOT);
const named = process.argv.slice(2);
const mutants = await new Stryker({
  mutate: named.length > 0 ? named : MODULES,
  testRunner: 'vitest',
  plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
  vitest: { configFile: 'test/mutation/vitest.config.ts' },
  // TypeScript 7 has no function by which Stryker rewrites a tsconfig.json. Where there is no file, it leaves this out.
  tsconfigFile: 'no-tsconfig.json',
  ignorePatterns: ['dist', 'out'],
  tempDirName: 'out/mutation/sandbox',
  incremental: true,
  incrementalFile: 'out/mutation/incremental.json',
  // More of them slow each other down, and what is slow is taken for an endless loop.
  concurrency: 1,
  timeoutMS: 10_000,
  reporters: ['clear-text'],
  clearTextReporter: { allowColor: false, reportScoreTable: false, reportTests: false, logTests: false },
}).runMutationTest();

const results = mutants.map(({ fileName, status }) => ({
  module: relative(ROOT, fileName).replaceAll('\\', '/'),
  status,
}));
for (const name of [...new Set(results.map(({ module }) => module))].sort()) {
  const count = (...statuses: string[]) =>
    results.filter(({ module, status }) => module === name && statuses.includes(status)).length;
  const noticed = count('Killed', 'Timeout');
  const missed = count('Survived', 'NoCoverage');
  const percent = (100 * noticed) / Math.max(1, noticed + missed);
  const tooLow = percent < WANTED_PERCENT;
  console.log(
    `${percent.toFixed(1).padStart(5)} %  ${name}: ${noticed} noticed, ${missed} missed${tooLow ? ', too low' : ''}`,
  );
  if (tooLow) process.exitCode = 1;
}
