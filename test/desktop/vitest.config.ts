import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { skippedTests } from '../skipped-tests.ts';

/** The built application in a real desktop. Tests of one file share one application and run in their order. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/desktop/**/*.test.ts'],
    reporters: ['default', skippedTests],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A condition that comes true late is true: a loaded computer takes more than the second that is the default.
    expect: { poll: { timeout: 15_000 } },
  },
});
