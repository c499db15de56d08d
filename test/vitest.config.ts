import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { skippedTests } from './skipped-tests.ts';

/** Everything that runs on plain Node. The desktop tests need an Electron binary and have their own configuration. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    include: ['test/{unit,integration,fuzz,workspace}/**/*.test.ts'],
    reporters: ['default', skippedTests],
    globalSetup: ['test/left-out.ts'],
    // Most of them wait for other processes: on two cores, one of them idle would be one too few.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // A condition that comes true late is true: what is slow is the computer.
    expect: { poll: { timeout: 15_000 } },
  },
});
