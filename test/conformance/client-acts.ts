import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';

/** What a scenario asks of its client, once that is connected. */
type Act = (client: Client) => Promise<void>;

const Context = z.object({
  toolCalls: z.array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) })),
});

async function list(client: Client): Promise<void> {
  await client.listTools();
}

/** Calls a tool; what the server makes of it is the scenario's affair. */
async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<void> {
  await client.callTool({ name, arguments: args }).catch((error: unknown) => console.error(name, error));
}

function listThenCall(name: string, args: Record<string, unknown> = {}): Act {
  return async (client) => {
    await list(client);
    await call(client, name, args);
  };
}

/** By scenario. The suite has others, for authorization and for extensions: see known-misses.ts. */
export const ACTS: Record<string, Act> = {
  initialize: list,
  tools_call: listThenCall('add_numbers', { a: 5, b: 3 }),
  'elicitation-sep1034-client-defaults': listThenCall('test_client_elicitation_defaults'),
  'sse-retry': listThenCall('test_reconnection'),
  'request-metadata': list,
  'json-schema-ref-no-deref': list,
  'sep-2322-client-request-state': async (client) => {
    await list(client);
    await Promise.all([call(client, 'test_mrtr_echo_state'), call(client, 'test_mrtr_unrelated')]);
    await call(client, 'test_mrtr_no_state');
    await call(client, 'test_mrtr_no_result_type');
  },
  'http-standard-headers': async (client) => {
    const { tools } = await client.listTools();
    for (const { name } of tools) await call(client, name);
    const { resources } = await client.listResources();
    for (const { uri } of resources) await client.readResource({ uri });
    const { prompts } = await client.listPrompts();
    for (const { name } of prompts) await client.getPrompt({ name });
  },
  'http-custom-headers': async (client) => {
    const { toolCalls } = Context.parse(JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? ''));
    await list(client);
    for (const { name, arguments: args } of toolCalls) await call(client, name, args);
  },
  'http-invalid-tool-headers': async (client) => {
    const { tools } = await client.listTools();
    for (const { name } of tools) await call(client, name, { region: 'eu', value: 'x' });
  },
  'json-schema-2020-12-preservation': async (client) => {
    const { tools } = await client.listTools();
    const schema = tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema;
    await call(client, 'json_schema_echo', { schema });
  },
};
