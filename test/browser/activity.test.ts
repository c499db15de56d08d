import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endedCall } from '../ended-call.ts';
import type { ProxyProcess } from '../integration/proxy/proxy-process.ts';
import { useWindow, whyNotHere } from './shown-window.ts';

const SQL = '/api/2.0/mcp/sql';

describe.skipIf(whyNotHere)('the activity in the window', () => {
  const { shown, button, inspect, go, connect } = useWindow();
  const query = (proxy: ProxyProcess, id: number, tool = 'execute_sql') =>
    proxy.request(id, 'tools/call', { name: tool, arguments: { query: 'SELECT 1' } });
  const grid = () => shown.page.getByRole('grid', { name: 'Calls' });
  const rows = () => grid().locator('[role=row][aria-rowindex]:not([aria-rowindex="1"])').allTextContents();
  const sessions = () => shown.page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
  const filter = (name: string, value: string) => shown.page.getByRole('combobox', { name }).selectOption(value);
  const status = (text: string) => shown.page.getByRole('status').filter({ hasText: text }).first().waitFor();

  /** Calls as the hub tells of them, more than clients make in a test's time. */
  function manyCalls(count: number): void {
    for (let at = 0; at < count; at += 1) {
      shown.server.activity.add(
        endedCall({
          clientName: at % 2 ? 'cursor' : 'claude-ai',
          profile: 'ana',
          path: SQL,
          method: 'tools/call',
          tool: at % 3 ? 'execute_sql' : 'poll_sql_result',
          startedAt: Date.now() - 100,
          durationMs: 5 + (at % 90),
          outcome: at % 50 ? 'answered' : 'lost',
        }),
        null,
      );
    }
  }

  it('the empty screen explains what will appear there', async () => {
    await go('Activity');
    await shown.page.getByText('No AI client is connected').waitFor();
    await shown.page.getByText('No call yet. Each one appears here when it has ended.').waitFor();
    await shown.page.getByText('Off: none of it is kept anywhere.').waitFor();
    await inspect('activity-empty');
  });

  it('sessions and their calls appear and go as clients connect and disconnect', async () => {
    await go('Activity');
    const claude = await connect('claude-ai');
    await shown.page.getByText('1 session of an AI client').waitFor();
    await query(claude, 1);
    await query(claude, 2, 'no_such_tool');
    const cursor = await connect('cursor');
    await query(cursor, 1);
    await shown.page.getByText('2 sessions of AI clients').waitFor();
    await sessions()
      .filter({ hasText: 'Claude Desktop 1.2' })
      .getByText(/^SQL · ana · process \d+$/)
      .waitFor();
    await sessions()
      .filter({ hasText: 'Claude Desktop 1.2' })
      .getByText(/^3 calls, 1 failed · .* sent · .* received$/)
      .waitFor();
    await expect.poll(rows).toHaveLength(5);
    expect((await rows())[0]).toMatch(/CursorSQLexecute_sql.*Answered$/);
    expect((await rows()).filter((row) => /no_such_tool.*(Error|failed)/.test(row))).toHaveLength(1);
    await shown.page.getByText(/^In the last 15 minutes: 5 calls, half within /).waitFor();
    await inspect('activity');

    await filter('Client', 'Cursor');
    await expect.poll(rows).toHaveLength(2);
    await filter('Client', '');
    await filter('Outcome', 'failed');
    await expect.poll(rows).toHaveLength(1);
    await filter('Tool', 'execute_sql');
    await status('No call matches.');
    for (const proxy of [claude, cursor]) await proxy.finish();
    await shown.page.getByText('No AI client is connected').waitFor();
  });

  it('the list of calls pauses, resumes and is cleared', async () => {
    manyCalls(30);
    await go('Activity');
    await status('30 calls.');
    await button('Pause').click();
    await status('30 calls. Paused: new ones are kept, but not shown.');
    manyCalls(5);
    await button('Show new calls').waitFor();
    expect(await grid().getAttribute('aria-rowcount')).toBe('31');
    await inspect('activity-paused');
    await button('Show new calls').click();
    await status('35 calls.');
    await button('Clear').click();
    await status('No call yet.');
    await expect.poll(rows).toHaveLength(0);
  });

  it('a list that is scrolled down does not move when calls arrive', async () => {
    manyCalls(500);
    await go('Activity');
    await status('500 calls.');
    await grid().focus();
    for (let presses = 0; presses < 3; presses += 1) await shown.page.keyboard.press('PageDown');
    await expect.poll(() => grid().evaluate((table) => table.scrollTop)).toBeGreaterThan(200);
    const before = await rows();
    manyCalls(200);
    await button('Show new calls').waitFor();
    expect(await rows()).toEqual(before);
    await button('Show new calls').click();
    await status('700 calls.');
    await expect.poll(() => grid().evaluate((table) => table.scrollTop)).toBe(0);
  });

  it('the list keeps the last fifty thousand calls, with only the visible ones in the page', async () => {
    manyCalls(50_100);
    await go('Activity');
    await status('50,000 calls.');
    expect(await grid().getByRole('row').count()).toBeLessThan(50);
    await filter('Outcome', 'lost');
    await status('1,000 calls.');
  });

  it('the export holds the filtered calls as CSV or JSON, without contents', async () => {
    const claude = await connect('claude-ai');
    await query(claude, 1);
    await go('Activity');
    await filter('Tool', 'execute_sql');
    await status('1 call');
    const [csv, json] = [join(shown.home, 'calls.csv'), join(shown.home, 'calls.json')];
    shown.server.fileAnswers.push(csv, json);
    await button('Export…').click();
    await shown.page.getByText(`They are in ${csv}.`).waitFor();
    const [header, line] = (await readFile(csv, 'utf8')).split('\n');
    expect(header).toBe(
      'started_at,client,profile,path,method,tool,duration_ms,outcome,error_code,bytes_from_client,bytes_to_client',
    );
    expect(line).toMatch(
      /^20\d\d-.*Z,Claude Desktop,ana,\/api\/2\.0\/mcp\/sql,tools\/call,execute_sql,[\d.]+,answered,,\d+,\d+$/,
    );
    await button('Export…').click();
    await shown.page.getByText(`They are in ${json}.`).waitFor();
    const exported = await readFile(json, 'utf8');
    expect(JSON.parse(exported)).toMatchObject([
      { clientName: 'Claude Desktop', tool: 'execute_sql', outcome: 'answered' },
    ]);
    expect(exported).not.toContain('SELECT');
  });

  const recordingSwitch = () => shown.page.getByRole('switch', { name: 'Record what is asked and answered' });
  const dialog = () => shown.page.getByRole('dialog');
  const ofDialog = (name: string) => dialog().getByRole('button', { name, exact: true });
  const part = (name: string) => dialog().getByRole('region', { name, exact: true });
  const isKept = () => shown.server.activity.recording.contents.size;

  /** Turns the recording on as a user does who has nothing but the keyboard. */
  async function turnOn(time: string): Promise<void> {
    await recordingSwitch().focus();
    await shown.page.keyboard.press('Space');
    await dialog().getByRole('radio', { name: time }).check();
    await ofDialog('Record').focus();
    await shown.page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
    await shown.page.getByText('What is asked and answered is being recorded.').waitFor();
  }

  async function openCall(text: string): Promise<void> {
    await grid().getByRole('row').filter({ hasText: text }).first().click();
    await dialog().waitFor();
  }

  it('the details of a call say that its contents were not recorded', async () => {
    const claude = await connect('claude-ai');
    await query(claude, 1);
    await go('Activity');
    await status('2 calls.');
    await grid().focus();
    await shown.page.keyboard.press('Home');
    await shown.page.keyboard.press('Enter');
    await dialog().getByText('What was asked and answered was not recorded.').waitFor();
    expect(await dialog().textContent()).toMatch(/Claude Desktop.*SQL \(\/api.*tools\/call.*Answered/);
    await inspect('activity-call-not-recorded');
    await ofDialog('Record from now on…').click();
    await shown.page.getByText('It is in the memory of the application alone').waitFor();
    await inspect('activity-ask-recording');
    await ofDialog('Cancel').click();
    await dialog().waitFor({ state: 'detached' });
    expect(await recordingSwitch().isChecked()).toBe(false);
    expect(isKept()).toBe(0);
  });

  it('contents are recorded while recording is on, shown, and deleted with it', async () => {
    const claude = await connect('claude-ai');
    await go('Activity');
    await turnOn('For 15 minutes');
    await query(claude, 1);
    await query(claude, 2, 'no_such_tool');
    await shown.page.getByText('2 calls are recorded.').waitFor();
    await shown.page.getByText(/1[45] minutes are left\./).waitFor();
    expect(shown.server.model.state.recording.status).toBe('on');
    await inspect('activity-recording');

    await openCall('execute_sql');
    await part('What was asked').getByText('"query": "SELECT 1"').waitFor();
    await part('What was answered').getByText('Text').first().waitFor();
    await dialog().getByRole('textbox', { name: 'Find in what was asked and answered' }).fill('select');
    await dialog().getByText('1 of ').waitFor();
    expect(await dialog().locator('mark[aria-current=true]').textContent()).toBe('SELECT');
    await inspect('activity-call');
    await ofDialog('Copy').click();
    await expect.poll(() => shown.server.copied.at(-1)).toContain('"query": "SELECT 1"');

    await shown.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await expect.poll(() => grid().evaluate((table) => table === document.activeElement)).toBe(true);
    await openCall('execute_sql');
    await part('What was asked').waitFor();
    shown.server.activity.recording.stop();
    await dialog().getByText('What was asked and answered has been deleted.').waitFor();
    expect(await dialog().textContent()).not.toContain('SELECT');
    await shown.page.keyboard.press('Escape');
    await expect.poll(() => recordingSwitch().isChecked()).toBe(false);
    await turnOn('Until Causeway quits');
    await shown.page.getByText('It goes on until Causeway quits.').waitFor();
    await query(claude, 3);
    await shown.page.getByText('1 call is recorded.').waitFor();
    await button('Stop and delete').click();
    await shown.page.getByText('What is asked and answered is being recorded.').waitFor({ state: 'detached' });
    expect(isKept()).toBe(0);
  });

  it('clearing recorded contents asks first, and says what is deleted and what stays', async () => {
    const claude = await connect('claude-ai');
    await go('Activity');
    await turnOn('For 15 minutes');
    await query(claude, 1);
    await shown.page.getByText('1 call is recorded.').waitFor();
    await button('Clear…').click();
    await dialog()
      .getByText(/list is deleted: 2 calls.* in 1 call, which/)
      .waitFor();
    await inspect('activity-ask-clear');
    await shown.page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
    expect(isKept()).toBe(1);
    await button('Clear…').press('Enter');
    await ofDialog('Clear').click();
    await status('No call yet.');
    expect(isKept()).toBe(0);
    expect(await recordingSwitch().isChecked()).toBe(true);
  });

  it('a long answer is marked as recorded only in part', async () => {
    const claude = await connect('claude-ai');
    await go('Activity');
    await turnOn('For 1 hour');
    await claude.request(1, 'tools/call', {
      name: 'execute_sql',
      arguments: { query: `SELECT '${'é'.repeat(50_000)}'` },
    });
    await shown.page.getByText('1 call is recorded.').waitFor();
    await openCall('execute_sql');
    await part('What was asked').getByText('Only the first 64 KiB were recorded. It has 100.1 kB in all.').waitFor();
    await inspect('activity-call-cut');
  });

  it('the export holds contents only when the user chooses that', async () => {
    const claude = await connect('claude-ai');
    await go('Activity');
    await turnOn('For 15 minutes');
    await query(claude, 1);
    await shown.page.getByText('1 call is recorded.').waitFor();
    const [without, withThem] = [join(shown.home, 'without.json'), join(shown.home, 'with.json')];
    shown.server.fileAnswers.push(without, withThem);
    await button('Export…').click();
    await dialog().waitFor();
    expect(await dialog().getByRole('checkbox').isChecked()).toBe(false);
    await ofDialog('Export…').click();
    await shown.page.getByText(`They are in ${without}.`).waitFor();
    expect(await readFile(without, 'utf8')).not.toContain('SELECT');
    await dialog().waitFor({ state: 'detached' });
    await button('Export…').click();
    await dialog().getByRole('checkbox').check();
    await inspect('activity-ask-export');
    await ofDialog('Export…').click();
    await shown.page.getByText(`They are in ${withThem}.`).waitFor();
    const exported = JSON.parse(await readFile(withThem, 'utf8'));
    expect(exported.at(0)).toMatchObject({ request: { params: { arguments: { query: 'SELECT 1' } } } });
  });
});
