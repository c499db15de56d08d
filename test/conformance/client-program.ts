/**
 * The client that the suite starts with the URL of a scenario's server: the official one, which does what the scenario asks
 * of it, either straight over HTTP or over stdio through `causeway proxy`.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ACTS } from './client-acts.ts';
import { startForwarder } from './forwarder.ts';
import { proxyTo } from './proxied.ts';

const {
  MCP_CONFORMANCE_SCENARIO = '',
  CONFORMANCE_REVISION,
  CONFORMANCE_WAY,
  CONFORMANCE_SERVERS,
  CONFORMANCE_SLOW_MS,
} = process.env;
const act = ACTS[MCP_CONFORMANCE_SCENARIO];
const url = new URL(process.argv.at(-1) ?? '');

const client = new Client(
  { name: 'conformance-client', version: '1.0.0' },
  {
    capabilities: { elicitation: { form: { applyDefaults: true } }, sampling: {}, roots: {} },
    versionNegotiation: { mode: CONFORMANCE_REVISION === 'stateless' ? { pin: '2026-07-28' } : 'legacy' },
  },
);
client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }));
client.setRequestHandler('roots/list', () => ({ roots: [] }));

if (!act) process.exitCode = 1;
else if (CONFORMANCE_WAY === 'direct') {
  await client.connect(new StreamableHTTPClientTransport(url));
  await act(client);
  await client.close();
} else {
  // Managed servers stand under /api/.
  const forwarder = await startForwarder(url, CONFORMANCE_SERVERS === 'sessions', Number(CONFORMANCE_SLOW_MS));
  const { args, env, remove } = await proxyTo(forwarder.origin, '/api/2.0/mcp/scenario');
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  await act(client);
  await client.close();
  forwarder.close();
  await remove();
}
