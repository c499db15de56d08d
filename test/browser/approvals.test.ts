import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { ProxyProcess } from '../integration/proxy/proxy-process.ts';
import { ADDED_SQL, useWindow, whyNotHere } from './shown-window.ts';

/** Longer than nothing can be pressed, and than a hold takes, in milliseconds. */
const SETTLED_MS = 700;

describe.skipIf(whyNotHere)('the calls that wait, in their own window', () => {
  const { shown, button, inspect, go, connect } = useWindow();

  const page = () => shown.page;
  const choice = (name: string) => page().getByRole('combobox', { name, exact: true });
  const permissions = async () => {
    const text = await readFile(join(shown.home, 'causeway', 'config', 'permissions.json'), 'utf8').catch(() => '{}');
    return JSON.parse(text);
  };
  const statementsRun = () => shown.workspace.statements.map(({ query }) => query);
  const call = (client: ProxyProcess, id: number, query: string, name = 'execute_sql') => {
    const answered = client.request(id, 'tools/call', { name, arguments: { query } });
    answered.catch(() => undefined);
    return answered;
  };
  const textOf = ({ result }: { result?: unknown }) => JSON.stringify(result);
  const question = (words: string) => page().getByRole('article', { name: words });

  /** A client of the SQL server whose tools are all asked about, and the window with its calls in place of the main one. */
  async function askFirst(client = 'claude-code', tools = ['execute_sql']): Promise<ProxyProcess> {
    await go('Servers');
    await button('Add SQL').click();
    await page().getByRole('link', { name: 'databricks-sql' }).click();
    for (const tool of tools) {
      await choice(`Permission for ${tool}`).selectOption('Ask first');
      await expect.poll(async () => (await permissions()).history?.at(-1)?.what).toContain(tool);
    }
    return connect(client, ADDED_SQL);
  }
  async function toCalls(): Promise<void> {
    await page().setViewportSize({ width: 520, height: 400 });
    await page().goto(new URL('?view=approvals', page().url()).href);
    await page().getByRole('main', { name: 'Calls waiting for approval' }).waitFor();
  }
  const hold = async (name: string, ms = SETTLED_MS) => {
    await button(name).hover();
    await page().mouse.down();
    await sleep(ms);
    await page().mouse.up();
  };
  const isPressable = (name: string) => expect.poll(() => button(name).isEnabled()).toBe(true);

  it('are one at a time: a double click answers only the first', async () => {
    const client = await askFirst('claude-code', ['execute_sql', 'execute_sql_read_only']);
    await toCalls();
    const first = call(client, 1, 'SELECT 1', 'execute_sql_read_only');
    const second = call(client, 2, 'SELECT 2', 'execute_sql_read_only');
    await question('Claude Code wants to use execute_sql_read_only').waitFor();
    await page().getByText('1 of 2', { exact: true }).waitFor();
    await isPressable('Allow once');
    const box = await button('Allow once').boundingBox();
    await button('Allow once').dblclick();
    expect((await first).result).toHaveProperty('content');
    await page().getByText('1 of 1', { exact: true }).waitFor();
    expect(await button('Allow once').boundingBox()).toEqual(box);
    expect(statementsRun()).not.toContain('SELECT 2');
    await isPressable('Block this call');
    await button('Block this call').click();
    expect(textOf(await second)).toContain('The user refused this call');
    await page().getByText('No calls are waiting.').waitFor();
  });

  it('are allowed by a hold if they may change data, and not by a press', async () => {
    const client = await askFirst();
    await toCalls();
    const answered = call(client, 1, 'DROP TABLE main.default.taxi');
    await page().getByText('DROP TABLE main.default.taxi', { exact: true }).waitFor();
    await page().getByText('May change data').waitFor();
    await inspect('approval-write');
    await isPressable('Hold: allow once');
    await button('Hold: allow once').click();
    await hold('Hold: allow once', 200);
    await button('Hold: allow once').dblclick();
    await sleep(SETTLED_MS);
    expect(statementsRun()).toEqual([]);
    await hold('Hold: allow once');
    expect((await answered).result).toHaveProperty('content');
    expect(statementsRun()).toEqual(['DROP TABLE main.default.taxi']);
  });

  it('cannot be answered in the first moment, neither by a click nor by a key', async () => {
    const client = await askFirst('claude-code', ['execute_sql_read_only']);
    await toCalls();
    const answered = call(client, 1, 'SELECT 1', 'execute_sql_read_only');
    await question('Claude Code wants to use execute_sql_read_only').waitFor();
    const states = await page().evaluate(() => {
      const buttons = Array.from(document.querySelectorAll('button'));
      for (const each of buttons) each.click();
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
      return buttons.map(({ disabled }) => disabled);
    });
    expect(states).toEqual([true, true, true]);
    await isPressable('Allow once');
    await button('Allow once').click();
    expect((await answered).result).toHaveProperty('content');
  });

  it('are answered by keyboard alone', async () => {
    const client = await askFirst();
    await toCalls();
    const held = call(client, 1, 'SELECT 1');
    await isPressable('Hold: allow once');
    await expect.poll(() => focusedText(page())).toBe('Hold: allow once');
    await page().keyboard.down('Enter');
    await sleep(SETTLED_MS);
    await page().keyboard.up('Enter');
    expect((await held).result).toHaveProperty('content');
    const blocked = call(client, 2, 'SELECT 2');
    await isPressable('Hold: allow once');
    await page().keyboard.press('Enter');
    await page().keyboard.press('Escape');
    expect(textOf(await blocked)).toContain('The user refused this call');
    expect(statementsRun()).toEqual(['SELECT 1']);
  });

  it('are allowed with a screen reader by a press and another one', async () => {
    const client = await askFirst();
    await toCalls();
    const answered = call(client, 1, 'SELECT 1');
    await isPressable('Hold: allow once');
    const press = () => page().evaluate(() => document.querySelector<HTMLElement>('[data-held]')?.click());
    await press();
    await button('Press again to allow').waitFor();
    await press();
    expect(statementsRun()).toEqual([]);
    await sleep(SETTLED_MS);
    await press();
    expect((await answered).result).toHaveProperty('content');
  });

  it('are announced at once, with what would run', async () => {
    const client = await askFirst();
    await toCalls();
    const alert = page().getByRole('alert');
    expect(await alert.textContent()).toBe('');
    void call(client, 1, 'DROP TABLE orders');
    await expect.poll(() => alert.textContent()).toBe('Claude Code wants to use execute_sql: DROP TABLE orders');
  });

  it('show letter for letter what will run', async () => {
    const client = await askFirst();
    await toCalls();
    void call(client, 1, "SELECT '<b>&lt;' -- \u202eok\n  FROM t");
    const text = page().getByRole('region', { name: 'SQL' }).locator('pre');
    expect(await text.textContent()).toBe("SELECT '<b>&lt;' -- ⟨U+202E⟩ok\n  FROM t");
    await inspect('approval-letters');
  });

  it('cannot be allowed if they are too long to be shown whole', async () => {
    const client = await askFirst();
    await toCalls();
    const answered = call(client, 1, `SELECT '${'x'.repeat(100_000)}'`);
    await page().getByText('too long to be shown whole').waitFor();
    await isPressable('Block this call');
    expect(await button('Hold: allow once').isDisabled()).toBe(true);
    await inspect('approval-too-long');
    await button('Block this call').click();
    expect(textOf(await answered)).toContain('The user refused this call');
  });

  it('can be given two more minutes', async () => {
    const client = await askFirst('something-new');
    await toCalls();
    void call(client, 1, 'SELECT 1');
    await page()
      .getByText(/^Expires in 4\d s$/)
      .waitFor();
    await isPressable('+2 min to answer');
    await button('+2 min to answer').click();
    await page()
      .getByText(/^Expires in 16\d s$/)
      .waitFor();
  });

  it('can be allowed for an hour, in words, and asked about again', async () => {
    const client = await askFirst();
    await toCalls();
    const first = call(client, 1, 'SELECT 1');
    await isPressable('Hold: allow once');
    await choice('Allow').selectOption('every call of execute_sql, for Claude Code, for an hour');
    await inspect('approval-scope');
    await isPressable('Hold: allow for an hour');
    await hold('Hold: allow for an hour');
    expect((await first).result).toHaveProperty('content');
    expect((await call(client, 2, 'SELECT 2')).result).toHaveProperty('content');
    await page().setViewportSize({ width: 1000, height: 700 });
    await page().goto(new URL('/', page().url()).href);
    await go('Servers');
    const allowance = page().getByText(/^Claude Code can use execute_sql on databricks-sql until /);
    await allowance.waitFor();
    await inspect('permissions-allowed-for-now');
    await button('Ask again from now on').click();
    await allowance.waitFor({ state: 'detached' });
    const third = call(client, 3, 'SELECT 3');
    await page().getByRole('status').getByText('1 call needs approval').waitFor();
    await inspect('call-that-waits');
    await button('Review').click();
    await expect.poll(() => shown.server.asked.shown).toEqual(['calls']);
    await client.close();
    await third.catch(() => undefined);
    await page().getByRole('status').getByText('1 call needs approval').waitFor({ state: 'detached' });
  });

  it('can be allowed for good: one tool, or all that only read', async () => {
    const client = await askFirst('codex', ['execute_sql', 'execute_sql_read_only', 'poll_sql_result']);
    await toCalls();
    const reads = call(client, 1, 'SELECT 1', 'execute_sql_read_only');
    await isPressable('Allow once');
    await choice('Allow').selectOption('every tool of databricks-sql that only reads, for codex, always');
    await isPressable('Always allow');
    await button('Always allow').click();
    expect((await reads).result).toHaveProperty('content');
    expect((await permissions()).history.at(-1).what).toBe(
      'codex on databricks-sql: on: execute_sql_read_only, poll_sql_result',
    );
    const writes = call(client, 2, 'SELECT 2');
    await isPressable('Hold: allow once');
    expect(await choice('Allow').locator('option').allTextContents()).toEqual([
      'only this call',
      'every call of execute_sql, for codex, for an hour',
      'every call of execute_sql, for codex, until midnight',
      'every call of execute_sql, for codex, always',
    ]);
    await choice('Allow').selectOption('every call of execute_sql, for codex, always');
    await isPressable('Hold: always allow');
    await hold('Hold: always allow');
    expect((await writes).result).toHaveProperty('content');
    expect((await call(client, 3, 'SELECT 3')).result).toHaveProperty('content');
  });

  it('go when their client disconnects', async () => {
    const client = await askFirst('cursor');
    await toCalls();
    void call(client, 1, 'SELECT 1');
    await question('Cursor wants to use execute_sql').waitFor();
    await client.close();
    await page().getByText('No calls are waiting.').waitFor();
  });
});

function focusedText(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => document.activeElement?.textContent);
}
