import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { AskApproval, CallToApprove } from '../../../main/permissions/approvals.ts';
import type { Permissions } from '../../../main/permissions/permissions.ts';
import { PermissionsFile } from '../../../main/permissions/permissions-file.ts';
import { serverKey } from '../../../main/permissions/server-key.ts';
import { permissionsOfServer } from '../../../main/permissions/server-permissions.ts';
import { type Connected, connect, newcomer, serve } from './connected.ts';
import { INITIALIZE_RESULT, json, orderly, result } from './scripted-server.ts';

const TOOLS = [
  { name: 'execute_sql', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  { name: 'execute_sql_read_only', inputSchema: { type: 'object' } },
  { name: 'drop', inputSchema: { type: 'object' }, annotations: { destructiveHint: true } },
  { name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
];

type ServerPermissionsIn = NonNullable<Permissions['servers']>[string];

interface Guarded extends Connected {
  /** Puts permissions for the server in force. */
  permission(permissions: ServerPermissionsIn, more?: Omit<Permissions, 'version' | 'servers'>): void;
  /** Puts a text instead of the permissions. */
  write(text: string | Buffer): void;
  remove(): void;
  /** Puts a file instead of the folder that the permissions are in. */
  replaceFolder(): void;
  /** The tools whose calls have reached the server. */
  called(): unknown[];
  toolNames(id: string): Promise<string[]>;
}

/** A client whose calls pass the permissions in its own file. */
async function guarded(options: { askApproval?: AskApproval; clientName?: string } = {}): Promise<Guarded> {
  const server = await serve(
    orderly({
      onCall: ({ frame }, response) =>
        json(response, result(frame?.id, frame?.method === 'tools/list' ? { tools: TOOLS } : { content: [] })),
    }).script,
  );
  const file = new PermissionsFile(await newcomer());
  const permissions = permissionsOfServer(file, serverKey(server.origin, '/api/2.0/mcp/sql'));
  const client = await connect(server, {
    permissions,
    ...(options.askApproval ? { askApproval: options.askApproval } : {}),
  });
  const clientInfo = { name: options.clientName ?? 'codex-mcp-client', version: '1' };
  await client.request('open', 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const write = (text: string | Buffer) => {
    mkdirSync(dirname(file.path), { recursive: true });
    writeFileSync(file.path, text);
  };
  const key = serverKey(server.origin, '/api/2.0/mcp/sql');
  return Object.assign(client, {
    write,
    permission: (ofServer: ServerPermissionsIn, more: Omit<Permissions, 'version' | 'servers'> = {}) =>
      write(JSON.stringify({ version: 1, ...more, servers: { [key]: ofServer } })),
    remove: () => rmSync(file.path),
    replaceFolder: () => {
      rmSync(dirname(file.path), { recursive: true });
      writeFileSync(dirname(file.path), '');
    },
    called: () =>
      server.arrivals.flatMap(({ body }) =>
        Array.from(String(body).matchAll(/"method":"tools\/call","params":\{"name":"([^"]+)"/g), ([, name]) => name),
      ),
    async toolNames(id: string) {
      const { result } = await client.request(id, 'tools/list');
      return (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
    },
  });
}

const call = (name: string, more: object = {}) => ({ name, arguments: {}, ...more });
const textOf = (answer: { result?: unknown }) => {
  const { content, isError } = answer.result as { content: { text: string }[]; isError?: boolean };
  return { text: content[0]?.text, isError };
};

describe('a tool that is off', () => {
  it('does not reach the server, and the client is informed who decided', async () => {
    const client = await guarded();
    client.permission({ off: ['drop'] });
    const answer = textOf(await client.request(1, 'tools/call', call('drop')));
    expect(answer.isError).toBe(true);
    expect(answer.text).toContain('The user has turned off "drop" on this server.');
    expect((await client.request(2, 'tools/call', call('look'))).result).toBeDefined();
    expect(client.called()).toEqual(['look']);
  });

  it('does not appear in the list of tools', async () => {
    const client = await guarded();
    client.permission({ off: ['drop'] });
    expect(await client.toolNames('list')).toEqual(['execute_sql', 'execute_sql_read_only', 'look']);
  });

  it('is not reached in a batch, whose other calls continue', async () => {
    const client = await guarded();
    client.permission({ off: ['drop'] });
    client.send([
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call('drop') },
      { jsonrpc: '2.0', method: 'tools/call', params: call('drop') },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: call('look') },
    ]);
    expect(textOf(await client.sink.answerTo(1)).isError).toBe(true);
    await expect.poll(() => client.called()).toEqual(['look']);
  });

  it('is not reached by a notification, nor by a duplicated name', async () => {
    const client = await guarded();
    client.permission({ off: ['drop'] });
    client.send({ jsonrpc: '2.0', method: 'tools/call', params: call('drop') });
    client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"drop","arguments":{},"name":"look"}}');
    client.send('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"look","Name":"drop"}}');
    client.send('{"jsonrpc":"2.0","id":3,"method":"tools/call","method":"tools/list","params":{"name":"drop"}}');
    for (const id of [1, 2, 3]) {
      expect((await client.sink.answerTo(id)).error.message).toContain(
        'This request was not sent, because permissions apply and it has',
      );
    }
    await client.request('after', 'tools/call', call('look'));
    expect(client.called()).toEqual(['look']);
  });

  it.each([
    ['in another case', '"params":{"Name":"drop"}'],
    ['in parameters of another case', '"PARAMS":{"name":"drop"}'],
    ['beside another one, in a letter whose capital is S', '"params":{"name":"look"},"param\u017f":{"name":"drop"}'],
    ['beside another one, in an escaped letter', '"params":{"name":"look","\\u004eame":"drop"}'],
  ])('is not reached by a name %s, as case-insensitive servers read it', async (_how, params) => {
    const client = await guarded();
    client.permission({ off: ['drop'] });
    client.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call",${params}}`);
    expect((await client.sink.answerTo(1)).error.message).toContain('This request was not sent');
    expect(client.server.arrivals.filter(({ frame }) => frame?.method === 'tools/call')).toEqual([]);
  });

  it('is not reached however the frame is spelled', async () => {
    const client = await guarded();
    client.permission({ off: ['drop'] });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }), fc.nat(1e9), async (escapes, id) => {
        let at = 0;
        const spelled = (text: string) =>
          `"${Array.from(text, (letter) =>
            escapes[at++ % escapes.length] ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : letter,
          ).join('')}"`;
        const params = `{${spelled('arguments')}:{}, ${spelled('name')} : ${spelled('drop')}}`;
        client.send(
          `{"jsonrpc":"2.0",${spelled('params')}:${params},"id":${id}, ${spelled('method')}:${spelled('tools/call')}}`,
        );
        expect(textOf(await client.sink.answerTo(id)).isError).toBe(true);
      }),
      { numRuns: 100 },
    );
    expect(client.server.arrivals.some(({ body }) => String(body).includes('params'))).toBe(true);
    expect(client.server.arrivals.filter(({ frame }) => frame?.method === 'tools/call')).toEqual([]);
  });

  it('is off for its client alone if the permission is the client’s', async () => {
    const clients = { codex: { name: 'Codex', wireNames: ['codex-mcp-client'] } };
    const [codex, cursor] = [await guarded(), await guarded({ clientName: 'cursor-vscode' })];
    for (const client of [codex, cursor]) client.permission({ clients: { codex: { off: ['drop'] } } }, { clients });
    expect(textOf(await codex.request(1, 'tools/call', call('drop'))).text).toContain('for Codex on this server');
    expect(textOf(await cursor.request(1, 'tools/call', call('drop'))).isError).toBeUndefined();
  });
});

