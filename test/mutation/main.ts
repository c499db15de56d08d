/**
 * `npm run test:mutation`: changes one expression at a time in the modules that decide about something, and runs the
 * tests of the module against each change. `-- FILE…` runs these modules only. Fails if the tests of a module notice too few changes.
 */
import { join } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { MODULES } from './modules.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const WANTED_PERCENT = 90;

process.chdir(ROOT);
const named = process.argv.slice(2);
const rows: string[] = [];
for (const module of named.length > 0 ? named : Object.keys(MODULES)) {
  // Stryker reads Vitest's configuration in a child process, so the tests are passed through the environment.
  process.env.MUTATION_TESTS = (MODULES[module] ?? ['test/unit/**/*.test.ts']).join(',');
  rows.push(await tryModule(module));
}
console.log(
  ['| module | changes | noticed | of them by a timeout | score |', '|---|---|---|---|---|', ...rows].join('\n'),
);

async function tryModule(module: string): Promise<string> {
  const mutants = await new Stryker({
    mutate: [module],
    testRunner: 'vitest',
    plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
    vitest: { configFile: 'test/mutation/vitest.config.ts' },
    // Stryker rewrites tsconfig.json with a function that TypeScript 7 does not have. It skips this if the file is missing.
    tsconfigFile: 'no-tsconfig.json',
    ignorePatterns: ['dist', 'out'],
    tempDirName: 'out/mutation/sandbox',
    // Parallel runs slow each other down until Stryker reports a slow mutant as an endless loop.
    concurrency: 1,
    timeoutMS: 10_000,
    warnings: false,
    reporters: ['clear-text'],
    clearTextReporter: { allowColor: false, reportScoreTable: false, reportTests: false, logTests: false },
  }).runMutationTest();
  const count = (...statuses: string[]) => mutants.filter(({ status }) => statuses.includes(status)).length;
  const noticed = count('Killed', 'Timeout');
  const all = noticed + count('Survived', 'NoCoverage');
  const percent = (100 * noticed) / Math.max(1, all);
  const tooLow = percent < WANTED_PERCENT;
  if (tooLow) process.exitCode = 1;
  return `| ${module} | ${all} | ${noticed} | ${count('Timeout')} | ${percent.toFixed(1)} %${tooLow ? ', too low' : ''} |`;
}
