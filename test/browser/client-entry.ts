import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect } from 'vitest';
import { z } from 'zod';

const Configuration = z.object({
  mcpServers: z.record(z.string(), z.object({ command: z.string(), args: z.array(z.string()) })),
});

/** A real MCP client, connected through an entry that Causeway has written into Cursor's file in this home. */
export async function connectThroughEntry(home: string, name: string): Promise<Client> {
  const { mcpServers } = Configuration.parse(JSON.parse(await readFile(join(home, '.cursor/mcp.json'), 'utf8')));
  const entry = mcpServers[name];
  const env = { HOME: home, CAUSEWAY_HOME: join(home, 'causeway'), CAUSEWAY_TOKEN_STORE: 'encrypted-file' };
  const client = new Client({ name: 'cursor-vscode', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: entry?.command ?? '', args: entry?.args ?? [], env }));
  return client;
}

/** Runs a query and waits for its first row. */
export async function readsRow(client: Client): Promise<void> {
  const asked = await client.callTool({ name: 'execute_sql_read_only', arguments: { query: 'SELECT 1' } });
  const { statement_id } = z.object({ statement_id: z.string() }).parse(asked.structuredContent);
  const poll = async () =>
    (await client.callTool({ name: 'poll_sql_result', arguments: { statement_id } })).structuredContent;
  await expect.poll(poll).toMatchObject({ result: { data_array: [{ values: [expect.anything()] }] } });
}
