import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The tests of the module that is changed (`modules.ts`), and no more of them: they run a thousand times. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: process.env.MUTATION_TESTS?.split(',') ?? ['test/unit/**/*.test.ts'],
  },
});
