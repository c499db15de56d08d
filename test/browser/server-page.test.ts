import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useWindow, whyNotHere } from './shown-window.ts';

const SQL = '/api/2.0/mcp/sql';

describe.skipIf(whyNotHere)("a server's page in the window", () => {
  const { shown, button, inspect, go, giveServer, openList, connect } = useWindow();

  const page = () => shown.page;
  const text = (words: string | RegExp) => page().getByText(words).first().waitFor();
  const dialog = () => page().getByRole('dialog');
  const card = (name: string) => page().getByRole('region', { name, exact: true });

  async function openSql(): Promise<void> {
    await giveServer('sql', SQL);
    await go('Servers');
    await page().getByRole('link', { name: 'sql', exact: true }).click();
    await button('Try execute_sql_read_only').waitFor();
  }

  async function run(query: string): Promise<void> {
    await button('Try execute_sql_read_only').click();
    await page().getByRole('textbox', { name: 'query' }).fill(query);
    await page().keyboard.press('Control+Enter');
  }

  it('adds the server to the chosen AI clients, and reports any that is left out', async () => {
    await mkdir(join(shown.home, '.cursor'));
    await mkdir(join(shown.home, '.codex'));
    await writeFile(join(shown.home, '.codex', 'config.toml'), 'this is = not [ TOML');
    await openSql();
    await card('Clients').getByText('No AI client uses this server yet.').waitFor();
    await button('Add to clients').click();
    const choice = (name: string) => dialog().getByRole('checkbox', { name });
    await choice('Cursor').waitFor();
    expect(await choice('Cursor').isChecked()).toBe(true);
    expect(await choice('OpenAI Codex').isDisabled()).toBe(true);
    await dialog().getByText('Show changes').click();
    await dialog().getByText('"sql": {').waitFor();
    await inspect('add-to-clients');
    await button('Add to 1 client').click();
    await text('Added to Cursor');
    await dialog().waitFor({ state: 'detached' });
    const file = JSON.parse(await readFile(join(shown.home, '.cursor', 'mcp.json'), 'utf8'));
    expect(Object.keys(file.mcpServers)).toEqual(['sql']);
    await card('Clients').getByText('Cursor').waitFor();
    await button('Add to clients').click();
    await dialog().getByText('Already added').waitFor();
    await button('Close').first().waitFor();
  });

  it('shows who calls the server, and that the last call failed', async () => {
    await openSql();
    const client = await connect('claude-code');
    const call = (id: number, name: string) =>
      client.request(id, 'tools/call', { name, arguments: { query: 'SELECT 1' } });
    await call(1, 'execute_sql_read_only');
    await card('Clients').getByText('Claude Code').waitFor();
    await card('Clients').getByText('1 call', { exact: false }).first().waitFor();
    await call(2, 'no_such_tool').catch(() => undefined);
    await text('Last call failed');
    await card('Details').getByText('no_such_tool', { exact: false }).waitFor();
    await inspect('server-used');
    await page().getByRole('link', { name: 'All servers' }).click();
    await text('Last call failed');
    await inspect('servers-used');
  });

  it('checks a running server', async () => {
    await openSql();
    await button('Check now').click();
    await text('sql checked');
  });

  it('shows a failed statement as a failure', async () => {
    await openSql();
    await run('SELECT * FROM main.default.nowhere');
    await dialog().getByText('The statement failed.').waitFor();
    await dialog()
      .getByText(/Failed after/)
      .waitFor();
    expect(
      await dialog()
        .getByText(/Answered in/)
        .count(),
    ).toBe(0);
    await inspect('try-failed');
    await page().keyboard.press('Escape');
    await text('Last call failed');
  });

  it('renders only the visible rows of a long result, and exports all of them as CSV', async () => {
    await openSql();
    await run('SELECT range AS number FROM range(500)');
    const grid = dialog().getByRole('grid', { name: 'Results' });
    await grid.waitFor();
    await dialog().getByText('500 rows').waitFor();
    expect(await grid.getByRole('row').count()).toBeLessThan(60);
    await inspect('try-long');
    await button('Copy as CSV').click();
    await expect.poll(() => shown.server.copied.at(-1)?.split('\n').length).toBe(502);
    const file = join(shown.home, 'results.csv');
    shown.server.fileAnswers.push(file);
    await button('Save CSV').click();
    const title = dialog().locator('header');
    await title.getByText(`Saved to ${file}`).waitFor();
    expect(await page().locator('.mantine-Notification-root').first().isVisible()).toBe(false);
    await inspect('try-saved');
    expect((await readFile(file, 'utf8')).split('\n').slice(0, 3)).toEqual(['number', '0', '1']);
    await dialog().getByText('Details').click();
    await dialog().getByText('"statement_id"', { exact: false }).waitFor();
  });

  it('lets Tab leave the SQL editor', async () => {
    await openSql();
    await button('Try execute_sql_read_only').click();
    await page().getByRole('textbox', { name: 'query' }).fill('SELECT 1');
    await page().keyboard.press('Tab');
    await expect.poll(() => page().evaluate(() => document.activeElement?.textContent)).toBe('Run');
    await page().getByRole('textbox', { name: 'query' }).focus();
    await page().keyboard.press('Enter');
    await page().keyboard.type('+ 1');
    expect(await page().getByRole('textbox', { name: 'query' }).innerText()).toContain('\n');
  });

  it('moves a server to its replacement', async () => {
    await openSql();
    await text('Databricks SQL is newer than this server.');
    await button('Move server').click();
    await text('Moved to Databricks SQL');
    await expect.poll(async () => (await openList()).read().servers[0]?.path).toMatch(/system\.ai\.dbsql/);
    await page().getByText('Databricks SQL is newer than this server.').waitFor({ state: 'detached' });
  });
});
