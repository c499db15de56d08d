import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { skippedTests } from '../skipped-tests.ts';

/** The built window in a real browser. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/browser/**/*.test.ts'],
    reporters: ['default', skippedTests],
    // A browser, a workspace and an application each: more at once would only be in each other's way.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // A loaded computer takes more than the second that is the default.
    expect: { poll: { timeout: 15_000 } },
  },
});
