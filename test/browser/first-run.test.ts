import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useWindow, whyNotHere } from './shown-window.ts';

const Configuration = z.object({
  mcpServers: z.record(z.string(), z.object({ command: z.string(), args: z.array(z.string()) })),
});

describe.skipIf(whyNotHere)('the first run', () => {
  const { shown, button, inspect, allow, reopenIn } = useWindow();

  const currentStep = async (words: string) => {
    await shown.page.locator('[aria-current="step"]').filter({ hasText: words }).waitFor();
  };

  it('four steps lead from nothing to an AI client that uses the workspace', async () => {
    const home = join(shown.home, 'new');
    await mkdir(join(home, '.cursor'), { recursive: true });
    await reopenIn(home);

    await currentStep('Your workspace');
    await inspect('first-run-1');
    await shown.page.getByRole('textbox', { name: 'Workspace address' }).fill(shown.workspace.host);
    await shown.page.getByRole('textbox', { name: 'Name' }).fill('work');
    await button('Add and sign in').click();

    await currentStep('Sign in');
    await inspect('first-run-2');
    await allow();

    await currentStep('Servers');
    await inspect('first-run-3');
    await button('Choose servers').click();
    await button('Add SQL').click();
    await shown.page.getByRole('status').filter({ hasText: 'Running, 3 tools' }).waitFor();
    await shown.page.getByRole('link', { name: 'choose your AI clients' }).click();

    await currentStep('AI clients');
    await inspect('first-run-4');
    await shown.page.getByRole('switch', { name: 'databricks-sql in Cursor' }).locator('xpath=..').click();
    await button('Add').click();
    await shown.page.getByText('Restart Cursor').first().waitFor();
    await shown.page.locator('[aria-current="step"]').waitFor({ state: 'detached' });
    await inspect('first-run-done');

    const { mcpServers } = Configuration.parse(JSON.parse(await readFile(join(home, '.cursor/mcp.json'), 'utf8')));
    const entry = mcpServers['databricks-sql'];
    expect(entry?.args.slice(-5)).toEqual(['proxy', '--profile', 'work', '--path', '/api/2.0/mcp/sql']);
    const env = { HOME: home, CAUSEWAY_HOME: join(home, 'causeway'), CAUSEWAY_TOKEN_STORE: 'encrypted-file' };
    const client = new Client({ name: 'somebody-else', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command: entry?.command ?? '', args: entry?.args ?? [], env }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['execute_sql', 'execute_sql_read_only', 'poll_sql_result']);
    const answer = await client.callTool({ name: 'execute_sql_read_only', arguments: { query: 'SELECT 1' } });
    expect(answer.structuredContent).toMatchObject({ statement_id: expect.any(String) });
    expect(shown.server.model.state.proxies).toMatchObject([{ profile: 'work', path: '/api/2.0/mcp/sql' }]);
    await client.close();
  }, 240_000);
});
