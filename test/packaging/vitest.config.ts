import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { skippedTests } from '../skipped-tests.ts';

/** The packaged application, which `packaged.ts` makes before the first test where there is an Electron to package. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/packaging/**/*.test.ts'],
    reporters: ['default', skippedTests],
    globalSetup: ['test/packaging/packaged.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A condition that comes true late is true: a loaded computer takes more than the second that is the default.
    expect: { poll: { timeout: 15_000 } },
  },
});
