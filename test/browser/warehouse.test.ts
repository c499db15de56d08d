import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useWindow, whyNotHere } from './shown-window.ts';

describe.skipIf(whyNotHere)('the warehouse in the window', () => {
  const {
    shown,
    button,
    choose,
    more,
    reason,
    answer,
    focused,
    tabTo,
    overrideOf,
    inspect,
    allow,
    hold,
    reopenIn,
    startWorkspaceAgain,
    chooseProfile,
    shownProfile,
  } = useWindow();

  /** Waits until what is typed goes into the search. */
  const searches = () => {
    const search = shown.page.getByRole('textbox', { name: 'Search warehouses' });
    return expect.poll(() => search.evaluate((field) => field === document.activeElement)).toBe(true);
  };

  it('the window opens with the effective warehouse', async () => {
    await expect.poll(answer).toBe('Your queries run on Starter Warehouse');
    await inspect('answer');
  });

  it('placeholders keep the layout still while the answer loads', async () => {
    // Without a server a card about that stands between.
    const servers = [{ name: 'sql', profile: 'ana', kind: 'sql', path: '/api/2.0/mcp/sql' }];
    await writeFile(join(shown.home, 'causeway/config/servers.json'), JSON.stringify({ servers }));
    await expect.poll(() => shown.server.model.state.servers.length).toBe(1);
    // Events bring the state too, such as when the server has been asked how it is.
    const release = await hold('request', 'requests/causeway:getState', 'events');
    await shown.page.reload();
    await shown.page.getByText('Loading', { exact: true }).waitFor({ state: 'attached' });
    await inspect('loading');
    const place = async () => ({
      why: await shown.page.getByRole('heading', { name: 'Why this warehouse' }).boundingBox(),
      leadAt: (await shown.page.getByText('Your queries run on').boundingBox())?.y,
    });
    const before = await place();
    release();
    await button('Change warehouse').waitFor();
    expect(await place()).toEqual(before);
  });

  it('a warehouse is chosen with the keyboard alone', async () => {
    await tabTo('Change warehouse');
    await shown.page.keyboard.press('Enter');
    await shown.page.getByRole('radio').first().waitFor();
    await searches();
    await shown.page.keyboard.type('data');
    await shown.page.keyboard.press('Enter');
    await reason('Your override');
    expect(await answer()).toBe('Your queries run on Data science');
    expect(overrideOf('ana@example.com')?.type).toBe('CUSTOM');
    await expect.poll(focused).toBe('Change warehouse');
  });

  it('the arrow keys move through the list', async () => {
    await button('Change warehouse').press('Enter');
    await shown.page.getByRole('radio', { name: /^Shared analytics/ }).waitFor();
    await searches();
    await shown.page.keyboard.press('ArrowDown');
    expect(await shown.page.getByRole('radio', { name: /^Starter Warehouse/ }).isChecked()).toBe(true);
    await shown.page.keyboard.press('ArrowDown');
    expect(await shown.page.getByRole('radio', { name: /^Data science/ }).isChecked()).toBe(true);
    await shown.page.keyboard.press('Escape');
    await shown.page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(overrideOf('ana@example.com')).toBeUndefined();
  });

  it('the dialog shows the list of warehouses', async () => {
    await button('Change warehouse').click();
    await shown.page.getByRole('radio').first().waitFor();
    await inspect('choose');
    await shown.page.getByRole('textbox', { name: 'Search warehouses' }).fill('nowhere');
    await shown.page.getByText('No warehouse matches “nowhere”.').waitFor();
    expect(await button('Use this warehouse').isDisabled()).toBe(true);
  });

  it('a warehouse that the user cannot use has a warning before and after it is chosen', async () => {
    await chooseProfile('ben');
    await expect.poll(shownProfile).toBe('ben');
    await button('Change warehouse').click();
    await shown.page.getByRole('radio', { name: /^Finance BI.*No CAN USE permission/ }).check();
    await shown.page.getByText('You do not have CAN USE on Finance BI').waitFor();
    await button('Use this warehouse').click();
    // It goes away by itself.
    await shown.page.getByRole('status').filter({ hasText: 'New queries run on Finance BI.' }).waitFor();
    await shown.page.getByRole('alert').waitFor();
    expect(await shown.page.getByRole('alert').textContent()).toContain('CAN USE');
    await inspect('cannot-use');
  });

  it('an override of a deleted warehouse says that queries fail, and leads to one remedy', async () => {
    const ana = shown.workspace.users.find(({ userName }) => userName === 'ana@example.com')?.id ?? '';
    shown.workspace.state.overrides.set(ana, { userId: ana, type: 'CUSTOM', warehouseId: '0000000000000bad' });
    await shown.page.getByRole('button', { name: 'Refresh' }).click();
    await shown.page.getByRole('alert').getByText('Warehouse 0000000000000bad no longer exists.').waitFor();
    expect(await shown.page.getByRole('button', { name: /^(Change|Choose)/ }).allTextContents()).toEqual([
      'Change warehouse',
    ]);
    await inspect('dangling');
  });

  it('the override follows the last selected warehouse after the window says what that means', async () => {
    await more('Follow my last selection');
    await shown.page.getByText('Causeway cannot show which one it is').waitFor();
    await inspect('last-selected-question');
    await button('Follow my last selection').click();
    await reason('Your last selection');
    expect(overrideOf('ana@example.com')?.type).toBe('LAST_SELECTED');
    expect(await answer()).toBe('Your queries run on Your last selected warehouse');
    await inspect('last-selected');
  });

  it('the override is cleared after the window says what will happen', async () => {
    await choose('Data science');
    await inspect('override');
    await more('Use workspace default');
    await shown.page.getByText('Queries will run on Starter Warehouse, the workspace default.').waitFor();
    await inspect('clear-question');
    await button('Use workspace default').click();
    await reason('Workspace default');
    expect(overrideOf('ana@example.com')).toBeUndefined();
  });

  it('the warehouse is started, and stopped after the window says whose queries end', async () => {
    await more('Start');
    await state(/^(Starting|Running)$/);
    await more('Stop');
    await shown.page.getByRole('dialog', { name: 'Stop Starter Warehouse?' }).waitFor();
    await shown.page.getByText('Running queries are canceled, including those of other users.').waitFor();
    await inspect('stop-question');
    await button('Stop warehouse').click();
    await shown.page.getByRole('dialog').waitFor({ state: 'detached' });
    await state(/^(Stopping|Stopped)$/);
  });

  it('a warehouse that was not started says why and can be started again', async () => {
    const body = JSON.stringify({ error_code: 'PERMISSION_DENIED', message: 'You may not start it.' });
    shown.workspace.faults.add({
      path: '/api/2.0/sql/warehouses/*/start',
      effect: { kind: 'answer', status: 403, body },
    });
    await more('Start');
    await shown.page.getByRole('alert').waitFor();
    await inspect('start-refused');
    await more('Start');
    await state(/^(Starting|Running)$/);
  });

  const state = (words: RegExp) =>
    shown.page.getByRole('region', { name: 'Effective warehouse' }).getByText(words).waitFor();

  const checkNamed = (title: string) => shown.page.getByRole('listitem').filter({ hasText: title });

  it('the checks confirm that the choice is recorded and resolves', async () => {
    await choose('Shared analytics');
    await button('Verify').click();
    await checkNamed('Resolve').getByText('Passed').waitFor();
    expect(await checkNamed('Record').textContent()).toContain('Passed');
    expect(await checkNamed('Cold start').textContent()).toContain('Not checked');
    await inspect('verified');
    await button('Prove').click();
    await checkNamed('Prove').getByText('Passed').waitFor();
    expect(await checkNamed('Prove').textContent()).toContain('the query ran on Shared analytics');
    await inspect('proved');
  });

  it('the third check asks first and names what it would stop', async () => {
    await choose('Shared analytics');
    await button('From a cold start…').click();
    const dialog = shown.page.getByRole('dialog', { name: 'Verify from a cold start?' });
    await dialog.getByText('Shared analytics', { exact: true }).waitFor();
    await inspect('end-to-end-question');
    await button('Stop and verify').click();
    await button('Cancel').waitFor();
    await checkNamed('Cold start')
      .getByText(/Stopping|Waiting|Sending/)
      .waitFor();
    await checkNamed('Cold start').getByText('Passed').waitFor();
    await inspect('verified-end-to-end');
  });

  it('checks that are canceled restart the warehouses that they stopped', async () => {
    await choose('Shared analytics');
    // What opens the session is answered: only then is anything stopped.
    const call = { path: '/api/2.0/mcp/sql', method: 'POST', skip: 3 };
    shown.workspace.faults.add({ ...call, effect: { kind: 'stall', milliseconds: 60_000 }, times: 1 });
    await button('From a cold start…').click();
    await button('Stop and verify').click();
    await checkNamed('Cold start').getByText('Sending a query').waitFor();
    await inspect('verifying');
    await button('Cancel').click();
    await checkNamed('Cold start').getByText('Canceled', { exact: true }).waitFor();
    await checkNamed('Cold start').getByText('Started again: Shared analytics').waitFor();
  });

  it('a failed tray action is shown until it is dismissed', async () => {
    const problem = { code: 'permission_denied', message: 'You may not change it.', remedy: 'Ask an admin.' } as const;
    shown.server.model.show({ failedAction: { title: 'Your override was not cleared', problem } });
    await shown.page.getByText('Your override was not cleared. You may not change it.').waitFor();
    await inspect('failed-action');
    await button('Dismiss').click();
    await shown.page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('the answer stays when the workspace goes away, and is marked', async () => {
    await shown.workspace.close();
    await button('Refresh').click();
    await shown.page.getByRole('alert').waitFor();
    expect(await answer()).toBe('Your queries run on Starter Warehouse');
    await inspect('stale');
    await startWorkspaceAgain();
  });

  it('an unreachable workspace says what is wrong and offers the next step', async () => {
    await appendFile(shown.workspace.profileFile, '\n[elsewhere]\nhost = http://127.0.0.1:1\ntoken = dapi0\n');
    await reopenIn(shown.home);
    await chooseProfile('elsewhere');
    await shown.page.getByRole('heading', { name: 'Workspace not reachable' }).waitFor();
    await inspect('unreachable');
    await button('Try again').click();
    await chooseProfile('ana');
    await reason('Workspace default');
  });

  it('a profile can be chosen if none is the default', async () => {
    const folder = join(shown.home, 'several');
    await mkdir(folder);
    const profile = (name: string, token: string) => `[${name}]\nhost = ${shown.workspace.host}\ntoken = ${token}\n`;
    const [ana, ben] = shown.workspace.users.map(({ token }) => token);
    await writeFile(join(folder, '.databrickscfg'), profile('one', ana ?? '') + profile('two', ben ?? ''));
    await reopenIn(folder);
    await shown.page.getByRole('heading', { name: 'Choose a profile' }).waitFor();
    await inspect('choose-profile');
    await button('Use two').click();
    await expect.poll(shownProfile).toBe('two');
  });

  it('the user signs in in the browser', async () => {
    await chooseProfile('oauth');
    await button('Sign in').waitFor();
    await inspect('signed-out');
    await button('Sign in').click();
    await shown.page.getByText('Waiting for you to sign in').waitFor();
    await inspect('signing-in');
    await allow();
    await reason('Workspace default');
  });

  it('a sign-in can be canceled and started again', async () => {
    await chooseProfile('oauth');
    await button('Sign in').click();
    await shown.page.getByText('Waiting for you to sign in').waitFor();
    await button('Cancel').click();
    await shown.page.getByText('Sign-in canceled.').waitFor();
    await inspect('sign-in-cancelled');
    await button('Sign in').click();
    await shown.page.getByText('Waiting for you to sign in').waitFor();
    await button('Cancel').click();
  });
});
