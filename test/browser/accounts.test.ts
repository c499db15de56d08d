import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useWindow, whyNotHere } from './shown-window.ts';

describe.skipIf(whyNotHere)('the accounts in the window', () => {
  const { shown, button, inspect, allow, go, reopenIn } = useWindow();

  const account = (name: string) =>
    shown.page.getByRole('listitem').filter({ has: shown.page.getByText(name, { exact: true }) });

  it('leads from nothing to signed in, by the address of a workspace alone', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'causeway-empty-'));
    await reopenIn(empty);
    await shown.page.getByRole('heading', { name: 'No workspace yet' }).waitFor();
    await inspect('unconfigured');

    await shown.page.getByRole('textbox', { name: 'Workspace address' }).fill('http://example.com');
    await button('Add and sign in').click();
    await shown.page.getByText('would carry tokens unencrypted').waitFor();
    await inspect('bad-address');

    await shown.page.getByRole('textbox', { name: 'Workspace address' }).fill(shown.workspace.host);
    await shown.page.getByRole('textbox', { name: 'Name' }).fill('mine');
    await shown.page.keyboard.press('Enter');
    await shown.page.getByText('Waiting for the browser.').waitFor();
    await allow();
    await shown.page.getByText('because it is the workspace default').waitFor();
    await go('Accounts');
    await account('mine').getByText('Signed in', { exact: true }).waitFor();
    await rm(empty, { recursive: true });
  });

  it('shows every profile: where, who, how, and why one cannot be used', async () => {
    await appendFile(shown.workspace.profileFile, '\n[broken]\ntoken = dapi0\n');
    await go('Accounts');
    await account('ana').getByText('ana@example.com').waitFor();
    await account('ana').getByText('Has its own credentials').waitFor();
    await account('oauth').getByText('Signed out', { exact: true }).waitFor();
    await account('broken').getByText('Cannot be used').waitFor();
    await inspect('accounts');
  });

  it('signs in and out again from the accounts', async () => {
    await go('Accounts');
    await shown.page.getByRole('button', { name: 'Sign in to oauth' }).click();
    await account('oauth').getByText('Waiting for the browser').waitFor();
    await inspect('accounts-signing-in');
    await account('oauth').getByRole('button', { name: 'Cancel' }).click();
    await account('oauth').getByText('Signed out', { exact: true }).waitFor();

    shown.server.opened.length = 0;
    await shown.page.getByRole('button', { name: 'Sign in to oauth' }).click();
    await allow();
    await account('oauth').getByText('Signed in', { exact: true }).waitFor();
    await account('oauth').getByText('Renews by itself').waitFor();
    await inspect('accounts-signed-in');
    await shown.page.getByRole('button', { name: 'Sign out of oauth…' }).click();
    await shown.page.getByRole('dialog', { name: 'Sign out of oauth?' }).waitFor();
    await inspect('sign-out-question');
    await button('Sign out').click();
    await account('oauth').getByText('Signed out', { exact: true }).waitFor();
    await shown.page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('adds a workspace from the accounts, and says what is wrong with a name that is taken', async () => {
    await go('Accounts');
    await button('Add a workspace…').click();
    await shown.page.getByRole('textbox', { name: 'Workspace address' }).fill(shown.workspace.host);
    await shown.page.getByRole('textbox', { name: 'Name' }).fill('ana');
    await button('Add and sign in').click();
    await shown.page.getByRole('dialog').getByRole('alert').waitFor();
    await inspect('name-taken');
    await shown.page.getByRole('textbox', { name: 'Name' }).fill('second');
    await button('Add and sign in').click();
    await shown.page.getByRole('heading', { name: 'Signing in' }).waitFor();
    await button('Cancel').click();
    expect(await shown.page.getByRole('combobox', { name: 'Profile' }).inputValue()).toBe('second');
  });

  it('says when the accounts could not be read, and offers to try again', async () => {
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
});
