import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { json, orderly, result, type ScriptedServer, startScriptedServer } from '../bridge/scripted-server.ts';
import { CAUSEWAY, environment, homeWith, ProxyProcess } from './proxy-process.ts';

const ARGS = ['--path', '/api/2.0/mcp/sql'];

let server: ScriptedServer;
let home: Awaited<ReturnType<typeof homeWith>>;
const running: ProxyProcess[] = [];

beforeAll(async () => {
  server = await startScriptedServer(orderly().script);
  home = await homeWith({ acme: { host: server.origin, token: 'dapi-acme' } });
});
afterEach(async () => {
  server.script = orderly().script;
  server.arrivals.length = 0;
  for (const proxy of running.splice(0)) await proxy.close();
});
afterAll(() => Promise.all([server.close(), home.close()]));

function start(): ProxyProcess {
  const proxy = new ProxyProcess(ARGS, environment(home.home));
  running.push(proxy);
  return proxy;
}

const deletions = () => server.arrivals.filter(({ method }) => method === 'DELETE');

/** Answers calls when the test releases them; tells when so many are waiting. */
function holdCalls() {
  const held: (() => void)[] = [];
  let arrived = () => {};
  server.script = orderly({
    onCall: ({ frame }, response) => {
      held.push(() => json(response, result(frame?.id, 'late')));
      arrived();
    },
  }).script;
  return {
    until: async (count: number) => {
      while (held.length < count) await new Promise<void>((resolve) => (arrived = resolve));
    },
    release: () => held.splice(0).forEach((answer) => void answer()),
  };
}

describe('the end of stdin', () => {
  it('delivers the outstanding answers first, then deletes the session and ends with 0', async () => {
    const calls = holdCalls();
    const proxy = start();
    await proxy.open();
    for (const id of [1, 2, 3]) proxy.send({ jsonrpc: '2.0', id, method: 'tools/call' });
    proxy.stdin.end();
    await calls.until(3);
    expect(deletions()).toEqual([]);
    calls.release();
    expect(await proxy.ended).toBe(0);
    expect(proxy.frames.map((frame) => JSON.parse(String(frame)).id).sort()).toEqual([1, 2, 3, 'open']);
    expect(deletions()).toHaveLength(1);
    expect(deletions()[0]?.headers).toMatchObject({
      'mcp-session-id': 'session-1',
      'mcp-protocol-version': '2025-06-18',
      authorization: 'Bearer dapi-acme',
    });
    expect(proxy.stderr).toBe('');
  });

  it('right after the whole conversation still gets every answer', async () => {
    const proxy = start();
    const frames = [
      { jsonrpc: '2.0', id: 0, method: 'initialize', params: {} },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    ];
    proxy.stdin.end(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''));
    expect(await proxy.ended).toBe(0);
    expect(proxy.frames.map((frame) => JSON.parse(String(frame)).id)).toEqual([0, 1]);
    expect(deletions()).toHaveLength(1);
  });

  it('before anything was sent ends it at once, and the server gets no request', async () => {
    const proxy = start();
    expect(await proxy.finish()).toBe(0);
    expect(server.arrivals).toEqual([]);
    expect(proxy.stderr).toBe('');
  });

  it.each([405, 404, 500])('is handled if the server answers DELETE with %i', async (status) => {
    const { script } = orderly();
    server.script = (arrival, response) =>
      arrival.method === 'DELETE' ? void response.writeHead(status).end() : script(arrival, response);
    const proxy = start();
    await proxy.open();
    expect(await proxy.finish()).toBe(0);
    expect(proxy.stderr).toBe('');
  });

  it.each<[name: string, fate: (response: ServerResponse) => void]>([
    ['never answers DELETE', () => {}],
    ['breaks the connection on DELETE', (response) => response.destroy()],
  ])('is handled if the server %s', async (_name, fate) => {
    const { script } = orderly();
    server.script = (arrival, response) => (arrival.method === 'DELETE' ? fate(response) : script(arrival, response));
    const proxy = start();
    await proxy.open();
    expect(await proxy.finish()).toBe(0);
    expect(proxy.stderr).toBe('');
  });
});

describe.skipIf(process.platform === 'win32')('a signal', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends it with 0 and deletes the session', async (signal) => {
    const calls = holdCalls();
    const proxy = start();
    await proxy.open();
    proxy.send({ jsonrpc: '2.0', id: 1, method: 'tools/call' });
    await calls.until(1);
    proxy.child.kill(signal);
    expect(await proxy.ended).toBe(0);
    expect(deletions()).toHaveLength(1);
    expect(proxy.frames).toHaveLength(1);
    expect(proxy.stderr).toBe('');
  });

  it('ends it once, even if it comes three times', async () => {
    const proxy = start();
    await proxy.open();
    for (let times = 0; times < 3; times += 1) proxy.child.kill('SIGINT');
    expect(await proxy.ended).toBe(0);
    expect(deletions()).toHaveLength(1);
    expect(proxy.stderr).toBe('');
  });
});

