/**
 * `npm run test:mutation`: changes one expression at a time in the modules that decide about something, and has the tests
 * of the module find it out. `-- FILE…` looks at these modules alone. Fails when a module's tests notice too few changes.
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
  // The configuration of Vitest is read in a process of Stryker's.
  process.env.MUTATION_TESTS = (MODULES[module] ?? ['test/unit/**/*.test.ts']).join(',');
  rows.push(await tryModule(module));
}
console.log(['| module | changes | noticed | score |', '|---|---|---|---|', ...rows].join('\n'));

async function tryModule(module: string): Promise<string> {
  const mutants = await new Stryker({
    mutate: [module],
    testRunner: 'vitest',
    plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
    vitest: { configFile: 'test/mutation/vitest.config.ts' },
    // TypeScript 7 has no function by which Stryker rewrites a tsconfig.json. Where there is no file, it leaves this out.
    tsconfigFile: 'no-tsconfig.json',
    ignorePatterns: ['dist', 'out'],
    tempDirName: 'out/mutation/sandbox',
    // More of them slow each other down, and what is slow is taken for an endless loop.
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
  return `| ${module} | ${all} | ${noticed} | ${percent.toFixed(1)} %${tooLow ? ', too low' : ''} |`;
}
