import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { largeWorld } from '../workspace/large-world.ts';
import type { Override } from '../workspace/model.ts';
import { useWindow, whyNotHere } from './shown-window.ts';

const STARTER = '3f0c8a1d5e7b2946';
const SHARED = '8baced1ff014912d';
const FINANCE = 'c7e5190b3d48f62a';
const GONE = '0000000000000bad';
const ANA = '9007199254740993001';
const BEN = '9007199254740993002';
const CHLOE = '8241';

describe.skipIf(whyNotHere)('the overrides of all users in the window', () => {
  const { shown, button, inspect, go, more, reason, overrideOf, chooseProfile } = useWindow();

  const show = async (overrides: Override[]) => {
    for (const override of overrides) shown.workspace.state.overrides.set(override.userId, override);
    await go('Overrides');
    await shown.page.getByRole('heading', { name: 'Overrides', exact: true }).waitFor();
  };
  const three = (): Override[] => [
    { userId: ANA, type: 'CUSTOM', warehouseId: SHARED },
    { userId: BEN, type: 'LAST_SELECTED', warehouseId: undefined },
    { userId: CHLOE, type: 'CUSTOM', warehouseId: GONE },
  ];
  const grid = () => shown.page.getByRole('grid', { name: 'Overrides' });
  const row = (text: string) => grid().getByRole('row').filter({ hasText: text });
  const dialog = () => shown.page.getByRole('dialog');
  const status = (text: string | RegExp) => shown.page.getByRole('status').filter({ hasText: text }).first().waitFor();
  const rows = () => grid().locator('[role=row][aria-rowindex]:not([aria-rowindex="1"])').allTextContents();

  it('the table lists overrides that make queries fail first', async () => {
    await show(three());
    await status('3 overrides · 1 failing');
    await expect.poll(async () => (await rows())[0]).toContain('Chloe Tan');
    expect(await row('Chloe Tan').textContent()).toContain('Warehouse deleted: queries fail');
    expect(await row('Ben Okafor').textContent()).toContain('Last warehouse selected in Databricks');
    expect(await row('Ana Ferreira').textContent()).toContain('Shared analytics');
    await inspect('everyone');
    await shown.page.getByRole('checkbox', { name: 'Failing only' }).check();
    await expect.poll(rows).toHaveLength(1);
    await shown.page.getByRole('checkbox', { name: 'Failing only' }).uncheck();
    await shown.page.getByRole('textbox', { name: 'Search users and warehouses' }).fill('last sel');
    await expect.poll(async () => (await rows()).join()).toContain('Ben Okafor');
    await shown.page.getByRole('textbox', { name: 'Search users and warehouses' }).fill('nobody at all');
    await shown.page.getByText('No overrides match your search.').waitFor();
    await inspect('everyone-no-match');
  });

  it('the empty table says that there is no override, and what that means', async () => {
    await show([]);
    await shown.page.getByText('No overrides yet').waitFor();
    await inspect('everyone-none');
  });

  it('a user who is not an admin sees why the table is empty and what to do', async () => {
    await chooseProfile('ben');
    await shown.page.getByRole('link', { name: 'Overrides' }).waitFor({ state: 'detached' });
    await shown.page.evaluate(() => location.assign('#overrides'));
    await shown.page.getByText('Only workspace admins can see the overrides of all users.').waitFor();
    await inspect('everyone-no-admin');
    await button('Show my warehouse').click();
    await shown.page.getByText('Your queries run on').first().waitFor();
  });

  it('an access check finds users who cannot use their warehouse', async () => {
    await show([{ userId: CHLOE, type: 'CUSTOM', warehouseId: 'c7e5190b3d48f62a' }]);
    await button('Check permissions').click();
    await row('Chloe Tan').getByText('No CAN USE: queries fail').waitFor();
    await status('1 override · 1 failing');
  });

  it('changing an override shows the current one and a warning first', async () => {
    await show(three());
    await row('Chloe Tan').getByRole('button', { name: 'Change override for Chloe Tan' }).click();
    await dialog().getByText('Currently: Warehouse 0000000000000bad').waitFor();
    await dialog()
      .getByRole('radio', { name: /^Finance BI/ })
      .check();
    await dialog().getByText('Chloe Tan does not have CAN USE on Finance BI. Queries would fail.').waitFor();
    await inspect('everyone-forbidden');
    await dialog().getByRole('textbox', { name: 'Search warehouses' }).fill('data sci');
    await dialog().getByText('New queries by Chloe Tan run on Data science.').waitFor();
    await button('Change override').click();
    await dialog().waitFor({ state: 'detached' });
    await row('Chloe Tan').getByText('Data science').waitFor();
    expect(overrideOf('chloe@example.com')).toMatchObject({ type: 'CUSTOM', warehouseId: 'b2d94c07a61e83f5' });
    await status(/^3 overrides$/);

    await row('Ben Okafor')
      .getByRole('button', { name: /Change/ })
      .click();
    await dialog().getByRole('radio', { name: 'No override' }).check();
    await button('Change override').click();
    await row('Ben Okafor').waitFor({ state: 'detached' });
    expect(overrideOf('ben@example.com')).toBeUndefined();
  });

  it('an override is set for a user without one, found by part of the name', async () => {
    await show([]);
    await button('Set for a user').click();
    await dialog().getByRole('textbox').fill('nobody');
    await button('Find user').click();
    await dialog().getByText('No user matches "nobody".').waitFor();
    await inspect('everyone-find-nobody');
    await dialog().getByRole('textbox').fill('example.com');
    await button('Find user').click();
    await dialog().getByText('3 users match. Choose one.').waitFor();
    await inspect('everyone-find-several');
    await dialog()
      .getByRole('button', { name: /Ben Okafor/ })
      .click();
    await dialog().getByText('No override. Queries run on the workspace default.').waitFor();
    await dialog().getByRole('radio', { name: 'Last selected' }).check();
    await button('Change override').click();
    await row('Ben Okafor').getByText('Last selected').waitFor();
    expect(overrideOf('ben@example.com')).toMatchObject({ type: 'LAST_SELECTED' });
  });

  it('a change of the user’s own override appears on the warehouse screen, too', async () => {
    await show(three());
    await row('Ana Ferreira')
      .getByRole('button', { name: /Change/ })
      .click();
    await dialog().getByRole('radio', { name: 'No override' }).check();
    await button('Change override').click();
    await dialog().waitFor({ state: 'detached' });
    await go('Warehouse');
    await reason('Workspace default');
  });

  it('several overrides are changed with the keyboard alone after their plan is shown', async () => {
    await show(three());
    await expect.poll(rows).toHaveLength(3);
    await grid().focus();
    for (const key of ['Home', 'Space', 'ArrowDown', 'ArrowDown', 'Space']) await shown.page.keyboard.press(key);
    await shown.page.getByText('2 users selected').waitFor();
    expect(await grid().locator('[aria-selected=true]').count()).toBe(2);
    await inspect('everyone-selected');
    await button('Change selected').click();
    await dialog()
      .getByRole('radio', { name: /^Starter Warehouse/ })
      .check();
    await button('Review changes').click();
    await shown.page.getByRole('heading', { name: 'Changes from 2 users' }).waitFor();
    await shown.page.getByText('2 to change. Nothing has changed yet.').waitFor();
    await inspect('everyone-plan');
    expect(overrideOf('chloe@example.com')).toMatchObject({ warehouseId: GONE });
    await button('Apply 2 changes').click();
    await shown.page.getByText('2 overrides changed').waitFor();
    expect(overrideOf('chloe@example.com')).toMatchObject({ warehouseId: STARTER });
    await button('Back to overrides').click();
    await row('Chloe Tan').getByText('Starter Warehouse').waitFor();
  });

  it('what was changed is undone after its plan is shown; a warehouse that is gone is not set again', async () => {
    await show(three());
    await grid().focus();
    for (const key of ['Home', 'Space', 'ArrowDown', 'ArrowDown', 'Space']) await shown.page.keyboard.press(key);
    await button('Change selected').click();
    await dialog()
      .getByRole('radio', { name: /^Starter Warehouse/ })
      .check();
    await button('Review changes').click();
    await button('Apply 2 changes').click();
    await shown.page.getByText('2 overrides changed').waitFor();
    await button('Undo changes').click();
    await shown.page.getByRole('heading', { name: 'Undo changes from 2 users' }).waitFor();
    await shown.page.getByText('1 to change · 1 not possible. Nothing has changed yet.').waitFor();
    await shown.page.getByText(`Warehouse "${GONE}" does not exist.`).waitFor();
    await inspect('everyone-undo');
    expect(overrideOf('ben@example.com')).toMatchObject({ type: 'CUSTOM', warehouseId: STARTER });
    await button('Apply 1 change').click();
    await shown.page.getByText('1 override changed · 1 not possible').waitFor();
    expect(await button('Undo changes').count()).toBe(0);
    expect(overrideOf('ben@example.com')).toMatchObject({ type: 'LAST_SELECTED' });
    expect(overrideOf('chloe@example.com')).toMatchObject({ warehouseId: STARTER });
    await button('Back to overrides').click();
    await row('Ben').getByText('Last selected').waitFor();
  });

  it('an import shows its plan with warnings first, then each line’s result, and saves a report', async () => {
    await show(three());
    const file = join(shown.home, 'wanted.csv');
    const lines = ['user,type,warehouse', 'ben@example.com,,Starter Warehouse', 'chloe@example.com,,Finance BI'];
    await writeFile(file, `${[...lines, 'nobody@example.com,,Data science', 'ana@example.com,NONE,'].join('\n')}\n`);
    shown.server.fileAnswers.push(file);
    await more('Import');
    await shown.page.getByRole('heading', { name: 'Changes from wanted.csv' }).waitFor();
    await shown.page.getByText('1 change would make queries fail. It is left out unless you include it.').waitFor();
    await shown.page.getByText('User "nobody@example.com" does not exist.').waitFor();
    await shown.page.getByText('No CAN USE on Finance BI').waitFor();
    await inspect('everyone-import');
    await button('Cancel').click();
    expect(overrideOf('ana@example.com')).toMatchObject({ warehouseId: SHARED });

    shown.server.fileAnswers.push(file);
    await more('Import');
    await button('Apply 2 changes').waitFor();
    const include = (line: number) => shown.page.getByRole('button', { name: `Include line ${line}` });
    await include(2).click();
    await button('Apply 1 change').waitFor();
    await include(2).click();
    await button('Apply 2 changes').click();
    await shown.page.getByText('2 overrides changed · 1 left out · 1 not possible').waitFor();
    await shown.page
      .getByText(/^To undo this later in a terminal: causeway warehouse import --undo \d{8}-\d{9}-\w{4}$/)
      .waitFor();
    const table = shown.page.getByRole('grid', { name: 'Lines' });
    await table.getByText('chloe@example.com').waitFor();
    expect(await table.getByRole('row').filter({ hasText: 'chloe@example.com' }).textContent()).toContain('Left out');
    expect(overrideOf('ana@example.com')).toBeUndefined();
    expect(overrideOf('ben@example.com')).toMatchObject({ warehouseId: STARTER });
    expect(overrideOf('chloe@example.com')).toMatchObject({ warehouseId: GONE });
    // A line can no longer be left out, and the frame ends with the last one.
    await expect.poll(() => shown.page.getByRole('button', { name: /^Include line/ }).count()).toBe(0);
    const { bottom } = await table.evaluate((grid) => grid.getBoundingClientRect());
    const last = await table
      .getByRole('row')
      .last()
      .evaluate((row) => row.getBoundingClientRect().bottom);
    expect(bottom - last).toBeLessThan(4);
    await inspect('everyone-imported');
    const report = join(shown.home, 'report.csv');
    shown.server.fileAnswers.push(report);
    await button('Save report').click();
    await shown.page.getByText(`Report saved to ${report}.`).waitFor();
    const saved = (await readFile(report, 'utf8')).split('\n');
    expect(saved[2]).toMatch(/^3,8241,chloe@example.com,update,left-out,/);
    expect(saved[3]).toMatch(/^4,,nobody@example.com,invalid,invalid,/);
  });

  it('a change after which queries fail is made if the user includes it', async () => {
    await show([]);
    const file = join(shown.home, 'wanted.csv');
    await writeFile(file, 'user,warehouse\nchloe@example.com,Finance BI\n');
    shown.server.fileAnswers.push(file);
    await more('Import');
    expect(await button('Nothing to change').isDisabled()).toBe(true);
    const grid = shown.page.getByRole('grid', { name: 'Lines' });
    await grid.focus();
    await shown.page.keyboard.press('Space');
    await button('Apply 1 change').click();
    await shown.page.getByText('1 override changed').waitFor();
    expect(overrideOf('chloe@example.com')).toMatchObject({ warehouseId: FINANCE });
  });

  it('a file with unknown columns and ragged rows is refused as a whole, each mistake in its line', async () => {
    await show(three());
    const file = join(shown.home, 'typed.csv');
    await writeFile(file, 'user,typ,warehouse\nana@example.com,NONE,\nben@example.com,NONE\n');
    shown.server.fileAnswers.push(file);
    await more('Import');
    await shown.page.getByText('Column 2: "typ" is not a column of an import. Did you mean "type"?').waitFor();
    await shown.page.getByText('Column 3: the row has 2 cells, and the header has 3.').waitFor();
    await shown.page.getByText('2 not possible. Nothing has changed yet.').waitFor();
    expect(await button('Nothing to change').isDisabled()).toBe(true);
    await inspect('everyone-not-understood');
    expect(shown.workspace.state.overrides.size).toBe(3);
  });

  it('an invalid file is refused with its reason, and nothing is changed', async () => {
    await show(three());
    const file = join(shown.home, 'broken.json');
    await writeFile(file, '{"no": "list"}');
    shown.server.fileAnswers.push(file);
    await more('Import');
    await shown.page
      .getByText('broken.json cannot be imported: line 1, column 1: it is not a list of overrides.')
      .waitFor();
    await inspect('everyone-bad-file');
  });

  it('an import that is stopped says which lines were not tried', async () => {
    const { users, warehouses } = largeWorld({ overrides: 60, warehouses: 3 });
    shown.workspace.state.replace({ users: [...shown.workspace.state.users, ...users.slice(1)], warehouses });
    await show([]);
    const file = join(shown.home, 'many.csv');
    await writeFile(
      file,
      `user,warehouse\n${users
        .slice(1)
        .map(({ userName }) => `${userName},team 1 of department 1\n`)
        .join('')}`,
    );
    shown.server.fileAnswers.push(file);
    shown.workspace.faults.add({
      effect: { kind: 'delay', milliseconds: 300 },
      path: '/api/warehouses/v1/default-warehouse-overrides/*',
      times: 'always',
    });
    await more('Import');
    await button('Apply 59 changes').click();
    await shown.page.getByRole('progressbar', { name: 'Progress' }).waitFor();
    await button('Stop').click();
    await shown.page.getByText(/not tried$/).waitFor();
    const lines = shown.page.getByRole('grid', { name: 'Lines' }).getByRole('row');
    await lines.filter({ hasText: 'Not tried' }).filter({ hasText: 'You stopped the import.' }).first().waitFor();
    // What was under way was still made, and nothing can be chosen any longer.
    expect(await lines.filter({ hasText: 'Failed' }).count()).toBe(0);
    expect(await lines.and(shown.page.locator('[aria-selected=true]')).count()).toBe(0);
    await inspect('everyone-stopped');
    expect(shown.workspace.state.overrides.size).toBeLessThan(59);
  });

  it('the filter for failing queries starts the access check', async () => {
    await show([{ userId: BEN, type: 'CUSTOM', warehouseId: FINANCE }]);
    await status('1 override');
    await shown.page.getByRole('checkbox', { name: 'Failing only' }).check();
    await row('Ben Okafor').waitFor();
    expect(await row('Ben Okafor').textContent()).toContain('No CAN USE: queries fail');
    await status('1 override · 1 failing');
  });

  it('access that could not be read is not reported as fine', async () => {
    shown.workspace.faults.add({ effect: { kind: 'html' }, path: '/api/2.0/permissions/*', times: 'always' });
    await show([{ userId: BEN, type: 'CUSTOM', warehouseId: SHARED }]);
    await status('1 override');
    await shown.page.getByRole('checkbox', { name: 'Failing only' }).check();
    await status('1 override · 1 with unknown permission');
    expect(await row('Ben Okafor').textContent()).toContain('Permission unknown');
    expect(await shown.page.getByText('None failing').count()).toBe(0);
  });

  it('the export holds the rows found, as CSV or JSON by the file name', async () => {
    await show(three());
    await status('3 overrides');
    await shown.page.getByRole('textbox', { name: 'Search users and warehouses' }).fill('ana');
    await expect.poll(rows).toHaveLength(1);
    const [csv, json] = [join(shown.home, 'overrides.csv'), join(shown.home, 'overrides.json')];
    shown.server.fileAnswers.push(csv, json);
    await more('Export');
    await shown.page.getByText(`1 override exported to ${csv}.`).waitFor();
    expect(await readFile(csv, 'utf8')).toBe(
      `user_id,user_name,type,warehouse_id,warehouse_name\n${ANA},ana@example.com,CUSTOM,${SHARED},Shared analytics\n`,
    );
    await more('Export');
    await shown.page.getByText(`1 override exported to ${json}.`).waitFor();
    expect(JSON.parse(await readFile(json, 'utf8'))).toMatchObject({
      overrides: [{ userId: ANA, warehouseName: 'Shared analytics' }],
    });
  });

  it('the table holds ten thousand overrides, with only the visible ones in the page', async () => {
    const world = largeWorld({ overrides: 10_000, warehouses: 50 });
    shown.workspace.state.replace({ ...world, users: [...shown.workspace.state.users, ...world.users.slice(1)] });
    await show([]);
    // One is of a user who is not there, and the others name warehouses that are gone.
    await status('10,000 overrides · 91 failing');
    expect(await grid().getAttribute('aria-rowcount')).toBe('10001');
    expect(await grid().getByRole('row').count()).toBeLessThan(40);
    await grid().focus();
    await shown.page.keyboard.press('End');
    await row('Person 9998').waitFor();
    expect(await grid().getByRole('row').last().getAttribute('aria-rowindex')).toBe('10001');
    await shown.page.getByRole('button', { name: 'User', exact: true }).click();
    await shown.page.getByRole('button', { name: 'User', exact: true }).click();
    await expect.poll(async () => (await rows())[0]).toContain('Person 9999');
  });

  it('reading the overrides shows its progress and can be stopped', async () => {
    const world = largeWorld({ overrides: 3000, warehouses: 5 });
    shown.workspace.state.replace({ ...world, users: [...shown.workspace.state.users, ...world.users.slice(1)] });
    shown.workspace.faults.add({
      effect: { kind: 'stall', milliseconds: 60_000 },
      path: '/api/warehouses/v1/default-warehouse-overrides',
      skip: 1,
      times: 'always',
    });
    await show([]);
    await status(/^Loading · 1,000 overrides/);
    await row('Person 1').first().waitFor();
    await inspect('everyone-reading');
    await button('Stop').click();
    await status(/^Stopped after 1,000 overrides · There are more/);
    await inspect('everyone-stopped-reading');
  });
});
