import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useWindow, whyNotHere } from './shown-window.ts';

describe.skipIf(whyNotHere)('the warehouse in the window', () => {
  const {
    shown,
    button,
    choose,
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
  } = useWindow();

  /** Waits until what is typed goes into the search. */
  const searches = () => {
    const search = shown.page.getByRole('textbox', { name: 'Search Warehouses' });
    return expect.poll(() => search.evaluate((field) => field === document.activeElement)).toBe(true);
  };

  it('the window opens with the effective warehouse', async () => {
    expect(await answer()).toBe('Your queries run on Starter Warehouse');
    await inspect('answer');
  });

  it('placeholders keep the layout still while the answer loads', async () => {
    // Without a server the first steps stand between.
    const servers = [{ name: 'sql', profile: 'ana', kind: 'sql', path: '/api/2.0/mcp/sql' }];
    await writeFile(join(shown.home, 'causeway/config/servers.json'), JSON.stringify({ servers }));
    await expect.poll(() => shown.server.model.state.servers.length).toBe(1);
    // Events bring the state too, such as when the server has been asked how it is.
    const release = await hold('request', 'requests/causeway:getState', 'events');
    await shown.page.reload();
    await shown.page.getByText('Asking the workspace…').waitFor();
    await inspect('loading');
    const place = async () => ({
      why: await shown.page.getByRole('heading', { name: 'Why' }).boundingBox(),
      lead: await shown.page.getByText('Your queries run on').boundingBox(),
    });
    const before = await place();
    release();
    await button('Change…').waitFor();
    expect(await place()).toEqual(before);
  });

  it('a warehouse is chosen with the keyboard alone', async () => {
    await tabTo('Change…');
    await shown.page.keyboard.press('Enter');
    await shown.page.getByRole('radio').first().waitFor();
    await searches();
    await shown.page.keyboard.type('data');
    await shown.page.keyboard.press('Enter');
    await shown.page.getByText('Your override').waitFor();
    expect(await answer()).toBe('Your queries run on Data science');
    expect(overrideOf('ana@example.com')?.type).toBe('CUSTOM');
    await expect.poll(focused).toBe('Change…');
  });

  it('the arrow keys move through the list', async () => {
    await button('Change…').press('Enter');
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
    await button('Change…').click();
    await shown.page.getByRole('radio').first().waitFor();
    await inspect('choose');
    await shown.page.getByRole('textbox', { name: 'Search warehouses' }).fill('nowhere');
    await shown.page.getByText('No warehouse matches “nowhere”.').waitFor();
    expect(await button('Use this warehouse').isDisabled()).toBe(true);
  });

  it('a warehouse that the user may not use has a warning before and after it is chosen', async () => {
    await chooseProfile('ben');
    await shown.page.getByText('Ben Okafor').waitFor();
    await button('Change…').click();
    await shown.page.getByRole('radio', { name: /^Finance BI.*no permission to use/ }).check();
    await shown.page.getByText('You do not have CAN USE on Finance BI').waitFor();
    await button('Use this warehouse').click();
    await shown.page.getByRole('alert').waitFor();
    expect(await shown.page.getByRole('alert').textContent()).toContain('CAN USE');
    await inspect('cannot-use');
    await button('Choose another…').click();
    await shown.page.getByRole('dialog', { name: 'Choose a warehouse' }).waitFor();
  });

  it('the override follows the last selected warehouse after the window says what that means', async () => {
    await button('Use last selected…').click();
    await shown.page.getByText('Only the workspace knows which one that is').waitFor();
    await inspect('last-selected-question');
    await button('Use last selected').click();
    await shown.page.getByText('Your last selection').waitFor();
    expect(overrideOf('ana@example.com')?.type).toBe('LAST_SELECTED');
    expect(await answer()).toBe('Your queries run on Your last selected warehouse');
    await inspect('last-selected');
  });

  it('the override is cleared after the window says what will happen', async () => {
    await choose('Data science');
    await inspect('override');
    await button('Clear override…').click();
    await shown.page.getByText('Your queries will then run on Starter Warehouse, the workspace default.').waitFor();
    await inspect('clear-question');
    await button('Clear override').click();
    await shown.page.getByText('Workspace default').waitFor();
    expect(overrideOf('ana@example.com')).toBeUndefined();
  });

  it('the warehouse is started, and stopped after the window says whose queries end', async () => {
    await button('Start').click();
    await button('Stop…').waitFor();
    await shown.page.getByText(/^(Starting|Running) · /).waitFor();
    await button('Stop…').click();
    await shown.page
      .getByText('Queries that run on Starter Warehouse, yours and those of others, are cut off.')
      .waitFor();
    await inspect('stop-question');
    await button('Stop it').click();
    await shown.page.getByRole('dialog').waitFor({ state: 'detached' });
    await shown.page.getByText(/^(Stopping|Stopped) · /).waitFor();
  });

  it('a warehouse that was not started says why and offers a retry', async () => {
    const body = JSON.stringify({ error_code: 'PERMISSION_DENIED', message: 'You may not start it.' });
    shown.workspace.faults.add({
      path: '/api/2.0/sql/warehouses/*/start',
      effect: { kind: 'answer', status: 403, body },
    });
    await button('Start').click();
    await shown.page.getByRole('alert').waitFor();
    await inspect('start-refused');
    await button('Try again').click();
    await button('Stop…').waitFor();
  });

  const checkNamed = (title: string) => shown.page.getByRole('listitem').filter({ hasText: title });

  it('the checks confirm that the choice is recorded and resolves', async () => {
    await choose('Shared analytics');
    await button('Run checks').click();
    await checkNamed('Resolves').getByText('Passed').waitFor();
    expect(await checkNamed('Recorded').textContent()).toContain('Passed');
    expect(await checkNamed('End to end').textContent()).toContain('Not checked');
    await inspect('verified');
  });

  it('the third check asks first and names what it would stop', async () => {
    await choose('Shared analytics');
    await button('Check end to end…').click();
    const dialog = shown.page.getByRole('dialog', { name: 'Check end to end?' });
    await dialog.getByText('Shared analytics', { exact: true }).waitFor();
    await inspect('end-to-end-question');
    await button('Stop and check').click();
    await button('Cancel').waitFor();
    await checkNamed('End to end')
      .getByText(/Stopping|Waiting|Sending/)
      .waitFor();
    await checkNamed('End to end').getByText('Passed').waitFor();
    await inspect('verified-end-to-end');
  });

  it('checks that are cancelled start the warehouses again that they stopped', async () => {
    await choose('Shared analytics');
    // What opens the session is answered: only then is anything stopped.
    const call = { path: '/api/2.0/mcp/sql', method: 'POST', skip: 3 };
    shown.workspace.faults.add({ ...call, effect: { kind: 'stall', milliseconds: 60_000 }, times: 1 });
    await button('Check end to end…').click();
    await button('Stop and check').click();
    await checkNamed('End to end').getByText('Sending a query').waitFor();
    await inspect('verifying');
    await button('Cancel').click();
    await checkNamed('End to end').getByText('Cancelled', { exact: true }).waitFor();
    await checkNamed('End to end').getByText('Started again: Shared analytics').waitFor();
  });

  it('a failed action of the tray is shown until it is dismissed', async () => {
    const problem = { code: 'permission_denied', message: 'You may not change it.', remedy: 'Ask an admin.' };
    shown.server.model.showFailedAction({ title: 'Your override was not cleared', problem });
    await shown.page.getByText('Your override was not cleared. You may not change it.').waitFor();
    await inspect('failed-action');
    await button('Dismiss').click();
    await shown.page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('the answer stays when the workspace goes away, and is marked', async () => {
    await shown.workspace.close();
    await button('Check again').click();
    await shown.page.getByRole('alert').waitFor();
    expect(await answer()).toBe('Your queries run on Starter Warehouse');
    await inspect('stale');
    await startWorkspaceAgain();
  });

  it('an unreachable workspace says what is wrong and offers the next step', async () => {
    await appendFile(shown.workspace.profileFile, '\n[elsewhere]\nhost = http://127.0.0.1:1\ntoken = dapi0\n');
    await reopenIn(shown.home);
    await chooseProfile('elsewhere');
    await shown.page.getByRole('heading', { name: 'The workspace cannot be reached' }).waitFor();
    await inspect('unreachable');
    await button('Try again').click();
    await chooseProfile('ana');
    await shown.page.getByText('Workspace default').waitFor();
  });

  it('a profile can be chosen where none is the default', async () => {
    const folder = join(shown.home, 'several');
    await mkdir(folder);
    const profile = (name: string, token: string) => `[${name}]\nhost = ${shown.workspace.host}\ntoken = ${token}\n`;
    const [ana, ben] = shown.workspace.users.map(({ token }) => token);
    await writeFile(join(folder, '.databrickscfg'), profile('one', ana ?? '') + profile('two', ben ?? ''));
    await reopenIn(folder);
    await shown.page.getByRole('heading', { name: 'Choose a profile' }).waitFor();
    await inspect('choose-profile');
    await button('Use two').click();
    await shown.page.getByText('Ben Okafor').waitFor();
  });

  it('the user signs in in the browser', async () => {
    await chooseProfile('oauth');
    await button('Sign in').waitFor();
    await inspect('signed-out');
    await button('Sign in').click();
    await shown.page.getByText('Waiting for you to sign in').waitFor();
    await inspect('signing-in');
    await allow();
    await shown.page.getByText('Workspace default').waitFor();
  });

  it('a sign-in can be cancelled and started again', async () => {
    await chooseProfile('oauth');
    await button('Sign in').click();
    await shown.page.getByText('Waiting for you to sign in').waitFor();
    await button('Cancel').click();
    await shown.page.getByText('Signing in was cancelled.').waitFor();
    await inspect('sign-in-cancelled');
    await button('Sign in').click();
    await shown.page.getByText('Waiting for you to sign in').waitFor();
    await button('Cancel').click();
  });
});
