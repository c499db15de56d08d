import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useWindow, whyNotHere } from './shown-window.ts';

describe.skipIf(whyNotHere)('the accounts in the window', () => {
  const { shown, button, inspect, allow, go, reopenIn, reason, shownProfile } = useWindow();

  const account = (name: string) =>
    shown.page.getByRole('listitem').filter({ has: shown.page.getByText(name, { exact: true }) });

  const more = async (name: string, item: string) => {
    await shown.page.getByRole('button', { name: `More actions for ${name}` }).click();
    await shown.page.getByRole('menuitem', { name: item }).click();
  };

  it('a user without a profile signs in with only the address of a workspace', async () => {
    await reopenIn(join(shown.home, 'empty'));
    await shown.page.getByRole('heading', { name: 'Connect your Databricks workspace' }).waitFor();
    await inspect('unconfigured');

    await shown.page.getByRole('textbox', { name: 'Workspace URL' }).fill('http://example.com');
    await button('Add and sign in').click();
    await shown.page.getByText('A workspace URL begins with https://, not http://.').waitFor();
    await inspect('bad-address');

    await shown.page.getByRole('textbox', { name: 'Workspace URL' }).fill(shown.workspace.host);
    await shown.page.getByRole('textbox', { name: 'Name' }).fill('mine');
    await shown.page.keyboard.press('Enter');
    await shown.page.getByText('Waiting for you to sign in').waitFor();
    await allow();
    await reason('Workspace default');
    await go('Accounts');
    await account('mine').getByText('Signed in', { exact: true }).waitFor();
  });

  it('the screen shows the host, user and sign-in of each profile, and why one is unusable', async () => {
    await appendFile(shown.workspace.profileFile, '\n[broken]\ntoken = dapi0\n');
    await go('Accounts');
    await account('ana').getByText('ana@example.com').waitFor();
    await account('ana').getByText('Ready', { exact: true }).waitFor();
    await account('oauth').getByText('Signed out', { exact: true }).waitFor();
    await account('broken').getByText('Invalid profile').waitFor();
    await inspect('accounts');
  });

  it('a user signs in and out on the screen', async () => {
    await go('Accounts');
    await shown.page.getByRole('button', { name: 'Sign in to oauth' }).click();
    await account('oauth').getByText('Waiting for you to sign in').waitFor();
    await inspect('accounts-signing-in');
    await account('oauth').getByRole('button', { name: 'Copy link' }).click();
    await shown.page.getByText('Link copied').waitFor();
    expect(shown.server.copied.at(-1)).toBe(shown.server.opened.at(-1));
    await account('oauth').getByRole('button', { name: 'Open again' }).click();
    await expect.poll(() => shown.server.opened.length).toBe(2);
    await account('oauth').getByRole('button', { name: 'Cancel' }).click();
    await account('oauth').getByText('Signed out', { exact: true }).waitFor();

    shown.server.opened.length = 0;
    await shown.page.getByRole('button', { name: 'Sign in to oauth' }).click();
    await allow();
    await account('oauth').getByText('Signed in', { exact: true }).waitFor();
    await account('oauth').getByText('Renews automatically').waitFor();
    await inspect('accounts-signed-in');
    await more('oauth', 'Sign out…');
    await shown.page.getByRole('dialog', { name: 'Sign out of oauth?' }).waitFor();
    await inspect('sign-out-question');
    await button('Sign out').click();
    await account('oauth').getByText('Signed out', { exact: true }).waitFor();
    await shown.page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('a user adds a workspace, and a name that is taken is refused with its reason', async () => {
    await go('Accounts');
    await button('Add workspace…').click();
    await shown.page.getByRole('textbox', { name: 'Workspace URL' }).fill(shown.workspace.host);
    await shown.page.getByRole('textbox', { name: 'Name' }).fill('ana');
    await button('Add and sign in').click();
    await shown.page.getByRole('dialog').getByRole('alert').waitFor();
    await inspect('name-taken');
    await shown.page.getByRole('textbox', { name: 'Name' }).fill('second');
    await button('Add and sign in').click();
    await shown.page.getByRole('heading', { name: 'Continue in your browser' }).waitFor();
    await button('Cancel').click();
    expect(await shownProfile()).toBe('second');
  });

  it('a URL that no workspace answers at is refused, and no profile is written', async () => {
    const file = join(shown.home, '.databrickscfg');
    const before = await readFile(file, 'utf8');
    await go('Accounts');
    await button('Add workspace…').click();
    await shown.page.getByRole('textbox', { name: 'Workspace URL' }).fill(shown.server.url);
    await button('Add and sign in').click();
    await shown.page.getByText('does not respond like a Databricks workspace').waitFor();
    expect(await readFile(file, 'utf8')).toBe(before);
    await button('Cancel').click();
  });

  it('the screen offers a retry when the accounts cannot be read', async () => {
    const problem = { code: 'invalid_file', message: 'The file cannot be read.', remedy: 'Check its permissions.' };
    await shown.page.route('**/requests/causeway:listAccounts', (route) =>
      route.fulfill({ json: { ok: false, problem } }),
    );
    await go('Accounts');
    await shown.page.getByText('The file cannot be read.').waitFor();
    await inspect('accounts-unreadable');
    await shown.page.unroute('**/requests/causeway:listAccounts');
    await button('Try again').click();
    await account('ana').waitFor();
  });

  it('a profile that is renamed keeps its sign-in', async () => {
    await go('Accounts');
    await more('oauth', 'Edit…');
    const dialog = shown.page.getByRole('dialog', { name: 'Edit oauth' });
    await inspect('account-edit');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('ana');
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    await dialog.getByRole('alert').getByText('There is already a profile "ana".').waitFor();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('mine');
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    await account('mine').waitFor();
    expect(await account('oauth').count()).toBe(0);
  });

  it('a profile is removed after the user confirms', async () => {
    await go('Accounts');
    await more('ben', 'Remove…');
    await button('Cancel').click();
    await shown.page.getByRole('dialog').waitFor({ state: 'detached' });
    await more('ben', 'Remove…');
    await inspect('account-remove');
    await button('Remove account').click();
    await shown.page.getByRole('dialog').waitFor({ state: 'detached' });
    await account('ana').waitFor();
    expect(await account('ben').count()).toBe(0);
    expect(await readFile(shown.workspace.profileFile, 'utf8')).not.toContain('[ben]');
    expect(await readFile(`${shown.workspace.profileFile}.bak`, 'utf8')).toContain('[ben]');
  });

  it('a user signs in with an OAuth application of the account, and then with the built-in one', async () => {
    const applications = join(shown.home, 'causeway', 'config', 'oauth-applications.json');
    await go('Accounts');
    const edit = () => more('oauth', 'OAuth application…');
    await edit();
    await inspect('account-application');
    await shown.page.getByRole('textbox', { name: 'Client ID' }).fill('our-application');
    await shown.page.getByLabel('Client secret').fill('hunter2-shibboleth');
    await shown.page.getByRole('textbox', { name: 'Redirect port' }).fill('99999');
    await shown.page.getByText('Enter a number from 1 to 65535.').waitFor();
    expect(await button('Use this application').isDisabled()).toBe(true);
    await shown.page.getByRole('textbox', { name: 'Redirect port' }).fill('8020');
    await button('Use this application').click();
    await shown.page.getByRole('dialog').waitFor({ state: 'detached' });
    const stored = await readFile(applications, 'utf8');
    expect(JSON.parse(stored)[shown.workspace.host]).toMatchObject({
      client_id: 'our-application',
      callback_port: 8020,
    });
    expect(stored).not.toContain('hunter2');

    await edit();
    await shown.page.getByText('A secret is stored. Type a new one to replace it.').waitFor();
    expect(await shown.page.getByLabel('Client secret').inputValue()).toBe('');
    await shown.page.keyboard.press('Escape');
    await shown.page.getByRole('dialog').waitFor({ state: 'detached' });
    shown.server.opened.length = 0;
    await shown.page.getByRole('button', { name: 'Sign in to oauth' }).click();
    await expect.poll(() => shown.server.opened.at(-1)).toContain('client_id=our-application');
    await account('oauth').getByRole('button', { name: 'Cancel' }).click();

    await edit();
    await button('Use built-in application').click();
    await shown.page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(JSON.parse(await readFile(applications, 'utf8'))).toEqual({});
  });
});
