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

  it('is shown as a difference, written, and removed again', async () => {
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
    await client().getByText('One entry for all').waitFor();
    await inspect('clients-all-in-one');
    expect(await read()).toContain('"causeway": {');
    expect(await read()).not.toContain('databricks-sql');
    await client().getByRole('button', { name: 'Remove…' }).click();
    await dialog('Remove causeway from Cursor').waitFor();
    await button('Remove').click();
    await closed();
    await client().getByText('Not connected').waitFor();
    expect(await read()).toBe(THEIRS);
  });
});
