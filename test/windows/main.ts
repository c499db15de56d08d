/**
 * `npm run test:windows [PART…]`: what differs on Windows, tried there; a PART is a part of a file's name. On another system
 * the tests run in the Node for Windows that `CAUSEWAY_WINDOWS_NODE` names (a program that takes a script, such as one that
 * starts Node under Wine), or are left out.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';

/** How long one file may take, in milliseconds: a process of it that hangs must not hold the others. */
const FILE_TIMEOUT_MS = 300_000;

/** Names the folder with what the single executable is made of. */
const EXECUTABLE_PARTS = 'CAUSEWAY_EXECUTABLE_PARTS';

const parts = process.argv.slice(2);
const runner = process.env.CAUSEWAY_WINDOWS_NODE;
if (process.env[EXECUTABLE_PARTS] !== undefined) {
  await runTests();
} else if (process.platform === 'win32' || runner) {
  const work = await mkdtemp(join(tmpdir(), 'causeway-parts-'));
  // The build has parts of this very system.
  const { prepareBlob } = await import('../../resources/packaging/blob.ts');
  await prepareBlob(work);
  const { status, error } = spawnSync(runner ?? process.execPath, [fileURLToPath(import.meta.url), ...parts], {
    env: { ...process.env, [EXECUTABLE_PARTS]: work },
    stdio: 'inherit',
  });
  await rm(work, { recursive: true });
  if (error) throw error;
  process.exitCode = status ?? 1;
} else {
  console.log(
    'The tests for Windows are left out: this is another system, and CAUSEWAY_WINDOWS_NODE names no Node for Windows.',
  );
}

async function runTests(): Promise<void> {
  const folder = import.meta.dirname;
  const names = readdirSync(folder).filter((name) => name.endsWith('.test.ts'));
  const chosen = names.filter((name) => parts.length === 0 || parts.some((part) => name.includes(part)));
  if (chosen.length === 0) throw new Error(`No file of tests has ${parts.join(' or ')} in its name.`);
  const counts = { passed: 0, failed: 0 };
  const skipped: string[] = [];
  const measured: string[] = [];
  const events = run({
    files: chosen.map((name) => join(folder, name)),
    concurrency: 1,
    timeout: FILE_TIMEOUT_MS,
  });
  events.on('test:pass', ({ name, file, skip }) => {
    if (skip === undefined) counts.passed += 1;
    else skipped.push(`  ${basename(file ?? '')} › ${name}: ${skip}`);
  });
  events.on('test:fail', () => {
    counts.failed += 1;
    process.exitCode = 1;
  });
  events.on('test:diagnostic', ({ message, nesting }) => {
    // Those of the run itself count its tests.
    if (nesting === 0 && !/^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.test(message))
      measured.push(message);
  });
  for await (const text of events.compose(new spec())) process.stdout.write(text);
  if (measured.length > 0) console.log(measured.join('\n'));
  if (skipped.length > 0) console.log(['Left out here:', ...skipped].join('\n'));
  console.log(
    `${chosen.length} files on ${process.env.WINEPREFIX === undefined ? 'Windows' : 'Wine'} with Node ${process.version}: ` +
      `${counts.passed} tests passed, ${counts.failed} failed, ${skipped.length} left out.`,
  );
}
