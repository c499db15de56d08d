import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The built window in a real browser. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/browser/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
