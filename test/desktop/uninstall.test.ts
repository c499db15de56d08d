import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../integration/warehouses/harness.ts';
import { type RunningApplication, startApplication, whyNotHere } from './application.ts';

const reason = whyNotHere(process.env);

/** Whoever runs the tests keeps what their own Causeway has in the keychain. */
async function keepInFile(home: string): Promise<void> {
  const folder = join(home, '.config', 'causeway');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'settings.json'), '{"firstRun":null,"tokenStore":"encrypted-file"}');
}

describe.skipIf(reason)('removing Causeway in the application', () => {
  let application: RunningApplication;

  beforeAll(async () => {
    application = await startApplication({ prepare: keepInFile });
  });

  afterAll(() => application?.close());

  it('removes the entries, quits, and leaves no file of its own', { timeout: 120_000 }, async () => {
    const { home, env, electron } = application;
    const entries = join(home, '.cursor', 'mcp.json');
    const config = join(home, '.config', 'causeway');
    const profiles = await readFile(join(home, '.databrickscfg'), 'utf8');
    await mkdir(join(home, '.cursor'), { recursive: true });
    await writeFile(entries, '{}\n');
    await runCommand(env, ['servers', 'add', '--path', '/api/2.0/mcp/sql', '--no-check', '--profile', 'ana']);
    await runCommand(env, ['clients', 'add', 'cursor', '--force']);
    expect(await readFile(entries, 'utf8')).toContain('databricks-sql');

    const page = await application.window();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Remove Causeway…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(entries).waitFor();
    await dialog.getByRole('button', { name: 'Remove Causeway', exact: true }).click();
    const finish = dialog.getByRole('button', { name: 'Delete files and quit' });
    await finish.waitFor();
    expect(await readFile(entries, 'utf8')).not.toContain('databricks-sql');
    expect(existsSync(config)).toBe(true);

    const ended = once(electron.process(), 'exit');
    await finish.click();
    await ended;
    const own = [config, join(home, '.config', 'Causeway'), join(home, '.state', 'causeway')];
    await expect.poll(() => own.filter((folder) => existsSync(folder)), { timeout: 30_000 }).toEqual([]);
    expect(await readFile(join(home, '.databrickscfg'), 'utf8')).toBe(profiles);
  });
});
