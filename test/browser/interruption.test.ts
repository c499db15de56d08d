import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { largeWorld } from '../workspace/large-world.ts';
import { useWindow, whyNotHere } from './shown-window.ts';

const PROBLEM = {
  code: 'unavailable',
  message: 'The workspace is not available.',
  remedy: 'Wait a little, then try again.',
};
const OVERRIDES = '/api/warehouses/v1/default-warehouse-overrides';

/** What went well for a while, or half: each screen says how far it came, why no further, and what to do. */
describe.skipIf(whyNotHere)('interrupted work in the window', { timeout: 120_000 }, () => {
  const { shown, button, choose, inspect, allow, go, more, reopenIn } = useWindow();

  const text = (words: string | RegExp) => shown.page.getByText(words).first().waitFor();
  const dialog = () => shown.page.getByRole('dialog');
  const alert = () => shown.page.getByRole('alert');

  it('an end-to-end check says which warehouse it stopped and could not start again', async () => {
    const body = JSON.stringify({ error_code: 'PERMISSION_DENIED', message: 'You may not start it.' });
    // What opens the session is answered: only then is anything stopped.
    const call = { path: '/api/2.0/mcp/sql', method: 'POST', skip: 3 };
    shown.workspace.faults.add({ ...call, effect: { kind: 'unavailable' }, times: 'always' });
    const refused = { kind: 'answer', status: 403, body } as const;
    shown.workspace.faults.add({ path: '/api/2.0/sql/warehouses/*/start', effect: refused, times: 'always' });
    await choose('Shared analytics');
    await button('From a cold start…').click();
    await button('Stop and verify').click();
    const check = shown.page.getByRole('listitem').filter({ hasText: 'Cold start' });
    await check.getByText('Unknown', { exact: true }).waitFor();
    await check.getByText(/Start Shared analytics, Finance BI yourself\. .*You may not start it/).waitFor();
    await inspect('interrupted-end-to-end');
  });

  it('a bulk change that could not be planned says why and can be planned again', async () => {
    await go('Overrides');
    await text('No overrides yet');
    const file = join(shown.home, 'wanted.csv');
    await writeFile(file, 'user,warehouse\nben@example.com,Starter Warehouse\n');
    shown.server.fileAnswers.push(file);
    const fault = shown.workspace.faults.add({
      path: `${OVERRIDES}*`,
      effect: { kind: 'unavailable' },
      times: 'always',
    });
    await more('Import');
    await alert().getByText('The service is temporarily unavailable.').waitFor();
    await inspect('interrupted-plan');
    shown.workspace.faults.remove(fault.id);
    await button('Try again').click();
    await text('1 to set. Nothing has changed yet.');
    await alert().waitFor({ state: 'detached' });
  });

  it('overrides that were read stay if reading is interrupted', async () => {
    const world = largeWorld({ overrides: 3000, warehouses: 5 });
    shown.workspace.state.replace({ ...world, users: [...shown.workspace.state.users, ...world.users.slice(1)] });
    const body = JSON.stringify({ error_code: 'INTERNAL_ERROR', message: 'Something went wrong.' });
    const fault = shown.workspace.faults.add({
      path: OVERRIDES,
      effect: { kind: 'answer', status: 500, body },
      skip: 1,
      times: 'always',
    });
    await go('Overrides');
    await text('Stopped after 1,000 overrides · There may be more');
    await alert().getByText('Something went wrong.').waitFor();
    await shown.page.getByRole('gridcell').filter({ hasText: 'Person 1' }).first().waitFor();
    await inspect('interrupted-overrides');
    shown.workspace.faults.remove(fault.id);
    await button('Try again').click();
    await text('3,000 overrides');
    await alert().waitFor({ state: 'detached' });
  });

  it('rows that fail to load say why, and load on retry', async () => {
    const world = largeWorld({ overrides: 3000, warehouses: 5 });
    shown.workspace.state.replace({ ...world, users: [...shown.workspace.state.users, ...world.users.slice(1)] });
    await go('Overrides');
    await text('3,000 overrides');
    await shown.page.route('**/requests/causeway:overridesPage', (route) =>
      route.fulfill({ json: { ok: false, problem: PROBLEM } }),
    );
    await shown.page.getByRole('grid', { name: 'Overrides' }).press('End');
    await alert().getByText(PROBLEM.message).waitFor();
    await inspect('interrupted-rows');
    await shown.page.unroute('**/requests/causeway:overridesPage');
    await button('Try again').click();
    await alert().waitFor({ state: 'detached' });
    await shown.page
      .getByRole('gridcell')
      .filter({ hasText: /^Person \d+/ })
      .first()
      .waitFor();
  });

  it('damaged settings are reported with the place of their copy', async () => {
    await writeFile(join(shown.home, 'causeway', 'config', 'settings.json'), '{"openWindow": tru');
    await reopenIn(shown.home);
    await go('Settings');
    await alert().getByText('The settings file was damaged').waitFor();
    await alert().getByText('settings.damaged-').waitFor();
    await inspect('interrupted-settings');
  });

  it('a sign-out that the workspace has not confirmed says so', async () => {
    await go('Accounts');
    await button('Sign in to oauth').click();
    await allow();
    await shown.page.getByText('Signed in', { exact: true }).waitFor();
    shown.workspace.faults.add({ path: '/oidc/v1/revoke', effect: { kind: 'unavailable' }, times: 'always' });
    await button('More actions for oauth').click();
    await shown.page.getByRole('menuitem', { name: 'Sign out…' }).click();
    await button('Sign out').click();
    await alert().getByText('the workspace did not confirm it.').waitFor();
    await dialog().waitFor({ state: 'detached' });
    await inspect('interrupted-sign-out');
    await button('Dismiss').click();
    await alert().waitFor({ state: 'detached' });
  });

  it('the reason why a form is refused scrolls into view in a window of 320 by 640', async () => {
    await shown.page.setViewportSize({ width: 320, height: 640 });
    await go('Servers');
    await button('Add server').click();
    await shown.page.getByRole('radio', { name: 'Genie', exact: true }).check();
    await shown.page.getByRole('radio', { name: /taxi/i }).first().check();
    await shown.page.getByRole('textbox', { name: 'Name' }).fill('No name');
    await expect.poll(() => dialog().getByRole('button', { name: 'Add server', exact: true }).isEnabled()).toBe(true);
    const bottom = await dialog().evaluate((form) => {
      form.scrollTo({ top: 0 });
      return form.scrollHeight - form.clientHeight;
    });
    expect(bottom).toBeGreaterThan(0);
    await shown.page.keyboard.press('Enter');
    await alert().getByText('cannot name a server').waitFor();
    const isInSight = () =>
      alert().evaluate((notice) => {
        const { left, top, bottom } = notice.getBoundingClientRect();
        const seen = (y: number) => notice.contains(document.elementFromPoint(left + 20, y));
        return seen(top + 2) && seen(bottom - 2);
      });
    await expect.poll(isInSight).toBe(true);
    expect(await shown.page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
    await inspect('interrupted-refused');
  });
});
