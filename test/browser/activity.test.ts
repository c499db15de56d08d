import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endedCall } from '../ended-call.ts';
import type { ProxyProcess } from '../integration/proxy/proxy-process.ts';
import { useWindow, whyNotHere } from './shown-window.ts';

const SQL = '/api/2.0/mcp/sql';

describe.skipIf(whyNotHere)('the activity in the window', () => {
  const { shown, button, inspect, go, connect, reopenIn } = useWindow();
  const query = (proxy: ProxyProcess, id: number, tool = 'execute_sql') =>
    proxy.request(id, 'tools/call', { name: tool, arguments: { query: 'SELECT 1' } });
  const grid = () => shown.page.getByRole('grid', { name: 'Calls' });
  const rows = () => grid().locator('[role=row][aria-rowindex]:not([aria-rowindex="1"])').allTextContents();
  const sessions = () => shown.page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
  const filter = (name: string, value: string | { index: number }) =>
    shown.page.getByRole('combobox', { name }).selectOption(value);
  const status = (text: string) => shown.page.getByRole('status').filter({ hasText: text }).first().waitFor();

  const dialog = () => shown.page.getByRole('dialog');
  const ofDialog = (name: string) => dialog().getByRole('button', { name, exact: true });
  const more = async (item: string) => {
    await button('More actions for calls').click();
    await shown.page.getByRole('menuitem', { name: item, exact: true }).click();
  };
  const back = async () => {
    await shown.page.getByRole('main').getByRole('link', { name: 'Activity' }).click();
    await grid().waitFor();
  };

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
    await shown.page.getByText('No clients connected').waitFor();
    await shown.page.getByRole('heading', { name: 'No calls yet' }).waitFor();
    await shown.page.getByText('Off. No contents are kept.').waitFor();
    await inspect('activity-empty');
    await button('Add servers').click();
    await shown.page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor();
  });

  it('sessions and their calls appear and go as clients connect and disconnect', async () => {
    await go('Activity');
    const claude = await connect('claude-ai');
    await status('1 session');
    await query(claude, 1);
    await query(claude, 2, 'no_such_tool');
    const cursor = await connect('cursor');
    await query(cursor, 1);
    await status('2 sessions');
    await sessions()
      .filter({ hasText: 'Claude Desktop 1.2' })
      .getByText(/^· ana · process \d+$/)
      .waitFor();
    await sessions()
      .filter({ hasText: 'Claude Desktop 1.2' })
      .getByText(/^3 calls, 1 failed · .* sent · .* received$/)
      .waitFor();
    await expect.poll(rows).toHaveLength(5);
    expect((await rows())[0]).toMatch(/CursorSQLexecute_sql.*(Answered|Running)$/);
    expect((await rows()).filter((row) => /no_such_tool.*(Error|failed)/.test(row))).toHaveLength(1);
    await shown.page.getByText(/^Last 15 minutes: 5 calls\. Median /).waitFor();
    await shown.page.getByText('5 calls, 1 failed').first().waitFor();
    await inspect('activity');

    await filter('Client', 'Cursor');
    await expect.poll(rows).toHaveLength(2);
    await filter('Client', '');
    await filter('Outcome', 'failed');
    await expect.poll(rows).toHaveLength(1);
    await filter('Tool', 'execute_sql');
    await status('No matching calls.');
    await button('Clear filters').click();
    await status('5 calls.');
    for (const proxy of [claude, cursor]) await proxy.finish();
    await shown.page.getByText('No clients connected').waitFor();
  });

  it('the list of calls pauses, resumes and is cleared', async () => {
    manyCalls(30);
    await go('Activity');
    await status('30 calls.');
    await button('Pause').click();
    await status('30 calls. Paused: new calls are kept, but not shown.');
    manyCalls(5);
    await button('Show new calls').waitFor();
    expect(await grid().getAttribute('aria-rowcount')).toBe('31');
    await inspect('activity-paused');
    await button('Show new calls').click();
    await status('35 calls.');
    await more('Clear calls…');
    await ofDialog('Clear calls').click();
    await shown.page.getByRole('heading', { name: 'No calls yet' }).waitFor();
  });

  it('the filters and the calls stay after another screen was shown, and after a restart', async () => {
    manyCalls(60);
    await go('Activity');
    await filter('Client', 'Cursor');
    await shown.page.getByRole('searchbox', { name: 'Search calls' }).fill('POLL sql');
    await shown.page.getByRole('switch', { name: 'Failed first' }).check();
    await status('10 calls.');
    await go('Warehouse');
    await go('Activity');
    await status('10 calls.');
    const filterIsStored = () =>
      readFile(join(shown.home, 'causeway', 'config', 'settings.json'), 'utf8').then(
        (text) => JSON.parse(text).callFilter?.text,
        () => undefined,
      );
    await expect.poll(filterIsStored).toBe('POLL sql');
    await reopenIn(shown.home);
    await go('Activity');
    // So do the calls themselves.
    await status('10 calls.');
    expect(await shown.page.getByRole('searchbox', { name: 'Search calls' }).inputValue()).toBe('POLL sql');
    await button('Clear filters').click();
    await status('60 calls.');
  });

  it('failed calls come first if the user wants that', async () => {
    manyCalls(60);
    await go('Activity');
    await status('60 calls.');
    expect((await rows())[0]).toMatch(/Answered$/);
    await shown.page.getByRole('switch', { name: 'Failed first' }).check();
    await expect.poll(async () => (await rows())[0]).toMatch(/Lost$/);
    await inspect('activity-failed-first');
  });

  it('the calls of the day are a chart, and a table for users who want numbers', async () => {
    manyCalls(60);
    await go('Activity');
    await shown.page
      .getByRole('img', { name: /^Calls per hour: 60 calls, 2 failed\. Most from .*: 60 calls\.$/ })
      .waitFor();
    await button('Show table').click();
    const cells = shown.page.getByRole('table').getByRole('row').nth(1).getByRole('cell');
    expect(await cells.allTextContents()).toEqual(['60', '2']);
    await inspect('activity-day-table');
    await button('Show chart').click();
  });

  it('a call’s page shows its timeline, what was retried, the error and its remedy', async () => {
    shown.server.activity.add(
      endedCall({
        startedAt: Date.now() - 1000,
        durationMs: 420,
        outcome: 'error',
        errorCode: -31_999,
        attempts: [
          { afterMs: 12, tookMs: 30, failure: { status: 503, reason: 'refused' } },
          { afterMs: 362, tookMs: 50, failure: { status: null, reason: 'broken' } },
        ],
        problem: { code: 'unreachable', message: 'The workspace is out of reach. Check your network.' },
      }),
      'Sales',
    );
    await go('Activity');
    await openCall('execute_sql');
    const path = await part('Path of the call').getByRole('listitem').allTextContents();
    expect(path[0]).toContain('Claude Desktop 1.2Sent execute_sql, 300 bytes');
    expect(path[2]).toContain('CausewayForwarded it in 12 ms');
    expect(path[3]).toContain('Workspace · SalesSent 2 times');
    expect(path).toContain('Attempt 1: refused with status 503 after 30 ms+12 ms');
    expect(path).toContain('Attempt 2: connection broken after 50 ms+362 ms');
    await shown.page.getByRole('alert').getByText('The workspace is out of reach. Check your network.').waitFor();
    await shown.page.getByRole('img', { name: '20 ms in Causeway, 80 ms at the workspace' }).waitFor();
    await inspect('activity-call-retried');
    await back();
    await shown.page.goto(`${shown.server.url}#activity/999`);
    await shown.page.getByRole('heading', { name: 'Call not found' }).waitFor();
  });

  it('a call’s page shows where its statement ran, and cancels one that still runs', async () => {
    const { activity } = shown.server;
    const call = (id: string, state: string, durationMs: number) =>
      activity.add(
        endedCall({
          profile: 'ana',
          startedAt: Date.now() - durationMs,
          durationMs,
          statement: { id, state, isPoll: false, isPinned: false },
        }),
        'Sales',
      );
    const record = {
      status: 'FINISHED',
      isFinal: true,
      warehouse: { id: '8baced1ff014912d', name: 'Shared analytics' },
      startedAt: Date.now() - 60_000,
      totalMs: 48_000,
      queuedMs: 42_000,
      compiledMs: 900,
      executedMs: 4_700,
      fetchedMs: 400,
      taskMs: 61_000,
      rows: 12_288,
      readBytes: 3_400_000_000,
      isFromCache: false,
      mostDbus: 0.05,
      errorClass: null,
    };
    call('01f0c8a2-77aa-1b2c-9d3e-4f5a6b7c8d9e', 'SUCCEEDED', 48_400);
    activity.lookedUp('ana', '01f0c8a2-77aa-1b2c-9d3e-4f5a6b7c8d9e', record);
    await go('Activity');
    await openCall('execute_sql');
    const facts = await part('SQL statement').locator('dl > div').allTextContents();
    expect(facts).toContain('WarehouseShared analytics (8baced1ff014912d)');
    expect(facts).toContain('Rows12,288');
    expect(facts).toContain('Read3.4 GB');
    await shown.page
      .getByRole('img', { name: 'Queued 42 s, Compiled 900 ms, Executed 4.7 s, Fetched 400 ms' })
      .waitFor();
    expect(await button('Cancel statement').count()).toBe(0);
    await inspect('activity-call-statement');
    await back();
    call('01f0c8a2-0000-1b2c-9d3e-4f5a6b7c8d9e', 'RUNNING', 5_000);
    await expect.poll(async () => (await rows())[0]).toMatch(/Running$/);
    await openCall('execute_sql');
    await part('SQL statement').getByText('The client has disconnected.').waitFor();
    // No such statement runs: the refusal is shown where it was asked for.
    await button('Cancel statement').click();
    await part('SQL statement').getByRole('alert').waitFor();
    await inspect('activity-call-statement-running');
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

  it('the list keeps more calls than memory does, with only the visible ones in the page', async () => {
    manyCalls(50_100);
    await go('Activity');
    await status('50,100 calls.');
    expect(await grid().getByRole('row').count()).toBeLessThan(50);
    await filter('Outcome', 'lost');
    await status('1,002 calls.');
  });

  it('the calls of a day or of a client alone are deleted if the user chooses so', async () => {
    manyCalls(30);
    await go('Activity');
    await status('30 calls.');
    await shown.page.getByText('Keeps calls for 90 days on this computer, without contents.').waitFor();
    await more('Clear calls…');
    await dialog().getByRole('combobox', { name: 'Client' }).selectOption('Cursor');
    await inspect('activity-delete-some');
    await ofDialog('Clear calls').click();
    await status('15 calls.');
    await filter('Day', { index: 1 });
    await status('15 calls.');
    await more('Clear calls…');
    await dialog().getByRole('combobox', { name: 'Day' }).selectOption({ index: 1 });
    await ofDialog('Clear calls').click();
    await shown.page.getByRole('heading', { name: 'No calls yet' }).waitFor();
  });

  it('the export holds the filtered calls as CSV or JSON, without contents', async () => {
    const claude = await connect('claude-ai');
    await query(claude, 1);
    await go('Activity');
    await filter('Tool', 'execute_sql');
    await status('1 call');
    const [csv, json] = [join(shown.home, 'calls.csv'), join(shown.home, 'calls.json')];
    shown.server.fileAnswers.push(csv, json);
    await more('Export calls…');
    await shown.page.getByText(`exported to ${csv}`).waitFor();
    const [header, line] = (await readFile(csv, 'utf8')).split('\n');
    expect(header).toMatch(
      /^started_at,client,profile,path,method,tool,duration_ms,outcome,error_code,bytes_from_client,bytes_to_client,statement_id,/,
    );
    expect(line).toMatch(
      /^20\d\d-.*Z,Claude Desktop,ana,\/api\/2\.0\/mcp\/sql,tools\/call,execute_sql,[\d.]+,answered,,\d+,\d+,[\w-]+,\w+,/,
    );
    await more('Export calls…');
    await shown.page.getByText(`exported to ${json}`).waitFor();
    const exported = await readFile(json, 'utf8');
    expect(JSON.parse(exported)).toMatchObject([
      { clientName: 'Claude Desktop', tool: 'execute_sql', outcome: 'answered' },
    ]);
    expect(exported).not.toContain('SELECT');
  });

  const recordingSwitch = () => shown.page.getByRole('switch', { name: 'Record request and response contents' });
  const part = (name: string) => shown.page.getByRole('region', { name, exact: true });
  const isKept = () => shown.server.activity.recording.contents.size;

  /** Turns the recording on as a user does who has nothing but the keyboard. */
  async function turnOn(time: string): Promise<void> {
    await recordingSwitch().focus();
    await shown.page.keyboard.press('Space');
    await dialog().getByRole('radio', { name: time }).check();
    await ofDialog('Record contents').focus();
    await shown.page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
    await shown.page.getByText('Recording request and response contents.').waitFor();
  }

  async function openCall(text: string): Promise<void> {
    await grid().getByRole('row').filter({ hasText: text }).first().click();
    await shown.page.getByRole('heading', { name: text, level: 1 }).waitFor();
  }

  it('the details of a call say that its contents were not recorded', async () => {
    const claude = await connect('claude-ai');
    await query(claude, 1);
    await go('Activity');
    await status('2 calls.');
    await grid().focus();
    await shown.page.keyboard.press('Home');
    await shown.page.keyboard.press('Enter');
    await part('Request and response').getByText('Contents were not recorded.').waitFor();
    expect(await part('Details').textContent()).toMatch(/Claude Desktop 1\.2.*SQL \(\/api.*tools\/call/);
    await inspect('activity-call-not-recorded');
    await button('Record contents…').click();
    await shown.page.getByText('They stay in memory').waitFor();
    await inspect('activity-ask-recording');
    await ofDialog('Cancel').click();
    await dialog().waitFor({ state: 'detached' });
    await back();
    expect(await recordingSwitch().isChecked()).toBe(false);
    expect(isKept()).toBe(0);
  });

  it('contents are recorded while recording is on, shown, and deleted with it', async () => {
    const claude = await connect('claude-ai');
    await go('Activity');
    await turnOn('15 minutes');
    await query(claude, 1);
    await query(claude, 2, 'no_such_tool');
    await shown.page.getByText('2 calls recorded.').waitFor();
    await shown.page.getByText(/1[45] minutes left\./).waitFor();
    expect(shown.server.model.state.recording.status).toBe('on');
    await inspect('activity-recording');

    await openCall('execute_sql');
    await part('Request').getByText('"query": "SELECT 1"').waitFor();
    await part('Response').getByText('Text').first().waitFor();
    await shown.page.getByRole('textbox', { name: 'Find in contents' }).fill('select');
    await shown.page.getByText('1 of ').waitFor();
    expect(await shown.page.locator('mark[aria-current=true]').textContent()).toBe('SELECT');
    await inspect('activity-call');
    await button('Copy contents').click();
    await expect.poll(() => shown.server.copied.at(-1)).toContain('"query": "SELECT 1"');

    await back();
    await openCall('execute_sql');
    await part('Request').waitFor();
    shown.server.activity.recording.stop();
    await shown.page.getByText('The contents were deleted.').waitFor();
    expect(await shown.page.getByRole('main').textContent()).not.toContain('SELECT');
    await back();
    await expect.poll(() => recordingSwitch().isChecked()).toBe(false);
    await turnOn('Until Causeway quits');
    await shown.page.getByText('Until Causeway quits.').waitFor();
    await query(claude, 3);
    await shown.page.getByText('1 call recorded.').waitFor();
    await button('Stop and delete').click();
    await shown.page.getByText('Recording request and response contents.').waitFor({ state: 'detached' });
    expect(isKept()).toBe(0);
  });

  it('clearing recorded contents asks first, and says what is deleted and what stays', async () => {
    const claude = await connect('claude-ai');
    await go('Activity');
    await turnOn('15 minutes');
    await query(claude, 1);
    await shown.page.getByText('1 call recorded.').waitFor();
    await more('Clear calls…');
    await dialog()
      .getByText(/deletes the whole list \(2 calls\).* contents of 1 call/)
      .waitFor();
    await inspect('activity-ask-clear');
    await shown.page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
    expect(isKept()).toBe(1);
    await more('Clear calls…');
    await ofDialog('Clear calls').click();
    await shown.page.getByRole('heading', { name: 'No calls yet' }).waitFor();
    expect(isKept()).toBe(0);
    expect(await recordingSwitch().isChecked()).toBe(true);
  });

  it('a long answer is marked as recorded only in part', async () => {
    const claude = await connect('claude-ai');
    await go('Activity');
    await turnOn('1 hour');
    await claude.request(1, 'tools/call', {
      name: 'execute_sql',
      arguments: { query: `SELECT '${'é'.repeat(50_000)}'` },
    });
    await shown.page.getByText('1 call recorded.').waitFor();
    await openCall('execute_sql');
    await part('Request').getByText('Only the first 64 KiB were recorded, of 100.1 kB.').waitFor();
    await inspect('activity-call-cut');
  });

  it('the export holds contents only when the user chooses that', async () => {
    const claude = await connect('claude-ai');
    await go('Activity');
    await turnOn('15 minutes');
    await query(claude, 1);
    await shown.page.getByText('1 call recorded.').waitFor();
    const [without, withThem] = [join(shown.home, 'without.json'), join(shown.home, 'with.json')];
    shown.server.fileAnswers.push(without, withThem);
    await more('Export calls…');
    await dialog().waitFor();
    expect(await dialog().getByRole('checkbox').isChecked()).toBe(false);
    await ofDialog('Export calls…').click();
    await shown.page.getByText(`exported to ${without}`).waitFor();
    expect(await readFile(without, 'utf8')).not.toContain('SELECT');
    await dialog().waitFor({ state: 'detached' });
    await more('Export calls…');
    await dialog().getByRole('checkbox').check();
    await inspect('activity-ask-export');
    await ofDialog('Export calls…').click();
    await shown.page.getByText(`exported to ${withThem}`).waitFor();
    const exported = JSON.parse(await readFile(withThem, 'utf8'));
    expect(exported.at(0)).toMatchObject({ request: { params: { arguments: { query: 'SELECT 1' } } } });
  });
});
