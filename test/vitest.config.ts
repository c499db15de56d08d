import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { skippedTests } from './skipped-tests.ts';

/** Everything that runs on plain Node. The desktop tests need an Electron binary and have their own configuration. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    reporters: ['default', skippedTests],
    globalSetup: ['test/left-out.ts'],
    // Most of them wait for other processes: with as many as there are cores, one would often be idle.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // A condition that comes true late is true: what is slow is the computer.
    expect: { poll: { timeout: 15_000 } },
    projects: [
      // Pure functions share their modules: loading them anew for each file takes longer than the tests.
      { extends: true, test: { name: 'unit', include: ['test/unit/**/*.test.ts'], isolate: false } },
      { extends: true, test: { name: 'parts', include: ['test/{integration,fuzz,workspace}/**/*.test.ts'] } },
    ],
  },
});
