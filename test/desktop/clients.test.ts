import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environmentIn, type RunningApplication, startApplication, whyNotHere } from './application.ts';

const reason = whyNotHere(process.env);

describe.skipIf(reason)('the AI clients in the application', () => {
  let application: RunningApplication;

  beforeAll(async () => {
    application = await startApplication();
  });

  afterAll(() => application?.close());

  it('leads from a switch to an entry through which a client reaches the workspace', async () => {
    const { home } = application;
    const servers = [{ name: 'databricks-sql', profile: 'ana', kind: 'sql', path: '/api/2.0/mcp/sql' }];
    await mkdir(join(home, '.config', 'causeway'), { recursive: true });
    await writeFile(join(home, '.config', 'causeway', 'servers.json'), JSON.stringify({ servers }));
    await mkdir(join(home, '.cursor'), { recursive: true });
    const page = await application.window();
    await page.getByRole('link', { name: 'AI clients' }).click();
    await page.getByRole('switch', { name: 'databricks-sql in Cursor' }).locator('xpath=..').click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Restart Cursor').waitFor();

    const { mcpServers } = JSON.parse(await readFile(join(home, '.cursor', 'mcp.json'), 'utf8'));
    const { command, args } = mcpServers['databricks-sql'];
    const client = new Client({ name: 'cursor', version: '1' });
    await client.connect(new StdioClientTransport({ command, args, env: environmentIn(home) }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('execute_sql');
    await client.close();
  });
});
