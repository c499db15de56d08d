import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endedCall } from '../ended-call.ts';
import { useKeyboard } from './keyboard.ts';
import { whyNotHere } from './shown-window.ts';

const ANA = '9007199254740993001';
const CHLOE = '8241';
/** Each screen, and what it says once all of it is there. */
const SCREENS = [
  ['Warehouse', 'Applies to the SQL editor'],
  ['Servers', 'Running, 3 tools'],
  ['AI clients', 'Other clients'],
  ['Activity', '300 calls.'],
  ['Overrides', '2 overrides'],
  ['Accounts', 'ana@example.com'],
  ['Settings', 'Stored in'],
  ['Diagnostics', 'Support report'],
] as const;
const FUNCTIONS = '/api/2.0/mcp/functions/main/default';

describe.skipIf(whyNotHere)('the window without a mouse', { timeout: 180_000 }, () => {
  const {
    shown,
    button,
    answer,
    reason,
    overrideOf,
    press,
    type,
    role,
    dialog,
    closed,
    getsFocus,
    reach,
    isWhole,
    isFilled,
    byKeys,
  } = useKeyboard();
  const { go, more, choose, opens } = byKeys;

  /** A world in which every screen has something to show. */
  async function given(): Promise<void> {
    const { state } = shown.workspace;
    state.overrides.set(ANA, { userId: ANA, type: 'LAST_SELECTED', warehouseId: undefined });
    state.overrides.set(CHLOE, { userId: CHLOE, type: 'CUSTOM', warehouseId: '8baced1ff014912d' });
    const servers = [
      { name: 'sql', profile: 'ana', kind: 'sql', path: '/api/2.0/mcp/sql' },
      { name: 'functions', profile: 'ana', kind: 'functions', path: FUNCTIONS },
    ];
    await writeFile(join(shown.home, 'causeway/config/servers.json'), JSON.stringify({ servers }));
    await mkdir(join(shown.home, '.cursor'), { recursive: true });
    await writeFile(join(shown.home, '.cursor/mcp.json'), '{}');
    for (let at = 0; at < 300; at += 1) {
      shown.server.activity.add(
        endedCall({
          clientName: 'cursor',
          profile: 'ana',
          path: '/api/2.0/mcp/sql',
          method: 'tools/call',
          tool: 'execute_sql',
          startedAt: Date.now() - 100,
          durationMs: 5 + (at % 90),
          outcome: 'answered',
        }),
        null,
      );
    }
    await expect.poll(() => shown.server.model.state.servers.length).toBe(2);
  }

  it.each(SCREENS)('the Tab key moves through all of %s in visual order', async (screen, last) => {
    await given();
    await shown.page.evaluate(
      (name) => {
        location.hash = name;
      },
      screen === 'AI clients' ? 'clients' : screen.toLowerCase(),
    );
    await role('main', { name: screen }).waitFor();
    await shown.page.getByText(last).first().waitFor();
    await expect.poll(() => shown.page.locator('main .mantine-Skeleton-root').count()).toBe(0);
    await isWhole('body');
  });

  it('one key press skips the navigation, and the content can be scrolled', async () => {
    await shown.page.setViewportSize({ width: 640, height: 480 });
    await press('Tab');
    await getsFocus(button('Skip to content'));
    await press('Enter');
    const content = role('main');
    await getsFocus(content);
    await press('PageDown');
    await expect.poll(() => content.evaluate((one) => one.scrollTop)).toBeGreaterThan(100);
    await go('Settings');
    expect(await content.evaluate((one) => one.scrollTop)).toBe(0);
  });

  it('the focus stays on the page when the focused element disappears', async () => {
    await reach(role('button', { name: /^Account: / }));
    await press('Enter');
    await role('menuitemradio', { name: 'oauth' }).waitFor();
    await type('oauth');
    await getsFocus(role('menuitemradio', { name: 'oauth' }));
    await press('Enter');
    await role('menu').waitFor({ state: 'detached' });
    await reach(button('Sign in'));
    await press('Enter');
    await shown.page.getByText('Waiting for you to sign in').waitFor();
    await getsFocus(role('heading', { name: 'Continue in your browser' }));
    await reach(button('Cancel'));
    await press('Space');
    await shown.page.getByText('Sign-in canceled.').waitFor();
    await getsFocus(role('heading', { level: 1 }));
  });

  it('a warehouse is chosen, and each other change asks first', async () => {
    await opens(button('Change warehouse'), 'Change warehouse');
    await opens(button('From a cold start…'), 'Verify from a cold start?');
    await more('Follow my last selection', 'Follow your last selection?');
    await press('Escape');
    await closed();
    await more('Start');
    await more('Stop', 'Stop Starter Warehouse?');
    await press('Escape');
    await closed();
    await reach(button('Change warehouse'));
    await press('Enter');
    await role('radio', { name: /^Shared analytics/ }).waitFor();
    await getsFocus(role('textbox', { name: 'Search warehouses' }));
    await type('data sci');
    await press('ArrowDown', 'Enter');
    await closed();
    await reason('Your override');
    expect(await answer()).toBe('Your queries run on Data science');
    await opens(role('button', { name: 'Restore No override' }), 'Restore No override?');
    await more('Use workspace default', 'Use the workspace default?');
    await getsFocus(button('Use workspace default'));
    await press('Enter');
    await closed();
    await reason('Workspace default');
    expect(overrideOf('ana@example.com')).toBeUndefined();
  });

  it('a server is added, a tool tried, and the server removed', async () => {
    await given();
    await go('Servers');
    await opens(button('Add server'), 'Add server');
    await press('Enter');
    await getsFocus(role('radio', { name: 'All', exact: true }));
    await press('ArrowRight');
    await press('ArrowRight');
    await role('radio', { name: /^New York taxi trips/ }).waitFor();
    await reach(role('textbox', { name: 'Search the workspace' }));
    await type('taxi');
    await press('ArrowDown');
    expect(await role('radio', { name: /^New York taxi trips/ }).isChecked()).toBe(true);
    await reach(dialog().getByRole('button', { name: 'Add server', exact: true }));
    await press('Space');
    await role('heading', { level: 1, name: 'New York taxi trips' }).waitFor();
    await closed();
    await getsFocus(role('heading', { level: 1, name: 'New York taxi trips' }));

    await reach(role('link', { name: 'All servers' }));
    await press('Enter');
    await getsFocus(role('heading', { level: 1, name: 'Servers' }));
    await reach(role('link', { name: 'main.default', exact: true }));
    await press('Enter');
    await getsFocus(role('heading', { level: 1, name: 'main.default' }));
    const tool = role('button', { name: 'Try main__default__initials' });
    await opens(tool, 'Try main__default__initials');
    await press('Enter');
    await reach(role('textbox', { name: 'full_name' }));
    await type('Ada Lovelace');
    await press('Control+Enter');
    await role('cell', { name: 'AL' }).waitFor();
    await reach(role('region', { name: 'Results' }));
    await press('Escape');
    await closed();
    await getsFocus(tool);

    await reach(button('More actions for main.default'));
    await press('Enter');
    await role('menuitem', { name: 'Copy path' }).waitFor();
    await press('ArrowDown', 'End');
    await getsFocus(role('menuitem', { name: 'Remove server' }));
    await press('Enter');
    await role('dialog', { name: 'Remove main.default?' }).waitFor();
    await getsFocus(button('Cancel'));
    await reach(button('Remove server'));
    await press('Enter');
    await getsFocus(role('heading', { level: 1, name: 'Servers' }));
    expect(await role('link', { name: 'main.default', exact: true }).count()).toBe(0);
  });

  it('a client gets its servers, and its file is restored', async () => {
    await given();
    await go('AI clients');
    const toggle = role('switch', { name: 'sql in Cursor' });
    await opens(toggle, 'Add sql to Cursor', 'Space');
    await opens(button('Add to all…'), 'Add all servers');
    await reach(button('Add to all…'));
    await press('Enter');
    await role('dialog', { name: 'Add all servers' }).waitFor();
    await reach(button('Add'));
    await press('Enter');
    await closed();
    expect(Object.keys(JSON.parse(await readFile(join(shown.home, '.cursor/mcp.json'), 'utf8')).mcpServers)).toEqual([
      'sql',
      'functions',
    ]);
    await reach(button('More actions'));
    await press('Enter');
    await role('menuitem', { name: 'Backups…' }).waitFor();
    await press('ArrowDown');
    await getsFocus(role('menuitem', { name: 'Backups…' }));
    await press('Enter');
    await reach(role('button', { name: /^Restore Cursor/ }));
    await press('Enter');
    await dialog().getByText('"functions": {').waitFor();
    await isWhole('[role=dialog]');
    await reach(button('Restore file'));
    await press('Enter');
    await role('button', { name: /^Restore Cursor/ })
      .nth(1)
      .waitFor();
    await press('Escape');
    await closed();
    expect(await readFile(join(shown.home, '.cursor/mcp.json'), 'utf8')).toBe('{}');
  });

  it('the calls are filtered, paused and scrolled', async () => {
    await given();
    await go('Activity');
    const grid = role('grid', { name: 'Calls' });
    await reach(role('combobox', { name: 'Outcome' }));
    await type('All failures');
    await shown.page.getByText('No matching calls.').waitFor();
    await press('Home');
    await shown.page.getByText('300 calls.', { exact: true }).waitFor();
    await reach(grid);
    await press('PageDown', 'PageDown');
    await expect.poll(() => grid.evaluate((table) => table.scrollTop)).toBeGreaterThan(100);
    await press('End');
    await expect.poll(() => grid.getAttribute('aria-activedescendant')).toMatch(/-299$/);
    await grid.locator('[aria-rowindex="301"]').waitFor();
    await press('Home', 'ArrowDown');
    await expect.poll(() => grid.getAttribute('aria-activedescendant')).toMatch(/-1$/);
    await press('Shift+Tab');
    await reach(button('Pause'));
    await press('Space');
    await getsFocus(button('Resume'));
  });

  it('a dialog returns the focus to its button while the page keeps changing', async () => {
    await given();
    await go('Servers');
    await shown.page.getByRole('link', { name: 'main.default', exact: true }).click();
    const tool = role('button', { name: 'Try main__default__initials' });
    await tool.waitFor();
    await shown.page.evaluate(() => {
      const ticking = document.body.appendChild(document.createElement('div'));
      setInterval(() => ticking.replaceChildren(document.createElement('i')), 5);
    });
    await tool.focus();
    // Each change of the page may coincide with the closing, or not.
    for (let round = 0; round < 12; round += 1) await opens(tool, 'Try main__default__initials');
  });

  it('an override of a user is set, and changed from the table', async () => {
    await given();
    await go('Overrides');
    await opens(button('Set for a user'), 'Set an override for a user');
    await press('Enter');
    await getsFocus(role('textbox', { name: 'Name, email address or user ID' }));
    await type('ben');
    await press('Enter');
    await role('dialog', { name: 'Override for Ben Okafor' }).waitFor();
    await reach(role('radio', { name: 'Warehouse', exact: true }));
    await press('ArrowDown');
    expect(await role('radio', { name: 'Last selected' }).isChecked()).toBe(true);
    await reach(button('Change override'));
    await press('Enter');
    await closed();
    expect(overrideOf('ben@example.com')).toMatchObject({ type: 'LAST_SELECTED' });

    const grid = role('grid', { name: 'Overrides' });
    await grid.getByText('Ben Okafor').waitFor();
    await reach(grid);
    await press('Home', 'ArrowDown', 'Space');
    await shown.page.getByText('1 user selected').waitFor();
    await press('Enter');
    await role('dialog', { name: /^Override for / }).waitFor();
    await isFilled();
    await isWhole('[role=dialog]');
    await press('Escape');
    await closed();
    await getsFocus(grid);
    await opens(button('Change selected'), /^Overrides? for /);
    await reach(role('button', { name: 'User', exact: true }));
    await press('Enter');
    await expect.poll(() => role('columnheader', { name: /^User/ }).getAttribute('aria-sort')).toBe('ascending');
  });

  it('a workspace is added, and profiles are edited, signed in to and removed', async () => {
    await go('Accounts');
    await opens(button('Add workspace…'), 'Add workspace');
    await choose('oauth', 'Edit…');
    await role('dialog', { name: 'Edit oauth' }).waitFor();
    await press('Escape');
    await closed();
    await getsFocus(role('button', { name: 'More actions for oauth' }));
    await choose('ben', 'Remove…');
    await role('dialog', { name: 'Remove ben?' }).waitFor();
    await reach(button('Remove account'));
    await press('Enter');
    await closed();
    await role('button', { name: 'More actions for ben' }).waitFor({ state: 'detached' });
    await getsFocus(role('heading', { level: 1, name: 'Accounts' }));
    await reach(button('Add workspace…'));
    await press('Enter');
    await getsFocus(role('textbox', { name: 'Workspace URL' }));
    await type(shown.workspace.host);
    await reach(role('textbox', { name: 'Name' }));
    await press('ControlOrMeta+a');
    await type('second');
    await press('Enter');
    await getsFocus(role('heading', { name: 'Continue in your browser' }));
  });

  it('the settings are changed', async () => {
    await go('Settings');
    const notifications = role('switch', { name: 'Desktop notifications' });
    await reach(notifications);
    await press('Space');
    await expect.poll(() => notifications.isChecked()).toBe(false);
    await getsFocus(notifications);
    const appearance = role('combobox', { name: 'Theme' });
    await reach(appearance);
    await type('Dark');
    await expect
      .poll(
        async () => JSON.parse(await readFile(join(shown.home, 'causeway/config/settings.json'), 'utf8')).appearance,
      )
      .toBe('dark');
    await getsFocus(appearance);
  });

  it('the checks are run, and the report is read', async () => {
    await go('Diagnostics');
    await reach(button('Run checks'));
    await press('Enter');
    await button('Run again').waitFor();
    await getsFocus(button('Run again'));
    await opens(button('Preview'), 'Support report');
  });
});
