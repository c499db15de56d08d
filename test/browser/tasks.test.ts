import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectThroughEntry, readsRow } from './client-entry.ts';
import { useKeyboard } from './keyboard.ts';
import { whyNotHere } from './shown-window.ts';

const SHARED = '8baced1ff014912d';
const ANA = '9007199254740993001';
const CHLOE = '8241';
const GONE = '0000000000000bad';
const QUERY = 'SELECT 40 + 2 AS answer';

/** What people open the window for, each begun on the screen that it opens with, with clicks counted and without a mouse. */
describe.skipIf(whyNotHere)('everyday tasks', () => {
  const {
    shown,
    button,
    go,
    more,
    reason,
    allow,
    overrideOf,
    giveServer,
    openList,
    countClicks,
    reopenIn,
    press,
    type,
    role,
    dialog,
    reach,
  } = useKeyboard();

  /** Waits for the field to have the focus: what is typed before goes to the page. */
  const openPalette = async () => {
    await press('Control+K');
    const field = role('dialog', { name: 'Command palette' }).getByRole('combobox');
    await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
  };
  const titles = async () => (await openList()).read().servers.map(({ title }) => title);

  /** A list with one line after which queries would fail. */
  async function giveImport(): Promise<void> {
    shown.workspace.state.overrides.set(CHLOE, { userId: CHLOE, type: 'CUSTOM', warehouseId: GONE });
    shown.workspace.state.overrides.set(ANA, { userId: ANA, type: 'CUSTOM', warehouseId: SHARED });
    const file = join(shown.home, 'wanted.csv');
    await writeFile(file, 'user,type,warehouse\nchloe@example.com,,Finance BI\nana@example.com,NONE,\n');
    shown.server.fileAnswers.push(file);
  }
  async function isImported(): Promise<void> {
    await shown.page.getByText('1 override changed · 1 left out').waitFor();
    expect(overrideOf('chloe@example.com')).toMatchObject({ warehouseId: GONE });
    expect(overrideOf('ana@example.com')).toBeUndefined();
  }
  const isCopied = () => expect.poll(() => shown.server.copied.at(-1)).toBe('answer\n42\n');

  it('a fresh home gets to a client’s first row without a mouse', { timeout: 120_000 }, async () => {
    const home = join(shown.home, 'new');
    await mkdir(join(home, '.cursor'), { recursive: true });
    await reopenIn(home, true);
    const title = (name: string) => role('heading', { level: 1, name, exact: true }).waitFor();
    await title('Connect your Databricks workspace');
    await reach(role('textbox', { name: 'Workspace URL' }));
    await type(shown.workspace.host);
    await press('Enter');
    await button('Copy link').waitFor();
    await allow();
    await title('Choose servers');
    await reach(button('Add 1 server'));
    await press('Enter');
    await title('Connect your AI clients');
    await reach(button('Add to 1 client'));
    await press('Enter');
    await title('You’re all set');
    const client = await connectThroughEntry(home, 'databricks-sql');
    await readsRow(client);
    await client.close();
    await reach(button('Open Causeway'));
    await press('Enter');
    await role('navigation', { name: 'Screens' }).waitFor();
  });

  it('the warehouse is switched in three clicks in the window, and in two in the palette', async () => {
    await reason('Workspace default');
    const clicks = await countClicks();
    await button('Change warehouse').click();
    await role('radio', { name: /^Shared analytics/ }).check();
    await button('Use this warehouse').click();
    await reason('Your override');
    expect(await clicks()).toBe(3);

    await button('Search and commands').click();
    await type('switch data sci');
    await role('option', { name: /Switch to Data science/ }).click();
    await role('heading', { name: 'Your queries run on Data science' }).waitFor();
    expect(await clicks()).toBe(5);
  });

  it('the warehouse is switched without a mouse', async () => {
    await reason('Workspace default');
    await openPalette();
    await type('switch shared');
    await role('option', { name: /Switch to Shared analytics/ }).waitFor();
    await press('Enter');
    await role('heading', { name: 'Your queries run on Shared analytics' }).waitFor();

    await reach(button('Change warehouse'));
    await press('Enter');
    await role('radio', { name: /^Data science/ }).waitFor();
    await reach(role('textbox', { name: 'Search warehouses' }));
    await type('data sci');
    await press('ArrowDown', 'Enter');
    await role('heading', { name: 'Your queries run on Data science' }).waitFor();
  });

  it('a Genie space is added in four clicks, under its title', async () => {
    await giveServer('sql', '/api/2.0/mcp/sql');
    const clicks = await countClicks();
    await go('Servers');
    await button('Add server').click();
    await role('textbox', { name: 'Search the workspace' }).fill('taxi');
    await role('radio', { name: /^New York taxi trips/ }).check();
    await dialog().getByRole('button', { name: 'Add server', exact: true }).click();
    await role('heading', { level: 1, name: 'New York taxi trips' }).waitFor();
    expect(await clicks()).toBe(4);
    expect(await titles()).toContain('New York taxi trips');
  });

  it('a Genie space is added without a mouse', async () => {
    await openPalette();
    await type('add server');
    await role('option', { name: /Add server/ }).waitFor();
    await press('Enter');
    const adding = role('dialog', { name: 'Add server', exact: true });
    await adding.waitFor();
    await reach(role('textbox', { name: 'Search the workspace' }));
    await type('taxi');
    await role('radio', { name: /^New York taxi trips/ }).waitFor();
    await press('ArrowDown');
    await expect.poll(() => role('radio', { name: /^New York taxi trips/ }).isChecked()).toBe(true);
    await reach(adding.getByRole('button', { name: 'Add server', exact: true }));
    await press('Enter');
    await role('heading', { level: 1, name: 'New York taxi trips' }).waitFor();
  });

  it('the reason why a server fails is one click, or one shortcut, away', async () => {
    await giveServer('gone', '/api/2.0/mcp/genie/01ef00000000000000000000000bad00');
    const clicks = await countClicks();
    await go('Servers');
    await shown.page.getByText(/not found\. Check the path of the server\./).waitFor();
    expect(await clicks()).toBe(1);

    await go('Warehouse');
    await press('Control+2');
    await shown.page.getByText(/not found\. Check the path of the server\./).waitFor();
  });

  it('a list of overrides is imported in four clicks, and the line that would fail is left out', async () => {
    await giveImport();
    const clicks = await countClicks();
    await go('Overrides');
    await more('Import');
    await shown.page.getByText('1 change would make queries fail.').waitFor();
    await button('Apply 1 change').click();
    await isImported();
    expect(await clicks()).toBe(4);
  });

  it('a list of overrides is imported without a mouse', async () => {
    await giveImport();
    await reach(role('link', { name: 'Overrides', exact: true }));
    await press('Enter');
    await reach(button('More actions'));
    await press('Enter');
    await role('menuitem', { name: 'Import' }).waitFor();
    await type('import');
    await press('Enter');
    await reach(button('Apply 1 change'));
    await press('Enter');
    await isImported();
  });

  it('SQL is tried and its result copied in five clicks', async () => {
    await giveServer('sql', '/api/2.0/mcp/sql');
    const clicks = await countClicks();
    await go('Servers');
    await role('link', { name: 'sql', exact: true }).click();
    await button('Try execute_sql_read_only').click();
    await role('textbox', { name: 'query' }).fill(QUERY);
    await button('Run').click();
    await button('Copy as CSV').click();
    await isCopied();
    expect(await clicks()).toBe(5);
  });

  it('SQL is tried and its result copied without a mouse', async () => {
    await giveServer('sql', '/api/2.0/mcp/sql');
    await openPalette();
    await type('sql');
    await role('option', { name: /sql/i }).first().waitFor();
    await press('Enter');
    await reach(button('Try execute_sql_read_only'));
    await press('Enter');
    await reach(role('textbox', { name: 'query' }));
    await type(QUERY);
    await press('Control+Enter');
    await reach(button('Copy as CSV'));
    await press('Enter');
    await isCopied();
  });
});
