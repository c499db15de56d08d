import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from './markdown.ts';

const FILE = `
import { describe, expect, it } from 'vitest';
describe.skip('a suite that cannot run', () => {
  it('one', () => expect(1).toBe(1));
  describe('inner', () => { it('two', () => expect(1).toBe(1)); });
});
describe('a suite', () => {
  it.skip('a test that cannot run', () => expect(1).toBe(1));
  it('a test that runs', () => expect(1).toBe(1));
});
`;
const CONFIG = `
import { skippedTests } from ${JSON.stringify(join(ROOT, 'test', 'skipped-tests.ts'))};
export default { test: { root: import.meta.dirname, reporters: [skippedTests] } };
`;

let folder: string;
beforeAll(async () => {
  // Where the files find vitest.
  folder = await mkdtemp(join(ROOT, 'node_modules', '.skipped-tests-'));
  await writeFile(join(folder, 'some.test.ts'), FILE);
  await writeFile(join(folder, 'vitest.config.ts'), CONFIG);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function linesOfRun(...more: string[]): Promise<string[]> {
  const program = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [program, 'run', '--config', join(folder, 'vitest.config.ts'), ...more];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  return stdout.split('\n').filter(Boolean);
}

test('a run names the suites and tests that it has skipped', async () => {
  expect(await linesOfRun()).toEqual([
    'Left out here:',
    '  some.test.ts › a suite that cannot run',
    '  some.test.ts › a test that cannot run',
  ]);
});

test('a run of tests selected by name does not name the others', async () => {
  expect(await linesOfRun('-t', 'that runs')).toEqual([]);
});
