import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { uninstallRequests } from '../../../preload/contract/uninstall.ts';
import type { RequestName } from '../../../preload/contract.ts';
import { COMPILED } from '../../compiled.ts';
import { setStage } from '../auth/stage.ts';
import { runCommand } from '../warehouses/harness.ts';

const PROGRAM = fileURLToPath(new URL('./application-program.ts', import.meta.url));
const Answer = z.object({ ok: z.literal(true), value: uninstallRequests.uninstall.output.optional() });
const stage = setStage();

it('the window lists what there is, removes it, and the files are removed once the application has quit', async () => {
  const { home } = stage;
  const file = join(home.folder, '.cursor', 'mcp.json');
  await mkdir(join(home.folder, '.cursor'));
  await writeFile(file, '{}\n');
  await runCommand(home.env, ['servers', 'add', 'sql', '--profile', 'user']);
  await runCommand(home.env, ['clients', 'add', 'cursor', '--force']);
  const application = spawn(process.execPath, [...COMPILED, PROGRAM], {
    env: home.env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void application.kill('SIGKILL'));
  const lines = createInterface({ input: application.stdout })[Symbol.asyncIterator]();
  const ended = once(application, 'exit');
  expect((await lines.next()).value).toBe('"ready"');
  const request = async (name: RequestName, input?: object) => {
    application.stdin.write(`${JSON.stringify({ request: name, input })}\n`);
    return Answer.parse(JSON.parse((await lines.next()).value ?? 'null')).value;
  };

  const plan = await request('getUninstallPlan');
  expect(plan?.kept).toBe(home.configFile);
  expect(plan?.removals).toContainEqual({
    kind: 'entries',
    what: `Cursor: ${file}`,
    result: 'would-remove',
    note: null,
    isRunning: false,
    problem: null,
  });
  expect(plan?.removals.map(({ kind }) => kind)).toContain('files');
  expect(await readFile(file, 'utf8')).toContain('databricks-sql');

  const done = await request('uninstall', { evenRunning: true });
  expect(done?.removals).toMatchObject([{ kind: 'entries', result: 'removed' }]);
  expect(await readFile(file, 'utf8')).not.toContain('databricks-sql');
  expect(existsSync(join(home.folder, 'causeway', 'config'))).toBe(true);

  await request('finishUninstall');
  await ended;
  await expect.poll(() => existsSync(join(home.folder, 'causeway')), { timeout: 20_000 }).toBe(false);
  expect(existsSync(home.configFile)).toBe(true);
});
