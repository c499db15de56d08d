import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The built application in a real desktop. Tests of one file share one application and run in their order. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/desktop/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
