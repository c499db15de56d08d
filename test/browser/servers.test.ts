import { describe, expect, it } from 'vitest';
import { withoutServer } from '../../main/clients/servers.ts';
import { ADDED_SQL, useWindow, whyNotHere } from './shown-window.ts';

describe.skipIf(whyNotHere)('the servers in the window', () => {
  const { shown, button, inspect, allow, go, hold, openList, giveServer, shownProfile } = useWindow();

  const heading = (name: string) => shown.page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  const text = (words: string | RegExp) => shown.page.getByText(words).first().waitFor();
  const state = (words: string) => shown.page.getByRole('status').filter({ hasText: words }).first().waitFor();
  const field = (name: string) => shown.page.getByRole('textbox', { name });
  const kind = (name: string) => shown.page.getByRole('radio', { name, exact: true }).check();
  const more = async (title: string, item: string) => {
    await shown.page.getByRole('button', { name: `More actions for ${title}` }).click();
    await shown.page.getByRole('menuitem', { name: item }).click();
  };
  const submit = () => shown.page.getByRole('dialog').getByRole('button', { name: 'Add server', exact: true }).click();
  const FUNCTIONS = '/api/2.0/mcp/functions/main/default';

  it('the empty screen explains servers, and adds SQL with one click', async () => {
    await go('Servers');
    await text('No servers yet');
    await inspect('servers-empty');
    await button('Add SQL').click();
    await shown.page.getByRole('link', { name: 'databricks-sql' }).waitFor();
    await state('Running, 3 tools');
    await inspect('servers');
    expect((await openList()).read().servers).toEqual([
      { name: 'databricks-sql', profile: 'ana', kind: 'other', path: ADDED_SQL },
    ]);
  });

  it('a function is added under a chosen name', async () => {
    await go('Servers');
    await button('Add server').click();
    await kind('Functions');
    await shown.page.getByRole('radio', { name: /^main\.default\.initials/ }).check();
    await text('/api/2.0/mcp/functions/main/default/initials');
    await inspect('add-function');
    await field('Name').fill('My function');
    await submit();
    await shown.page.getByRole('alert').getByText('cannot name a server').waitFor();
    await inspect('add-server-bad-name');
    await field('Name').fill('initials');
    await submit();
    await heading('main.default.initials');
    await text('main.default.initials added');
    await state('Running, 1 tool');
  });

  it('Genie spaces are found by their titles', async () => {
    await go('Servers');
    await button('Add server').click();
    await kind('Genie');
    await shown.page.getByRole('radio', { name: /^New York taxi trips/ }).waitFor();
    await field('Search the workspace').fill('nowhere');
    await text('No results for “nowhere”.');
    await field('Search the workspace').fill('taxi');
    await shown.page.getByRole('radio', { name: /^New York taxi trips/ }).check();
    await inspect('add-genie');
    await submit();
    await heading('New York taxi trips');
    await text('new-york · as ana');
    await state('Running, 2 tools');
  });

  it('indexes and their whole schemas are offered, and it is said which cannot be searched', async () => {
    await go('Servers');
    await button('Add server').click();
    await kind('Vector search');
    await shown.page.getByRole('radio', { name: /^All indexes in main\.support/ }).waitFor();
    await shown.page.getByRole('radio', { name: /^main\.support\.images_index.*Not searchable/ }).check();
    expect(await shown.page.getByRole('radio', { name: /^New York taxi trips/ }).count()).toBe(0);
    await inspect('add-index');
  });

  it('a path or a whole address is accepted, and an invalid one is refused with its reason', async () => {
    await go('Servers');
    await button('Add server').click();
    await kind('Other server');
    await shown.page.getByRole('radio', { name: /^GitHub/ }).waitFor();
    await inspect('add-by-path');
    await field('Path or URL').fill('https://elsewhere.example.com/api/2.0/mcp/sql');
    await shown.page.getByRole('alert').getByText('That address does not belong to').waitFor();
    await field('Path or URL').fill(`${shown.workspace.host}${FUNCTIONS}`);
    await field('Name').fill('by-path');
    await submit();
    await heading('main.default');
    await text(FUNCTIONS);
    await more('main.default', 'Copy URL');
    await text('Copied');
    await expect.poll(() => shown.server.copied).toEqual([`${shown.workspace.host}${FUNCTIONS}`]);
  });

  it('it is said that a server is in the list already', async () => {
    await giveServer('mine', '/api/2.0/mcp/sql');
    await go('Servers');
    await button('Add server').click();
    await shown.page.getByRole('radio', { name: /^Databricks SQL \(every workspace\)/ }).check();
    await text('It is already in your list, as mine.');
    await inspect('add-twice');
    await shown.page.getByRole('radio', { name: /^New York taxi trips/ }).check();
    await shown.page.getByText('It is already in your list').waitFor({ state: 'detached' });
  });

  it('a proposed name that arrives late is replaced by what is typed', async () => {
    const propose = await hold('request', 'requests/causeway:proposeServer');
    await go('Servers');
    await button('Add server').click();
    await kind('SQL');
    await shown.page.getByRole('radio', { name: /^Databricks SQL \(every workspace\)/ }).check();
    await field('Name').focus();
    expect(await field('Name').inputValue()).toBe('');
    propose();
    await expect.poll(() => field('Name').inputValue()).toBe('databricks-sql');
    await shown.page.keyboard.type('mine');
    expect(await field('Name').inputValue()).toBe('mine');
  });

  it('a catalog that cannot be browsed says why and offers a retry', async () => {
    shown.workspace.faults.add({
      path: '/api/2.1/unity-catalog/catalogs',
      effect: { kind: 'answer', status: 403, body: '{"error_code":"PERMISSION_DENIED","message":"Not for you."}' },
      times: 'always',
    });
    await go('Servers');
    await button('Add server').click();
    await kind('Functions');
    await text('Not for you.');
    await inspect('add-refused');
    shown.workspace.faults.clear();
    await shown.page.getByRole('dialog').getByRole('button', { name: 'Show all' }).click();
    await shown.page.getByRole('radio', { name: /^main\.default\.initials/ }).waitFor();
  });

  it('an event that arrives before a stale answer is shown', async () => {
    const answer = await hold('answer', 'requests/causeway:getState');
    await shown.page.reload();
    await go('Servers');
    await giveServer('from-elsewhere', FUNCTIONS);
    const link = shown.page.getByRole('link', { name: 'main.default' });
    await link.waitFor();
    const told = shown.page.waitForResponse('**/requests/causeway:getState');
    answer();
    await (await told).finished();
    await shown.page.evaluate(() => new Promise((painted) => requestAnimationFrame(painted)));
    expect(await link.isVisible()).toBe(true);
  });

  it('a change that the command makes is shown', async () => {
    await go('Servers');
    await giveServer('from-elsewhere', FUNCTIONS);
    await shown.page.getByText('from-elsewhere').waitFor();
    await (await openList()).change((now) => withoutServer(now, 'from-elsewhere'));
    await button('Add SQL').waitFor();
  });

  it('a tool is tried in a form from its schema, with errors at its fields and the answer as a table', async () => {
    await giveServer('functions', FUNCTIONS);
    await go('Servers');
    await shown.page.getByRole('link', { name: 'main.default', exact: true }).click();
    await shown.page.getByRole('button', { name: 'Try main__default__initials' }).waitFor();
    await inspect('server');
    await shown.page.getByRole('button', { name: 'Try main__default__initials' }).click();
    await button('Run').click();
    await text('This field is required.');
    await inspect('try-tool-missing');
    await field('full_name').fill('Ada Lovelace');
    await shown.page.keyboard.press('Control+Enter');
    await shown.page.getByRole('cell', { name: 'AL' }).waitFor();
    await inspect('try-tool');
  });

  it('a tool that can change data asks first, a statement is polled by its id, and errors are shown as errors', async () => {
    await giveServer('sql', '/api/2.0/mcp/sql');
    await go('Servers');
    await shown.page.getByRole('link', { name: 'sql', exact: true }).click();
    await button('Try execute_sql').click();
    await field('query').fill('SELECT 40 + 2 AS answer');
    await button('Run').click();
    await text('This tool can change or delete data.');
    await inspect('try-destructive');
    await button('Run anyway').click();
    await shown.page.getByRole('cell', { name: '42' }).waitFor();
    await inspect('try-sql');
  });

  it('a call that takes too long is canceled', async () => {
    await giveServer('functions', FUNCTIONS);
    await go('Servers');
    await shown.page.getByRole('link', { name: 'main.default', exact: true }).click();
    await shown.page.getByRole('button', { name: 'Try main__default__initials' }).click();
    await field('full_name').fill('Ada Lovelace');
    shown.workspace.faults.add({ path: FUNCTIONS, effect: { kind: 'stall', milliseconds: 60_000 }, times: 1 });
    await button('Run').click();
    await shown.page.getByRole('dialog').getByRole('status').filter({ hasText: 'Running' }).waitFor();
    await inspect('try-running');
    await button('Cancel').click();
    await text('Canceled.');
  });

  it('the state of a server is shown with its reason and remedy', async () => {
    await giveServer('gone', '/api/2.0/mcp/genie/0123456789abcdef0123456789abcdef');
    await giveServer('mine', FUNCTIONS, 'oauth');
    await giveServer('ungranted', '/api/2.0/mcp/functions/main/finance');
    await go('Servers');
    await state('Not found');
    await state('Signed out');
    await state('No tools');
    await inspect('servers-in-trouble');
    await shown.page.getByRole('button', { name: 'Open workspace of ungranted' }).click();
    await expect.poll(() => shown.server.opened).toEqual([shown.workspace.host]);
    shown.server.opened.length = 0;
    await shown.page.getByRole('button', { name: 'Sign in to oauth' }).click();
    await state('Waiting for the browser');
    await text('Signing in to oauth');
    await inspect('servers-signing-in-elsewhere');
    await allow();
    await state('Running, 3 tools');
    await shown.page.getByText('Signing in to oauth').waitFor({ state: 'detached' });
    expect(await shownProfile()).toBe('ana');
  });

  it('a call that the sign-in does not cover offers a new sign-in and keeps what was typed', async () => {
    await giveServer('mine', FUNCTIONS, 'oauth');
    await go('Servers');
    const signIn = shown.page.getByRole('button', { name: 'Sign in to oauth' });
    await signIn.click();
    await allow();
    await shown.page.getByRole('link', { name: 'main.default', exact: true }).click();
    await button('Try main__default__initials').click();
    await field('full_name').fill('Ada Lovelace');
    const body = '{"error_code":"PERMISSION_DENIED","message":"Token does not have required scopes: unity-catalog"}';
    shown.workspace.faults.add({ path: FUNCTIONS, effect: { kind: 'answer', status: 403, body }, times: 'always' });
    await button('Run').click();
    const refusal = shown.page.getByRole('dialog').getByRole('alert');
    await refusal.getByText('Sign in to oauth again and grant the missing scope').waitFor();
    await refusal.getByRole('button', { name: 'Sign in to oauth' }).waitFor();
    await inspect('tool-missing-scope');
    shown.workspace.faults.clear();
    // The page of the first sign-in is of no use to the second.
    shown.server.opened.length = 0;
    await refusal.getByRole('button', { name: 'Sign in to oauth' }).click();
    await allow();
    await state('Running, 3 tools');
    await button('Run').click();
    await shown.page.getByRole('cell', { name: 'AL', exact: true }).waitFor();
  });

  it('a broken profile links to its screen and offers no sign-in', async () => {
    await giveServer('lost', FUNCTIONS, 'nobody');
    await go('Servers');
    await text('Check its profile on the Accounts screen, or remove this server.');
    await inspect('server-without-profile');
    await button('Open Accounts for nobody').click();
    await heading('Accounts');
  });

  it('refused credentials of a profile link to its screen and offer no sign-in', async () => {
    const body = '{"error_code":"401","message":"Credential was not accepted"}';
    shown.workspace.faults.add({ path: FUNCTIONS, effect: { kind: 'answer', status: 401, body }, times: 'always' });
    await giveServer('nightly', FUNCTIONS, 'agent');
    await go('Servers');
    await state('Signed out');
    await text(/Correct the credentials of agent in the Databricks configuration file\. If they are right, \/api/);
    await inspect('server-credentials-refused');
    await button('Open Accounts for agent').click();
    await heading('Accounts');
  });

  it('a server recovers on its own or on retry after the workspace was away', async () => {
    shown.workspace.faults.add({ path: FUNCTIONS, effect: { kind: 'answer', status: 500, body: '' }, times: 'always' });
    await giveServer('functions', FUNCTIONS);
    await go('Servers');
    await state('Not working');
    await inspect('servers-failing');
    shown.workspace.faults.clear();
    await shown.page.getByRole('button', { name: 'Try again for functions' }).click();
    await state('Running, 3 tools');
  });

  it('a server is removed after the window says what stays', async () => {
    await giveServer('functions', FUNCTIONS);
    await go('Servers');
    await shown.page.getByRole('link', { name: 'main.default', exact: true }).click();
    await more('main.default', 'Remove server');
    await text('No AI client on this computer has an entry for it.');
    await inspect('remove-server');
    await button('Remove server').click();
    await button('Add SQL').waitFor();
    expect((await openList()).read().servers).toEqual([]);
  });
});