describe('read only', () => {
  it('leaves the SQL server its reading tools, whatever it declares for execute_sql', async () => {
    const client = await guarded();
    client.permission({ readOnly: true });
    expect(await client.toolNames('list')).toEqual(['execute_sql_read_only', 'look']);
    expect(textOf(await client.request(1, 'tools/call', call('execute_sql'))).text).toContain(
      'allows only read-only tools',
    );
    expect(client.called()).toEqual([]);
  });

  it('refuses a tool that the server has not listed, and allows it once it has', async () => {
    const client = await guarded();
    client.permission({ readOnly: true });
    expect(textOf(await client.request(1, 'tools/call', call('look'))).text).toContain('List the tools first.');
    await client.toolNames('list');
    expect(textOf(await client.request(2, 'tools/call', call('look'))).isError).toBeUndefined();
  });
});

describe('a change of the permissions', () => {
  it('applies from the next call, and the client is notified that the tools have changed', async () => {
    const client = await guarded();
    expect(await client.toolNames('first')).toHaveLength(TOOLS.length);
    client.permission({ off: ['drop'] });
    expect(textOf(await client.request(1, 'tools/call', call('drop'))).isError).toBe(true);
    await expect
      .poll(() => client.sink.frames.map(String))
      .toContainEqual('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
    client.remove();
    expect(textOf(await client.request(2, 'tools/call', call('drop'))).isError).toBeUndefined();
  });

  it('is announced to a client even if its server declares no list changes', async () => {
    const client = await guarded();
    const opened = JSON.parse(String(client.sink.frames[0]));
    expect(opened.result.capabilities).toEqual({ tools: { listChanged: true } });
    expect(INITIALIZE_RESULT.capabilities).toEqual({ tools: {} });
  });
});

describe('permissions that cannot be read', () => {
  it.each([
    ['are not JSON', '{"version":1,'],
    ['hold what this version does not know', '{"version":1,"tomorrow":true}'],
    ['are of another version', '{"version":2}'],
    ['are in another encoding', Buffer.from(`{"version":1,"servers":{"x":{"off":["l\u00f6sche"]}}}`, 'latin1')],
  ])('refuse every tool if they %s', async (_, text) => {
    const client = await guarded();
    client.write(text);
    expect(textOf(await client.request(1, 'tools/call', call('look'))).text).toMatch(
      /^The permissions in .* cannot be read/,
    );
    expect(await client.toolNames('list')).toEqual([]);
    expect(client.called()).toEqual([]);
  });

  it('refuse every tool if a file is in place of their folder, and none if the folder is missing', async () => {
    const client = await guarded();
    expect((await client.request(1, 'tools/call', call('look'))).result).toEqual({ content: [] });
    client.write('{"version":1}');
    client.replaceFolder();
    expect(textOf(await client.request(2, 'tools/call', call('look'))).isError).toBe(true);
    expect(client.called()).toEqual(['look']);
  });
});

describe('a tool that needs approval', () => {
  const asker = () => {
    const asked: {
      call: CallToApprove;
      answer(approval: 'allowed' | 'refused' | 'late'): void;
      signal: AbortSignal;
    }[] = [];
    const askApproval = vi.fn<AskApproval>(
      (call, signal) => new Promise((answer) => asked.push({ call, answer, signal })),
    );
    return { asked, askApproval };
  };

  it('is sent to the server once the user has allowed the call, while other calls pass', async () => {
    const { asked, askApproval } = asker();
    const client = await guarded({ askApproval });
    client.permission({ ask: ['drop'] });
    client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call('drop', { arguments: { big: 1 } }) });
    await expect.poll(() => asked).toHaveLength(1);
    expect(asked[0]?.call).toMatchObject({ client: 'codex-mcp-client', tool: 'drop', arguments: '{"big":1}' });
    await client.request(2, 'tools/call', call('look'));
    expect(client.called()).toEqual(['look']);
    asked[0]?.answer('allowed');
    expect(textOf(await client.sink.answerTo(1)).isError).toBeUndefined();
    expect(client.called()).toEqual(['look', 'drop']);
  });

  it.each([
    ['refused', 'The user refused this call'],
    ['late', 'the request timed out'],
  ] as const)('is answered with a message if the answer is %s', async (approval, words) => {
    const { asked, askApproval } = asker();
    const client = await guarded({ askApproval });
    client.permission({ ask: ['drop'] });
    client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call('drop') });
    await expect.poll(() => asked).toHaveLength(1);
    asked[0]?.answer(approval);
    expect(textOf(await client.sink.answerTo(1)).text).toContain(words);
    expect(client.called()).toEqual([]);
  });

  it('is refused if no running application could ask', async () => {
    const client = await guarded();
    client.permission({ ask: ['drop'] });
    expect(textOf(await client.request(1, 'tools/call', call('drop'))).text).toContain('Causeway is not running');
  });

  it('is not called once the client has canceled it', async () => {
    const { asked, askApproval } = asker();
    const client = await guarded({ askApproval });
    client.permission({ ask: ['drop'] });
    client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call('drop') });
    await expect.poll(() => asked).toHaveLength(1);
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await expect.poll(() => asked[0]?.signal.aborted).toBe(true);
    asked[0]?.answer('allowed');
    await client.request(2, 'tools/call', call('look'));
    expect(client.called()).toEqual(['look']);
  });

  it('is not called if it was switched off while the user was asked', async () => {
    const { asked, askApproval } = asker();
    const client = await guarded({ askApproval });
    client.permission({ ask: ['drop'] });
    client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call('drop') });
    await expect.poll(() => asked).toHaveLength(1);
    client.permission({ off: ['drop'] });
    asked[0]?.answer('allowed');
    expect(textOf(await client.sink.answerTo(1)).isError).toBe(true);
    expect(client.called()).toEqual([]);
  });

  it.each([
    ['continues once a permission turns the tool on', { on: ['drop'] }, ['drop']],
    ['is refused once a permission turns the tool off', { off: ['drop'] }, []],
  ])('%s, whether or not the user answers', async (_title, after, called) => {
    const { asked, askApproval } = asker();
    const client = await guarded({ askApproval });
    client.permission({ ask: ['drop'] });
    client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call('drop') });
    await expect.poll(() => asked).toHaveLength(1);
    client.permission(after);
    await client.sink.answerTo(1);
    expect(client.called()).toEqual(called);
    expect(asked[0]?.signal.aborted).toBe(true);
  });

  it('is refused if too many calls are already waiting', async () => {
    const client = await guarded({ askApproval: async () => 'crowded' });
    client.permission({ ask: ['drop'] });
    expect(textOf(await client.request(1, 'tools/call', call('drop'))).text).toContain(
      'too many calls are already waiting',
    );
    expect(client.called()).toEqual([]);
  });

  it('withdraws its question if the client disconnects', async () => {
    const { asked, askApproval } = asker();
    const client = await guarded({ askApproval });
    client.permission({ ask: ['drop'] });
    client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call('drop') });
    await expect.poll(() => asked).toHaveLength(1);
    void client.bridge.close();
    await expect.poll(() => asked[0]?.signal.aborted).toBe(true);
    asked[0]?.answer('late');
  });
});
