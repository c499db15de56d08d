import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useWindow, whyNotHere } from './shown-window.ts';

const SQL = { name: 'databricks-sql', profile: 'ana', kind: 'sql', path: '/api/2.0/mcp/sql' };
const GENIE = { name: 'genie-7191', profile: 'ana', kind: 'genie', path: '/api/2.0/mcp/genie/7191' };
const CURSOR = '.cursor/mcp.json';
const THEIRS = '{\n  // mine\n  "mcpServers": {\n    "files": { "command": "npx" }\n  }\n}\n';

describe.skipIf(whyNotHere)('one entry for all servers in the window', { timeout: 180_000 }, () => {
  const { shown, button, inspect, go } = useWindow();
  const file = async (path: string, text: string) => {
    await mkdir(dirname(join(shown.home, path)), { recursive: true });
    await writeFile(join(shown.home, path), text);
  };
  const read = () => readFile(join(shown.home, CURSOR), 'utf8');
  const client = () => shown.page.getByRole('listitem', { name: 'Cursor', exact: true });
  const dialog = (name: string) => shown.page.getByRole('dialog', { name });
  const closed = () => shown.page.getByRole('dialog').waitFor({ state: 'detached' });

  it('is shown as a diff, written, and removed again', async () => {
    await file('causeway/config/servers.json', JSON.stringify({ servers: [SQL, GENIE] }));
    await file(CURSOR, THEIRS);
    await go('AI clients');
    await button('Details of Cursor').click();
    await client().getByRole('button', { name: 'Use one entry…' }).click();
    await dialog('Use one entry in Cursor').getByText('"--all"').waitFor();
    await inspect('clients-all-in-one-difference');
    expect(await read()).toBe(THEIRS);
    await button('Add').click();
    await closed();
    await client().getByText('One shared entry').waitFor();
    const one = client().getByRole('switch', { name: 'databricks-sql in Cursor' });
    expect([await one.isChecked(), await one.isDisabled()]).toEqual([true, true]);
    await inspect('clients-all-in-one');
    expect(await read()).toContain('"causeway": {');
    expect(await read()).not.toContain('databricks-sql');
    await client().getByRole('button', { name: 'Remove…' }).click();
    await dialog('Remove causeway from Cursor').waitFor();
    await button('Remove').click();
    await closed();
    await client().getByText('Not connected').waitFor();
    expect([await one.isChecked(), await one.isDisabled()]).toEqual([false, false]);
    expect(await read()).toBe(THEIRS);
  });

  it('has a warehouse for each of its SQL servers, which is written into it and removed again', async () => {
    const first = shown.workspace.state.warehouses.find(({ state }) => state === 'RUNNING');
    if (!first) throw new Error('A warehouse has to run.');
    await file('causeway/config/servers.json', JSON.stringify({ servers: [SQL, GENIE] }));
    await file(CURSOR, THEIRS);
    await go('AI clients');
    await button('Details of Cursor').click();
    expect(await client().getByText('runs on').count()).toBe(0);
    await client().getByRole('button', { name: 'Use one entry…' }).click();
    await button('Add').click();
    await closed();
    await client().getByText('databricks-sql runs on your warehouse').waitFor();
    expect(await client().getByText('genie-7191 runs on').count()).toBe(0);
    const unpinned = await read();
    const pin = client().getByRole('button', { name: 'Pin warehouse for databricks-sql in Cursor…' });
    await pin.click();
    await shown.page.getByRole('radio', { name: new RegExp(`^${first.name}`) }).check();
    await button('Pin warehouse').click();
    const pinned = `databricks-sql/warehouse_id=${first.id}`;
    await dialog('Warehouse for databricks-sql in Cursor').getByText(pinned).waitFor();
    await inspect('clients-all-in-one-pin-difference');
    expect(await read()).toBe(unpinned);
    await button('Update').click();
    await closed();
    await client().getByText(`databricks-sql runs on ${first.name} · pinned for Cursor`).waitFor();
    await client().getByText('One shared entry').waitFor();
    await inspect('clients-all-in-one-pin');
    expect(await read()).toContain(pinned);
    expect(await read()).toContain('"--all"');
    await pin.click();
    await button('Use workspace warehouse').click();
    await button('Update').click();
    await closed();
    await client().getByText('databricks-sql runs on your warehouse').waitFor();
    expect(await read()).toBe(unpinned);
  });
});
