import { readdir, readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { appendToAudit, auditFile } from '../../../main/audit/audit-file.ts';
import type { TokenSource } from '../../../main/auth/auth.ts';
import { openAnswerStore } from '../../../main/bridge/answer-store.ts';
import { rememberNames } from '../../../main/platform/name-memory.ts';
import { Secret } from '../../../main/platform/secret.ts';
import { clientOf, newcomer, serve } from './connected.ts';
import { orderly } from './scripted-server.ts';

/** The token that every client of these tests sends. */
const TOKEN = 'corp.5up-token-of-its-own-kind';
const tokens: TokenSource = { token: async () => new Secret(TOKEN) };

const escaped = Array.from(TOKEN, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

it.each([
  ['as it is', TOKEN],
  ['in JSON escapes', escaped],
  ['in base64', Buffer.from(TOKEN).toString('base64')],
  ['percent-encoded', TOKEN.replaceAll('-', '%2d').replace('c', '%63')],
])(
  'an answer that repeats the token %s is stored without it, and reaches the client as it came',
  async (_name, spelt) => {
    const env = await newcomer();
    const memory = openAnswerStore(env, { host: 'https://example.com', path: '/api/2.0/mcp/sql', profile: 'p' });
    const opened = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"},"instructions":"You sent ${spelt}."}`;
    const listed = `{"tools":[{"name":"run","description":"for ${spelt}","inputSchema":{"type":"object","properties":{"token":{"type":"string"}}}}]}`;
    const { script, sessions } = orderly({
      onCall: ({ frame }, response) => answer(response, frame?.id, listed),
    });
    sessions.add('session-0');
    const server = await serve((arrival, response) => {
      if (arrival.frame?.method !== 'initialize') return script(arrival, response);
      response.setHeader('mcp-session-id', 'session-0');
      answer(response, arrival.frame.id, opened);
    });
    const client = await clientOf(server.origin, { memory, tokens });
    await client.open();
    await client.request(1, 'tools/list');
    expect(client.sink.frames.map(String).join('\n')).toContain(spelt);
    await expect.poll(() => memory.get('tools/list')).toBeDefined();
    const folder = join(env.CAUSEWAY_HOME, 'state', 'answers');
    const [file = ''] = await readdir(folder);
    const kept = await readFile(join(folder, file), 'utf8');
    const { initialize, ...others } = JSON.parse(kept);
    for (const frame of [initialize, others['tools/list']]) {
      expect(JSON.stringify(JSON.parse(frame))).toContain('[redacted]');
      expect(kept).not.toContain(spelt.slice(0, 12));
      expect(JSON.stringify(JSON.parse(frame))).not.toContain(TOKEN.slice(0, 12));
    }
    expect(JSON.parse(others['tools/list']).result.tools[0].inputSchema.properties.token).toEqual({ type: 'string' });
  },
);

it('names and audited calls are kept without what looks like a token', async () => {
  const env = await newcomer();
  const known = 'dapi0123456789abcdef0123456789abcdef';
  await rememberNames(env, 'p', 'warehouses', [{ name: `of ${known}`, id: 'abc' }], true);
  expect(await readFile(join(env.CAUSEWAY_HOME, 'state', 'names.json'), 'utf8')).toContain('of [redacted]');
  const call = {
    at: '2026-01-01T00:00:00.000Z',
    client: 'one',
    profile: `p ${known}`,
    server: '/api/2.0/mcp/sql',
    method: 'tools/call',
    tool: `run_${known}`,
    outcome: 'answered',
    errorCode: null,
    refusal: null,
    durationMs: 1.5,
    event: 'call',
    clientVersion: '1',
    user: 'ana@example.com',
    osUser: 'ana',
    host: 'laptop',
    workspace: 'https://adb-7.1.azuredatabricks.net',
    workspaceId: '7',
    session: '627cc493-f310-47de-96bd-71410b7dec09/1',
    requestId: '1',
    statementId: '01f0c1d2-3e4f-1a2b-8c9d-0123456789ab',
  } as const;
  await appendToAudit(env, [{ ...call, traceparent: `00-${'0123456789abcdef'.repeat(2)}-0123456789abcdef-01` }]);
  const line = JSON.parse(await readFile(auditFile(env), 'utf8'));
  expect(JSON.stringify(line)).not.toContain('0123456789abcdef0');
  expect(line).toEqual({ ...call, profile: 'p [redacted]', tool: line.tool });
});

function answer(response: ServerResponse, id: unknown, resultText: string): void {
  response.setHeader('content-type', 'application/json');
  response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultText}}`);
}
