import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Runs only the tests of the changed module (`modules.ts`), because they run a thousand times. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: process.env.MUTATION_TESTS?.split(',') ?? ['test/unit/**/*.test.ts'],
  },
});
