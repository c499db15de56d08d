import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { skippedTests } from '../skipped-tests.ts';

/** The packages, installed for real. Each test goes on where the one before it has ended, and nothing is tried twice. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/install/**/*.test.ts'],
    reporters: [['verbose', { summary: false }], skippedTests],
    disableConsoleIntercept: true,
    globalSetup: ['test/install/prepare.ts'],
    fileParallelism: false,
    bail: 1,
    retry: 0,
    testTimeout: 120_000,
    hookTimeout: 240_000,
    // A condition that comes true late is true: a loaded computer takes more than the second that is the default.
    expect: { poll: { timeout: 15_000 } },
  },
});