describe.skipIf(process.platform !== 'linux')('stdout that cannot be written', () => {
  const FRAMES = [
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}',
    '{"jsonrpc":"2.0","id":2,"method":"ping"}',
  ];

  /** The command with its stdout led there by a shell; stdin ends after two frames, or stays open. */
  async function started(redirection: string, args: string[], endsStdin: boolean) {
    const child = spawn(
      '/bin/sh',
      ['-c', `exec "$@" ${redirection}`, 'sh', process.execPath, CAUSEWAY, 'proxy', ...args],
      {
        env: environment(home.home),
        stdio: ['pipe', 'ignore', 'pipe'],
      },
    );
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.stdin.on('error', () => {});
    child.stdin.write(`${FRAMES.join('\n')}\n`);
    if (endsStdin) child.stdin.end();
    const [code] = await once(child, 'close');
    return { code, lines: stderr.trimEnd().split('\n') };
  }

  it.each([
    ['is a full disk', '>/dev/full', ARGS, false, 'ENOSPC'],
    ['is a full disk, when stdin has ended', '>/dev/full', ARGS, true, 'ENOSPC'],
    ['is closed', '>&-', ARGS, false, 'it is closed'],
    ['leads nowhere', '>/dev/null', ARGS, true, 'it is closed'],
    ['is a full disk, with all servers', '>/dev/full', ['--all'], false, 'ENOSPC'],
  ])('ends the proxy with exit code 1 and one line where it %s', async (_name, to, args, endsStdin, reason) => {
    const { code, lines } = await started(to, args, endsStdin);
    expect(code).toBe(1);
    expect(lines).toEqual([expect.stringContaining('stdout cannot be written')]);
    expect(lines[0]).toContain(reason);
  });
});

describe('a client that disconnects', () => {
  it('ends the proxy with exit code 0 and no message by closing stdout and then stdin', async () => {
    const calls = holdCalls();
    const proxy = start();
    await proxy.open();
    proxy.send({ jsonrpc: '2.0', id: 1, method: 'tools/call' });
    await calls.until(1);
    proxy.stdout.destroy();
    calls.release();
    proxy.stdin.end();
    expect(await proxy.ended).toBe(0);
    expect(proxy.stderr).toBe('');
    expect(deletions()).toHaveLength(1);
  });

  it('ends the proxy with exit code 1 and one line by closing stdout alone, for nobody reads its answers', async () => {
    const proxy = start();
    await proxy.open();
    proxy.stdout.destroy();
    const timer = setInterval(() => proxy.send({ jsonrpc: '2.0', id: 1, method: 'tools/call' }), 10);
    expect(await proxy.ended).toBe(1);
    clearInterval(timer);
    expect(proxy.stderr).toMatch(/^causeway proxy: .*because stdout cannot be written\. .*(EPIPE|ECONNRESET)\n$/);
    expect(deletions()).toHaveLength(1);
  });

  it.skipIf(process.platform === 'win32')(
    'ends the proxy by kill -9, even though the proxy’s stdin is still open',
    async () => {
      // The parent hands its own stdin and stdout on, so that only its disappearance can tell the proxy.
      const parent = spawn(
        process.execPath,
        [
          '-e',
          "require('node:child_process').spawn(process.execPath, process.argv.slice(1), { stdio: 'inherit' })",
          CAUSEWAY,
          'proxy',
          ...ARGS,
        ],
        { env: environment(home.home), stdio: ['pipe', 'pipe', 'pipe'] },
      );
      let stderr = '';
      parent.stderr.on('data', (chunk: Buffer) => {
        stderr += chunk.toString();
      });
      parent.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n');
      await once(parent.stdout, 'data');
      parent.kill('SIGKILL');
      parent.stdout.resume();
      // Open until the last process that holds it is gone.
      await once(parent.stdout, 'end');
      expect(deletions()).toHaveLength(1);
      expect(stderr).toBe('');
    },
  );

  it.skipIf(process.platform === 'win32')('has its open call canceled, and not waited for, by kill -9', async () => {
    const held = holdCalls();
    const relay =
      "const { stdin, stdout } = require('node:child_process').spawn(process.execPath, process.argv.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] }); process.stdin.pipe(stdin); stdout.pipe(process.stdout)";
    const parent = spawn(process.execPath, ['-e', relay, CAUSEWAY, 'proxy', ...ARGS], {
      env: environment(home.home),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const ended = once(parent.stderr.resume(), 'end');
    parent.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n');
    parent.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    parent.stdin.write('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{}}\n');
    await held.until(1);
    parent.kill('SIGKILL');
    await expect.poll(deletions).toHaveLength(1);
    expect(server.count('notifications/cancelled')).toBe(1);
    await ended;
  });
});
