import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProxyProcess } from '../integration/proxy/proxy-process.ts';
import { runCommand } from '../integration/warehouses/harness.ts';
import { ADDED_SQL, useWindow, whyNotHere } from './shown-window.ts';

describe.skipIf(whyNotHere)('what AI clients can do, in the window', () => {
  const { shown, button, inspect, go, connect } = useWindow();

  const page = () => shown.page;
  const choice = (name: string) => page().getByRole('combobox', { name, exact: true });
  const readOnly = () => page().getByRole('switch', { name: 'Read only' });
  // The switch shows its new state only once the change is on its way to the application.
  const switchToReadOnly = async () => {
    await readOnly().click();
    await expect.poll(() => readOnly().isChecked()).toBe(true);
  };
  const permissions = async () => {
    const text = await readFile(join(shown.home, 'causeway', 'config', 'permissions.json'), 'utf8').catch(() => '{}');
    return JSON.parse(text);
  };
  const drop = (client: ProxyProcess, id: number, query = 'DROP TABLE main.default.taxi') =>
    client.request(id, 'tools/call', { name: 'execute_sql', arguments: { query } });
  const textOf = ({ result }: { result?: unknown }) => JSON.stringify(result);

  async function addSql(): Promise<void> {
    await go('Servers');
    await button('Add SQL').click();
    await page().getByRole('link', { name: 'databricks-sql' }).click();
    await choice('Permission for execute_sql').waitFor();
  }

  it('a tool that is turned off in the window disappears from a running session at once', async () => {
    await addSql();
    const client = await connect('claude-code', ADDED_SQL);
    const tools = async (id: number) => {
      const { result } = await client.request(id, 'tools/list', {});
      return (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
    };
    expect(await tools(1)).toContain('execute_sql');
    await choice('Permission for execute_sql').selectOption('Block');
    await expect.poll(async () => (await permissions()).history?.at(-1)).toMatchObject({ by: 'window' });
    expect(await tools(2)).not.toContain('execute_sql');
    expect(textOf(await drop(client, 3))).toContain('The user has turned off');
    await inspect('permissions-tool-off');
    await button('Reset permissions').click();
    await expect.poll(() => choice('Permission for execute_sql').inputValue()).toBe('on');
    expect(await tools(4)).toContain('execute_sql');
  });

  it('read-only for all servers is shown at each server, and cannot be lifted there', async () => {
    await addSql();
    await page().getByRole('link', { name: 'All servers' }).click();
    await switchToReadOnly();
    await page().getByRole('link', { name: 'databricks-sql' }).click();
    await page().getByText('Read only is on for all servers.').waitFor();
    expect(await readOnly().isDisabled()).toBe(true);
    await expect.poll(() => choice('Permission for execute_sql').isDisabled()).toBe(true);
    expect(await choice('Permission for execute_sql_read_only').inputValue()).toBe('on');
    await inspect('permissions-read-only');
  });

  it('permissions for one client leave the others alone', async () => {
    await addSql();
    await choice('Applies to').selectOption('Claude Code');
    await switchToReadOnly();
    await expect.poll(() => choice('Permission for execute_sql').isDisabled()).toBe(true);
    await choice('Applies to').selectOption('All AI clients');
    await expect.poll(() => choice('Permission for execute_sql').isDisabled()).toBe(false);
    await choice('Applies to').selectOption('Claude Code (custom)');
    const [ofServer] = Object.values((await permissions()).servers);
    expect(ofServer).toEqual({ clients: { 'claude-code': { readOnly: true } } });
  });

  it('a change on the command line is shown at once, and an unreadable file is reported', async () => {
    await addSql();
    const env = { HOME: shown.home, CAUSEWAY_HOME: join(shown.home, 'causeway') };
    expect((await runCommand(env, ['permissions', 'set', 'databricks-sql', '--ask', 'execute_sql'])).code).toBe(0);
    await expect.poll(() => choice('Permission for execute_sql').inputValue()).toBe('ask');
    await page().getByRole('link', { name: 'All servers' }).click();
    await page().getByText('Latest changes').click();
    await page().getByText('databricks-sql: ask first: execute_sql · on the command line · just now').waitFor();
    await inspect('permissions-latest-changes');
    await writeFile(join(shown.home, 'causeway', 'config', 'permissions.json'), '{');
    await page().getByText('line 1, column 2').waitFor();
  });
});
