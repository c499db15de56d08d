import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './longest-first.ts';
import { skippedTests } from './skipped-tests.ts';

/** Files that have a process of their own: they change its environment, its signals or its keychain, or count what it holds. */
const APART = [
  'test/integration/auth/both-issuers.test.ts',
  'test/integration/auth/{keychain,keychain-fails,locked-keychain,no-session-bus,silent-bus}.test.ts',
  'test/integration/discovery/servers-browse.test.ts',
  'test/integration/hub/thousand.test.ts',
];

/** Everything that runs on plain Node. The desktop tests need an Electron binary and have their own configuration. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    reporters: ['default', skippedTests],
    globalSetup: ['test/left-out.ts'],
    // Most of them wait for other processes: with as many as there are cores, one would often be idle. With more, answers come too
    // late for what the product waits for them.
    maxWorkers: availableParallelism() + 2,
    // These end what hangs, and nothing else.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A condition that comes true late is true: what is slow is the computer.
    expect: { poll: { timeout: 15_000 } },
    // Loading the modules anew for each file takes longer than most tests: files share them, as they share the process.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/unit/**/*.test.ts'] } },
      {
        extends: true,
        test: { name: 'parts', include: ['test/{integration,fuzz,workspace}/**/*.test.ts'], exclude: APART },
      },
      { extends: true, test: { name: 'apart', include: APART, isolate: true } },
    ],
  },
});
