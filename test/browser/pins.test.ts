import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useWindow, whyNotHere } from './shown-window.ts';

describe.skipIf(whyNotHere)('pinned warehouses in the window', { timeout: 180_000 }, () => {
  const { shown, button, inspect, go, giveServer } = useWindow();

  const page = () => shown.page;
  const client = (name: string) => page().getByRole('listitem', { name, exact: true });
  const dialog = (name: string) => page().getByRole('dialog', { name });
  const closed = () => page().getByRole('dialog').waitFor({ state: 'detached' });
  const argsInCursor = async (): Promise<string[]> => {
    const { mcpServers } = JSON.parse(await readFile(join(shown.home, '.cursor/mcp.json'), 'utf8'));
    return mcpServers['databricks-sql'].args;
  };
  const twoWarehouses = () => {
    const [first, second] = shown.workspace.state.warehouses.filter(({ state }) => state === 'RUNNING');
    if (!first || !second) throw new Error('Two warehouses have to run.');
    return { first, second };
  };
  const choose = async (name: string, verb: string) => {
    await page()
      .getByRole('radio', { name: new RegExp(`^${name}`) })
      .check();
    await button(verb).click();
  };

  async function cursorHasSql(): Promise<void> {
    await giveServer('databricks-sql', '/api/2.0/mcp/sql');
    await giveServer('genie-7191', '/api/2.0/mcp/genie/7191');
    await mkdir(join(shown.home, '.cursor'));
    await go('AI clients');
    await page().getByRole('switch', { name: 'databricks-sql in Cursor' }).locator('xpath=..').click();
    await button('Add').click();
    await closed();
    await button('Details of Cursor').click();
    await client('Cursor').getByText('databricks-sql runs on your warehouse').waitFor();
  }

  it('a warehouse is pinned for one client, shown as a diff, in the chain, and removed again', async () => {
    const { first } = twoWarehouses();
    await cursorHasSql();
    await inspect('pins-none');
    const pin = page().getByRole('button', { name: 'Pin warehouse for databricks-sql in Cursor…' });
    await pin.click();
    await dialog('Warehouse for databricks-sql in Cursor').getByRole('radio').first().waitFor();
    await inspect('pins-choice');
    await choose(first.name, 'Pin warehouse');
    await dialog('Warehouse for databricks-sql in Cursor').getByText(`"warehouse_id=${first.id}"`).waitFor();
    await inspect('pins-difference');
    expect(await argsInCursor()).not.toContain('--meta');
    await button('Update').click();
    await closed();
    await client('Cursor').getByText(`databricks-sql runs on ${first.name} · pinned for Cursor`).waitFor();
    expect((await argsInCursor()).slice(-2)).toEqual(['--meta', `warehouse_id=${first.id}`]);
    await inspect('pins-client');

    await go('Warehouse');
    const [row] = await page()
      .getByRole('region', { name: 'Why this warehouse' })
      .getByRole('listitem')
      .allTextContents();
    expect(row).toContain(`Pinned${first.name}`);
    expect(row).toContain('For databricks-sql in Cursor. ');
    expect(row).toContain('Databricks does not document it');
    await inspect('pins-chain');
    await button('From a cold start…').click();
    await page().getByRole('combobox', { name: 'Query' }).selectOption(first.id);
    await inspect('pins-verify');
    await button('Stop and verify').click();
    await page().getByText(`The query started ${first.name} and nothing else.`).waitFor();
    await page().getByText('The query named its warehouse in _meta.').waitFor();

    await go('AI clients');
    await button('Details of Cursor').click();
    await pin.click();
    await button('Use workspace warehouse').click();
    await button('Update').click();
    await closed();
    await client('Cursor').getByText('databricks-sql runs on your warehouse').waitFor();
    expect(await argsInCursor()).not.toContain('--meta');
    await go('Warehouse');
    await page()
      .getByRole('region', { name: 'Why this warehouse' })
      .getByText('Pinned', { exact: true })
      .waitFor({ state: 'detached' });
  });

  it("a server's pin applies in every client once its entry is updated, and a client's own takes precedence", async () => {
    const { first, second } = twoWarehouses();
    await cursorHasSql();
    await go('Servers');
    await page().getByRole('link', { name: 'genie-7191' }).click();
    await page().getByRole('heading', { name: 'genie-7191' }).waitFor();
    expect(await button('Pin warehouse…').count()).toBe(0);
    await page().getByRole('link', { name: 'All servers' }).click();
    await page().getByRole('link', { name: 'databricks-sql' }).click();
    await button('Pin warehouse…').click();
    await choose(first.name, 'Pin warehouse');
    await page().getByText(`Calls run on ${first.name}, pinned for every client.`).waitFor();
    await inspect('pins-server');
    await button('Show AI clients').click();
    await button('Details of Cursor').click();
    await client('Cursor').getByText(`databricks-sql runs on ${first.name} · pinned for every client`).waitFor();
    await button('Update…').click();
    await button('Update').click();
    await closed();
    await expect.poll(argsInCursor).toContain(`warehouse_id=${first.id}`);

    await page().getByRole('button', { name: 'Pin warehouse for databricks-sql in Cursor…' }).click();
    await choose(second.name, 'Pin warehouse');
    await button('Update').click();
    await closed();
    await expect.poll(argsInCursor).toContain(`warehouse_id=${second.id}`);
    await go('Warehouse');
    await page().getByText('For databricks-sql in every client.').waitFor();
    await page().getByText('For databricks-sql in Cursor.').waitFor();
    await inspect('pins-chain-two');
  });

  it('a pin to a warehouse that is deleted is marked in the chain, and its check fails', async () => {
    const { first } = twoWarehouses();
    await cursorHasSql();
    await page().getByRole('button', { name: 'Pin warehouse for databricks-sql in Cursor…' }).click();
    await choose(first.name, 'Pin warehouse');
    await button('Update').click();
    await closed();
    shown.workspace.state.warehouses.splice(shown.workspace.state.warehouses.indexOf(first), 1);
    await go('Warehouse');
    await button('Refresh').click();
    const row = page().getByRole('region', { name: 'Why this warehouse' }).getByRole('listitem').first();
    await row.getByText('Pinned', { exact: true }).waitFor();
    await row.getByText(`You cannot see a warehouse with the ID ${first.id}. These calls will fail.`).waitFor();
    await row.getByText('Calls fail').waitFor();
    await inspect('pins-deleted');
    await button('From a cold start…').click();
    await page().getByRole('combobox', { name: 'Query' }).selectOption(first.id);
    await button('Stop and verify').click();
    await page().getByText(`SQL warehouse ${first.id} does not exist.`).waitFor();
    await inspect('pins-failed');
  });
});
