import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The unit tests alone: they run in one process, a thousand times, and start no other. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/unit/**/*.test.ts'],
    exclude: ['test/unit/project/**'],
  },
});
