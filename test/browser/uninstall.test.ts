import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { setPolicySource } from '../../main/permissions/policy/system-policy.ts';
import { runCommand } from '../integration/warehouses/harness.ts';
import { useWindow, whyNotHere } from './shown-window.ts';

const CURSOR = '.cursor/mcp.json';
const CLAUDE = '.config/Claude/claude_desktop_config.json';
const THEIRS = { mcpServers: { files: { command: 'npx' } } };

describe.skipIf(whyNotHere)('removing Causeway in the window', { timeout: 120_000 }, () => {
  const { shown, button, inspect, allow, go } = useWindow();
  const path = (file: string) => join(shown.home, file);
  const entries = async (file: string) => Object.keys(JSON.parse(await readFile(path(file), 'utf8')).mcpServers ?? {});
  const dialog = () => shown.page.getByRole('dialog');
  const isTitled = (name: string) => shown.page.getByRole('dialog', { name, exact: true }).waitFor();
  const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true });
  const section = (name: string) => dialog().getByRole('region', { name, exact: true });

  /** A user with an entry in two AI clients. */
  beforeEach(async () => {
    for (const file of [CURSOR, CLAUDE]) {
      await mkdir(dirname(path(file)), { recursive: true });
      await writeFile(path(file), JSON.stringify(THEIRS));
    }
    const env = { HOME: shown.home, CAUSEWAY_HOME: path('causeway'), PATH: '/usr/bin:/bin' };
    await runCommand(env, ['servers', 'add', '--path', '/api/2.0/mcp/sql', '--no-check', '--profile', 'ana']);
    for (const id of ['cursor', 'claude-desktop']) await runCommand(env, ['clients', 'add', id, '--force']);
    expect([await entries(CURSOR), await entries(CLAUDE)].flat()).toContain('databricks-sql');
  });

  const open = async () => {
    await go('Settings');
    await button('Remove Causeway…').click();
    await section('What is removed').waitFor();
    await isTitled('Remove Causeway from this computer?');
  };

  it('shows what is removed, removes nothing before the user says so, and quits at the end', async () => {
    await go('Accounts');
    await shown.page.getByRole('button', { name: 'Sign in to oauth' }).click();
    await allow();
    await shown.page.getByText('Signed in', { exact: true }).waitFor();
    await open();
    const plan = await section('What is removed').innerText();
    for (const what of [path(CURSOR), path(CLAUDE), `oauth at ${shown.workspace.host}`, path('causeway/config')]) {
      expect(plan).toContain(what);
    }
    await dialog().getByText(`Your Databricks profiles in ${shown.workspace.profileFile} stay.`).waitFor();
    await inspect('uninstall-plan');

    shown.workspace.requests.clear();
    await inDialog('Cancel').click();
    await dialog().waitFor({ state: 'detached' });
    expect(await entries(CURSOR)).toContain('databricks-sql');
    expect(shown.workspace.requests.count({ path: '/oidc/v1/revoke' })).toBe(0);

    await open();
    await inDialog('Remove Causeway').click();
    await section('Removed').waitFor();
    await isTitled('Removal almost complete');
    expect(await entries(CURSOR)).toEqual(['files']);
    expect(await entries(CLAUDE)).toEqual(['files']);
    expect(await section('Removed').innerText()).toContain('Its tokens are revoked.');
    expect(shown.workspace.requests.count({ path: '/oidc/v1/revoke' })).toBeGreaterThan(0);
    expect(await section('Deleted when Causeway quits').innerText()).toContain(path('causeway/config'));
    await inspect('uninstall-done');

    // The files of this home would be deleted by a process that outlives the test.
    let isAsked = false;
    await shown.page.route('**/*finishUninstall', (route) => {
      isAsked = true;
      return route.fulfill({ json: { ok: true } });
    });
    await inDialog('Delete files and quit').click();
    await expect.poll(() => isAsked).toBe(true);
  });

  it('says what could not be removed and why, keeps its files until then, and tries again', async () => {
    const written = await readFile(path(CURSOR), 'utf8');
    await writeFile(path(CURSOR), `${written}}`);
    await open();
    await inDialog('Remove Causeway').click();
    await dialog().getByText('One item could not be removed.').waitFor();
    await isTitled('Removal incomplete');
    expect(await section('Not removed').innerText()).toContain(path(CURSOR));
    expect(await entries(CLAUDE)).toEqual(['files']);
    expect(await inDialog('Delete files and quit').count()).toBe(0);
    await inspect('uninstall-failed');
    await writeFile(path(CURSOR), written);
    await inDialog('Try again').click();
    await inDialog('Delete files and quit').waitFor();
    await isTitled('Removal almost complete');
    expect(await entries(CURSOR)).toEqual(['files']);
    expect(await section('Removed').innerText()).toContain(path(CLAUDE));
  });

  it('leaves the entries of a running AI client unless the user wants them removed anyway', async () => {
    const program = path('claude-desktop');
    await copyFile('/usr/bin/sleep', program);
    const claude = spawn(program, ['120']);
    onTestFinished(() => void claude.kill());
    await once(claude, 'spawn');
    await open();
    await dialog().getByText('Some AI clients are running.').waitFor();
    await inDialog('Remove Causeway').click();
    await section('Not removed').getByText('Claude Desktop is running').waitFor();
    expect(await entries(CLAUDE)).toContain('databricks-sql');
    expect(await entries(CURSOR)).toEqual(['files']);
    await inspect('uninstall-running');
    await inDialog('Remove anyway').click();
    await inDialog('Delete files and quit').waitFor();
    expect(await entries(CLAUDE)).toEqual(['files']);
  });

  it('is not offered if the organization requires entries in an AI client', async () => {
    const requiredClients = { value: ['cursor'], locked: true, reason: 'Everyone uses our data' };
    const text = Buffer.from(JSON.stringify({ version: 1, requiredClients }));
    setPolicySource({ name: '/etc/causeway/policy.json', version: () => 'one', read: async () => text });
    onTestFinished(() => setPolicySource(undefined));
    await go('Settings');
    await shown.page.getByText('Managed by your organization: Everyone uses our data.').waitFor({ timeout: 20_000 });
    expect(await button('Remove Causeway…').isDisabled()).toBe(true);
  });
});
