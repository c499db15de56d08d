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
  const { shown, button, inspect, go, reason, overrideOf, chooseProfile } = useWindow();

  const show = async (overrides: Override[]) => {
    for (const override of overrides) shown.workspace.state.overrides.set(override.userId, override);
    await go('Overrides');
    await shown.page.getByRole('heading', { name: 'Overrides' }).waitFor();
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
    await status('3 overrides. 1 makes queries fail.');
    await expect.poll(async () => (await rows())[0]).toContain('Chloe Tan');
    expect(await row('Chloe Tan').textContent()).toContain('Gone: queries fail');
    expect(await row('Ben Okafor').textContent()).toContain('Whatever they picked last');
    expect(await row('Ana Ferreira').textContent()).toContain('Shared analytics');
    await inspect('everyone');
    await shown.page.getByRole('checkbox', { name: 'Only those whose queries fail' }).check();
    await expect.poll(rows).toHaveLength(1);
    await shown.page.getByRole('checkbox', { name: 'Only those whose queries fail' }).uncheck();
    await shown.page.getByRole('textbox', { name: 'Search people and warehouses' }).fill('last sel');
    await expect.poll(async () => (await rows()).join()).toContain('Ben Okafor');
    await shown.page.getByRole('textbox', { name: 'Search people and warehouses' }).fill('nobody at all');
    await shown.page.getByText('No override matches.').waitFor();
    await inspect('everyone-no-match');
  });

  it('the empty table says that there is no override, and what that means', async () => {
    await show([]);
    await shown.page.getByText('Nobody in this workspace has an override').waitFor();
    await inspect('everyone-none');
  });

  it('a user who is no admin sees why the table is empty and what to do', async () => {
    await chooseProfile('ben');
    await shown.page.getByRole('link', { name: 'Overrides' }).waitFor({ state: 'detached' });
    await shown.page.evaluate(() => location.assign('#overrides'));
    await shown.page.getByText('Only workspace admins can see the overrides of all users.').waitFor();
    await inspect('everyone-no-admin');
    await button('Show my warehouse').click();
    await shown.page.getByText('Your queries run on').first().waitFor();
  });

  it('an access check finds users who may not use their warehouse', async () => {
    await show([{ userId: CHLOE, type: 'CUSTOM', warehouseId: 'c7e5190b3d48f62a' }]);
    await button('Check who may use theirs').click();
    await row('Chloe Tan').getByText('No CAN USE permission: queries fail').waitFor();
    await status('1 override. 1 makes queries fail.');
  });

  it('changing an override shows the present one and a warning first', async () => {
    await show(three());
    await row('Chloe Tan').getByRole('button', { name: 'Change the override of Chloe Tan…' }).click();
    await dialog().getByText('Now: Warehouse 0000000000000bad.').waitFor();
    await dialog()
      .getByRole('radio', { name: /^Finance BI/ })
      .check();
    await dialog().getByText('Chloe Tan may not use Finance BI: their queries would fail.').waitFor();
    await inspect('everyone-forbidden');
    await dialog().getByRole('textbox', { name: 'Search warehouses' }).fill('data sci');
    await dialog().getByText('The queries of Chloe Tan will run on Data science from the next one on.').waitFor();
    await button('Change').click();
    await dialog().waitFor({ state: 'detached' });
    await row('Chloe Tan').getByText('Data science').waitFor();
    expect(overrideOf('chloe@example.com')).toMatchObject({ type: 'CUSTOM', warehouseId: 'b2d94c07a61e83f5' });
    await status(/^3 overrides\.$/);

    await row('Ben Okafor')
      .getByRole('button', { name: /Change/ })
      .click();
    await dialog().getByRole('radio', { name: 'None' }).check();
    await button('Change').click();
    await row('Ben Okafor').waitFor({ state: 'detached' });
    expect(overrideOf('ben@example.com')).toBeUndefined();
  });

  it('an override is set for a user without one, found by a part of the name', async () => {
    await show([]);
    await button('Set for somebody…').click();
    await dialog().getByRole('textbox').fill('nobody');
    await button('Find').click();
    await dialog().getByText('No user matches "nobody".').waitFor();
    await inspect('everyone-find-nobody');
    await dialog().getByRole('textbox').fill('example.com');
    await button('Find').click();
    await dialog().getByText('3 people fit. Which one?').waitFor();
    await inspect('everyone-find-several');
    await dialog()
      .getByRole('button', { name: /Ben Okafor/ })
      .click();
    await dialog().getByText('They have none now: their queries run on the workspace default.').waitFor();
    await dialog().getByRole('radio', { name: 'Last selected' }).check();
    await button('Change').click();
    await row('Ben Okafor').getByText('Last selected').waitFor();
    expect(overrideOf('ben@example.com')).toMatchObject({ type: 'LAST_SELECTED' });
  });

  it('a change of the user’s own override appears on the warehouse screen too', async () => {
    await show(three());
    await row('Ana Ferreira')
      .getByRole('button', { name: /Change/ })
      .click();
    await dialog().getByRole('radio', { name: 'None' }).check();
    await button('Change').click();
    await dialog().waitFor({ state: 'detached' });
    await go('Warehouse');
    await reason('Workspace default');
  });

  it('several overrides are changed with the keyboard alone after their plan is shown', async () => {
    await show(three());
    await expect.poll(rows).toHaveLength(3);
    await grid().focus();
    for (const key of ['Home', 'Space', 'ArrowDown', 'ArrowDown', 'Space']) await shown.page.keyboard.press(key);
    await shown.page.getByText('2 people selected').waitFor();
    expect(await grid().locator('[aria-selected=true]').count()).toBe(2);
    await inspect('everyone-selected');
    await button('Change these…').click();
    await dialog()
      .getByRole('radio', { name: /^Starter Warehouse/ })
      .check();
    await button('Show what would change').click();
    await shown.page.getByRole('heading', { name: 'Changes from 2 people' }).waitFor();
    await shown.page.getByText('2 will change. Nothing has been changed yet.').waitFor();
    await inspect('everyone-plan');
    expect(overrideOf('chloe@example.com')).toMatchObject({ warehouseId: GONE });
    await button('Make 2 changes').click();
    await shown.page.getByText('2 overrides changed.').waitFor();
    expect(overrideOf('chloe@example.com')).toMatchObject({ warehouseId: STARTER });
    await button('Back to everyone').click();
    await row('Chloe Tan').getByText('Starter Warehouse').waitFor();
  });

  it('an import shows its plan with warnings first, then each line’s result, and saves a report', async () => {
    await show(three());
    const file = join(shown.home, 'wanted.csv');
    const lines = ['user,type,warehouse', 'ben@example.com,,Starter Warehouse', 'chloe@example.com,,Finance BI'];
    await writeFile(file, `${[...lines, 'nobody@example.com,,Data science', 'ana@example.com,NONE,'].join('\n')}\n`);
    shown.server.fileAnswers.push(file);
    await button('Import…').click();
    await shown.page.getByRole('heading', { name: 'Changes from wanted.csv' }).waitFor();
    await shown.page.getByText('After 1 change, queries would fail. Nothing has been changed yet.').waitFor();
    await shown.page.getByText('User "nobody@example.com" does not exist.').waitFor();
    await shown.page.getByText('No CAN USE on Finance BI').waitFor();
    await inspect('everyone-import');
    await button('Leave everything as it is').click();
    expect(overrideOf('ana@example.com')).toMatchObject({ warehouseId: SHARED });

    shown.server.fileAnswers.push(file);
    await button('Import…').click();
    await button('Make 3 changes').click();
    await shown.page.getByText('3 overrides changed, 1 line could not be carried out.').waitFor();
    expect(overrideOf('ana@example.com')).toBeUndefined();
    expect(overrideOf('ben@example.com')).toMatchObject({ warehouseId: STARTER });
    await inspect('everyone-imported');
    const report = join(shown.home, 'report.csv');
    shown.server.fileAnswers.push(report);
    await button('Save a report…').click();
    await shown.page.getByText('The report is saved.').waitFor();
    expect((await readFile(report, 'utf8')).split('\n')[3]).toMatch(/^4,,nobody@example.com,invalid,invalid,/);
  });

  it('an invalid file is refused with its reason, and nothing is changed', async () => {
    await show(three());
    const file = join(shown.home, 'broken.json');
    await writeFile(file, '{"no": "list"}');
    shown.server.fileAnswers.push(file);
    await button('Import…').click();
    await shown.page.getByText('broken.json cannot be imported: it is not a list of overrides.').waitFor();
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
    await button('Import…').click();
    await button('Make 59 changes').click();
    await shown.page.getByRole('progressbar', { name: 'Lines that have ended' }).waitFor();
    await button('Stop').click();
    await shown.page.getByText(/not tried\.$/).waitFor();
    await inspect('everyone-stopped');
    expect(shown.workspace.state.overrides.size).toBeLessThan(59);
  });

  it('the filter for failing queries starts the access check', async () => {
    await show([{ userId: BEN, type: 'CUSTOM', warehouseId: FINANCE }]);
    await status('1 override.');
    await shown.page.getByRole('checkbox', { name: 'Only those whose queries fail' }).check();
    await row('Ben Okafor').waitFor();
    expect(await row('Ben Okafor').textContent()).toContain('No CAN USE permission: queries fail');
    await status('1 override. 1 makes queries fail.');
  });

  it('access that could not be read is not reported as fine', async () => {
    shown.workspace.faults.add({ effect: { kind: 'html' }, path: '/api/2.0/permissions/*', times: 'always' });
    await show([{ userId: BEN, type: 'CUSTOM', warehouseId: SHARED }]);
    await status('1 override.');
    await shown.page.getByRole('checkbox', { name: 'Only those whose queries fail' }).check();
    await status('1 override. Of 1 it could not be read whether the user may use it.');
    expect(await row('Ben Okafor').textContent()).toContain('Whether they may use it could not be read');
    expect(await shown.page.getByText('Everybody may use theirs.').count()).toBe(0);
  });

  it('the export holds the rows found, as CSV or JSON by the file name', async () => {
    await show(three());
    await status('3 overrides.');
    await shown.page.getByRole('textbox', { name: 'Search people and warehouses' }).fill('ana');
    await expect.poll(rows).toHaveLength(1);
    const [csv, json] = [join(shown.home, 'overrides.csv'), join(shown.home, 'overrides.json')];
    shown.server.fileAnswers.push(csv, json);
    await button('Export…').click();
    await shown.page.getByText('1 override written.').waitFor();
    await shown.page.getByText(`They are in ${csv}.`).waitFor();
    expect(await readFile(csv, 'utf8')).toBe(
      `user_id,user_name,type,warehouse_id,warehouse_name\n${ANA},ana@example.com,CUSTOM,${SHARED},Shared analytics\n`,
    );
    await button('Export…').click();
    await shown.page.getByText(`They are in ${json}.`).waitFor();
    expect(JSON.parse(await readFile(json, 'utf8'))).toMatchObject([
      { userId: ANA, warehouseName: 'Shared analytics' },
    ]);
  });

  it('the table holds ten thousand overrides, with only the visible ones in the page', async () => {
    const world = largeWorld({ overrides: 10_000, warehouses: 50 });
    shown.workspace.state.replace({ ...world, users: [...shown.workspace.state.users, ...world.users.slice(1)] });
    await show([]);
    await status('10,000 overrides. 90 make queries fail.');
    expect(await grid().getAttribute('aria-rowcount')).toBe('10001');
    expect(await grid().getByRole('row').count()).toBeLessThan(40);
    await grid().focus();
    await shown.page.keyboard.press('End');
    await row('Person 9998').waitFor();
    expect(await grid().getByRole('row').last().getAttribute('aria-rowindex')).toBe('10001');
    await shown.page.getByRole('button', { name: 'Person', exact: true }).click();
    await shown.page.getByRole('button', { name: 'Person', exact: true }).click();
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
    await status(/^Reading… 1,000 overrides so far/);
    await row('Person 1').first().waitFor();
    await inspect('everyone-reading');
    await button('Stop').click();
    await status(/^Stopped after 1,000 overrides: there are more\./);
    await inspect('everyone-stopped-reading');
  });
});
