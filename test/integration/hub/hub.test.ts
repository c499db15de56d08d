import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { connect, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Causeway, createCauseway } from '../../../main/app/causeway.ts';
import { readRendezvous } from '../../../main/hub/rendezvous.ts';
import type { Hub } from '../../../main/hub/server.ts';
import type { HubSession } from '../../../main/hub/session-record.ts';
import { json, orderly, result, type ScriptedServer, startScriptedServer } from '../bridge/scripted-server.ts';

const COMMAND = fileURLToPath(new URL('../../../out/cli/causeway.js', import.meta.url));

let home: string;
let server: ScriptedServer;
let session: ReturnType<typeof orderly>;
let env: NodeJS.ProcessEnv;
const ends: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'causeway-hub-'));
  session = orderly();
  server = await startScriptedServer(session.script);
  await writeFile(join(home, '.databrickscfg'), `[DEFAULT]\nhost = ${server.origin}\ntoken = dapi-test\n`, {
    mode: 0o600,
  });
  env = { HOME: home, USERPROFILE: home, CAUSEWAY_HOME: join(home, 'causeway'), PATH: process.env.PATH };
});

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await server.close();
  await rm(home, { recursive: true, force: true });
});

const hubFolder = () => join(home, 'causeway', 'hub');

interface App {
  hub: Hub;
  causeway: Causeway;
  changes: HubSession[][];
  close(): Promise<void>;
}

async function startApp(): Promise<App> {
  const causeway = createCauseway({ env });
  const changes: HubSession[][] = [];
  const hub = await causeway.serveProxies({ onSessions: (sessions) => changes.push(sessions) });
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    await hub.close();
    await causeway.close();
  };
  ends.push(close);
  return { hub, causeway, changes, close };
}

/** A proxy process and the client that spawned it. */
class Spawned {
  readonly child: ChildProcess;
  stderr = '';
  readonly #answers = new Map<unknown, (frame: { result?: unknown; error?: { message: string } }) => void>();

  constructor() {
    this.child = spawn(process.execPath, [COMMAND, 'proxy', '--path', '/api/2.0/mcp/sql'], { env });
    this.child.stderr?.on('data', (chunk) => {
      this.stderr += chunk;
    });
    if (this.child.stdout) {
      createInterface({ input: this.child.stdout }).on('line', (line) => {
        const frame = JSON.parse(line);
        this.#answers.get(frame.id)?.(frame);
      });
    }
    ends.push(() => this.end());
  }

  request(
    id: unknown,
    method: string,
    params: unknown = {},
  ): Promise<{ result?: unknown; error?: { message: string } }> {
    return new Promise((resolve) => {
      this.#answers.set(id, resolve);
      this.write({ jsonrpc: '2.0', id, method, params });
    });
  }

  write(frame: unknown): void {
    this.child.stdin?.write(`${JSON.stringify(frame)}\n`);
  }

  async open(): Promise<void> {
    await this.request('init', 'initialize', { protocolVersion: '2025-06-18', capabilities: {} });
    this.write({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  async end(): Promise<number | null> {
    this.child.stdin?.end();
    if (this.child.exitCode === null) await once(this.child, 'exit');
    return this.child.exitCode;
  }
}

describe('a proxy while the application runs', () => {
  it('is served by it, is known to it, and ends with exit code 0', async () => {
    const app = await startApp();
    const proxy = new Spawned();
    await proxy.open();
    expect(await proxy.request(1, 'tools/call', { text: 'hello' })).toMatchObject({
      result: { content: [{ text: 'hello' }] },
    });
    expect(app.hub.sessions()).toMatchObject([{ pid: proxy.child.pid, path: '/api/2.0/mcp/sql' }]);
    expect(await proxy.end()).toBe(0);
    expect(proxy.stderr).toBe('');
    await expect.poll(() => app.hub.sessions()).toEqual([]);
    expect(server.arrivals.some(({ method }) => method === 'DELETE')).toBe(true);
  });

  it('delivers outstanding answers when the client closes its end', async () => {
    await startApp();
    const proxy = new Spawned();
    await proxy.open();
    session.expireAll();
    const answers = [1, 2, 3].map((id) => proxy.request(id, 'tools/call', { text: `${id}` }));
    expect(await proxy.end()).toBe(0);
    expect((await Promise.all(answers)).map((answer) => answer.error)).toEqual([undefined, undefined, undefined]);
  });

  it('reports what the application cannot serve itself', async () => {
    await startApp();
    await writeFile(
      join(home, '.databrickscfg'),
      '[other]\nhost = https://example.com\ntoken = x\n[more]\nhost = https://example.org\ntoken = x\n',
    );
    const proxy = new Spawned();
    expect(await proxy.end()).toBe(2);
    expect(proxy.stderr).toMatch(/^causeway proxy: .*profile.*\n$/i);
  });
});

describe('the application quits mid-session', () => {
  it('the proxy continues alone, the client sees no error, and open idempotent requests are sent again', async () => {
    const app = await startApp();
    const proxy = new Spawned();
    await proxy.open();
    await proxy.request(1, 'tools/call');
    await app.close();
    expect(await proxy.request(2, 'tools/list')).toHaveProperty('result');
    expect(await proxy.request(3, 'tools/call', { text: 'alone' })).toMatchObject({
      result: { content: [{ text: 'alone' }] },
    });
    expect(server.count('initialize')).toBe(2);
    expect(await proxy.end()).toBe(0);
  });

  it('ends its sessions at the server before it is gone', async () => {
    const app = await startApp();
    const proxies = [new Spawned(), new Spawned()];
    for (const proxy of proxies) await proxy.open();
    await app.close();
    const ended = server.arrivals.filter(({ method }) => method === 'DELETE');
    expect(ended.map(({ headers }) => headers['mcp-session-id']).toSorted()).toEqual(['session-1', 'session-2']);
  });

  it('a call of unknown outcome is answered with an error that says so, and is not sent again', async () => {
    session = orderly({
      onCall: ({ frame }, response) => {
        if (frame?.method === 'tools/call') return;
        json(response, result(frame?.id, 'listed'));
      },
    });
    server.script = session.script;
    const app = await startApp();
    const proxy = new Spawned();
    await proxy.open();
    const stuck = proxy.request(1, 'tools/call');
    await expect.poll(() => server.count('tools/call')).toBe(1);
    await app.close();
    expect((await stuck).error?.message).toBe(
      'Causeway was closed before it received the response to tools/call. It may have run. Check the result before you repeat it.',
    );
    expect(await proxy.request(2, 'tools/list')).toMatchObject({ result: 'listed' });
    expect(server.count('tools/call')).toBe(1);
  });

  it('the application waits for a call in flight, and for what its client asks meanwhile; then it quits', async () => {
    const held: (() => void)[] = [];
    session = orderly({
      onCall: ({ frame }, response) => {
        const answer = () => json(response, result(frame?.id, frame?.method ?? ''));
        if (frame?.method === 'tools/call') held.push(answer);
        else answer();
      },
    });
    server.script = session.script;
    const app = await startApp();
    const proxy = new Spawned();
    await proxy.open();
    const call = proxy.request(1, 'tools/call');
    await expect.poll(() => held.length).toBe(1);
    let isOver = false;
    const finished = app.hub.finish(60_000).then(() => {
      isOver = true;
    });
    await expect.poll(() => readRendezvous(hubFolder())).toBeUndefined();
    expect(await proxy.request(2, 'tools/list')).toMatchObject({ result: 'tools/list' });
    expect(isOver).toBe(false);
    held[0]?.();
    expect(await call).toMatchObject({ result: 'tools/call' });
    await finished;
    await app.close();
    expect(await proxy.request(3, 'tools/list')).toMatchObject({ result: 'tools/list' });
    expect(server.count('tools/call')).toBe(1);
  });

  it('a call that takes longer is answered with an error that says so', async () => {
    session = orderly({
      onCall: ({ frame }, response) => {
        if (frame?.method !== 'tools/call') json(response, result(frame?.id, 'listed'));
      },
    });
    server.script = session.script;
    const app = await startApp();
    const proxy = new Spawned();
    await proxy.open();
    const stuck = proxy.request(1, 'tools/call');
    await expect.poll(() => server.count('tools/call')).toBe(1);
    await app.hub.finish(50);
    expect((await stuck).error?.message).toContain('It may have run');
  });

  it('a list in flight is not waited for: the proxy requests it again on its own', async () => {
    let lists = 0;
    session = orderly({
      onCall: ({ frame }, response) => {
        if (frame?.method === 'tools/list' && ++lists === 1) return;
        json(response, result(frame?.id, 'listed'));
      },
    });
    server.script = session.script;
    const app = await startApp();
    const proxy = new Spawned();
    await proxy.open();
    const list = proxy.request(1, 'tools/list');
    await expect.poll(() => lists).toBe(1);
    await app.hub.finish(3_600_000);
    await app.close();
    expect(await list).toMatchObject({ result: 'listed' });
  });

  it('the proxy attaches again when the application restarts at once', async () => {
    const first = await startApp();
    const proxy = new Spawned();
    await proxy.open();
    await first.close();
    const second = await startApp();
    expect(await proxy.request(1, 'tools/list')).toHaveProperty('result');
    await expect.poll(() => second.hub.sessions().length).toBe(1);
  });
});

describe('access to the hub', () => {
  it('is refused without the secret, or after a second of silence', async () => {
    const app = await startApp();
    const { address } = readRendezvous(hubFolder()) ?? { address: '' };
    const hello = { hub: 2, secret: 'wrong', version: '0', pid: 1, request: { path: '/api/2.0/mcp/sql' } };
    for (const line of [`${JSON.stringify(hello)}\n`, 'GET / HTTP/1.1\n', 'x'.repeat(20_000), '']) {
      const socket = connect(address);
      let heard = '';
      socket.on('data', (chunk) => {
        heard += chunk;
      });
      socket.on('error', () => {});
      socket.write(line);
      await once(socket, 'close');
      expect(heard).toBe('');
    }
    expect(app.changes).toEqual([]);
  });

  it('is granted to the next proxy after one was refused because of too many open files', async () => {
    const listening = vi.spyOn(Server.prototype, 'listen');
    const told = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const app = await startApp();
    const [server] = listening.mock.contexts.filter((context) => context instanceof Server);
    server?.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }));
    expect(told.mock.calls).toEqual([['A proxy could not connect:', expect.stringContaining('EMFILE')]]);
    listening.mockRestore();
    told.mockRestore();
    const proxy = new Spawned();
    await proxy.open();
    expect(app.hub.sessions()).toHaveLength(1);
  });

  it('needs a file that only this user can read, and a file that others could write is not trusted', async () => {
    await startApp();
    const file = join(hubFolder(), 'hub.json');
    const { address } = JSON.parse(await readFile(file, 'utf8'));
    expect((await stat(hubFolder())).mode & 0o777).toBe(0o700);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(address)).mode & 0o777).toBe(0o600);
    await chmod(file, 0o666);
    expect(readRendezvous(hubFolder())).toBeUndefined();
  });

  it('needs a new address and secret after each start', async () => {
    const places = [];
    for (let start = 0; start < 2; start += 1) {
      const app = await startApp();
      places.push(readRendezvous(hubFolder()));
      await app.close();
    }
    const [first, second] = places;
    expect(first?.secret).toMatch(/^[\w-]{43}$/);
    expect(second?.secret).not.toBe(first?.secret);
    expect(second?.address).not.toBe(first?.address);
  });

  it('a folder that leads elsewhere is not used, and this is reported', async () => {
    await mkdir(join(home, 'elsewhere'));
    await mkdir(join(home, 'causeway'));
    await symlink(join(home, 'elsewhere'), hubFolder());
    await expect(startApp()).rejects.toMatchObject({
      code: 'hub_foreign',
      message: expect.stringContaining(hubFolder()),
    });
  });

  it.skipIf(process.getuid?.() !== 0)(
    'the folder of another user is not used, and its file is not trusted',
    async () => {
      await startApp();
      const file = join(hubFolder(), 'hub.json');
      await chown(file, 12_345, 12_345);
      expect(readRendezvous(hubFolder())).toBeUndefined();
      await chown(hubFolder(), 12_345, 12_345);
      await expect(startApp()).rejects.toMatchObject({ code: 'hub_foreign' });
    },
  );

  it('a second hub is refused while the first is alive, and replaces one that was killed', async () => {
    const first = await startApp();
    await expect(startApp()).rejects.toMatchObject({ code: 'hub_running' });
    const { address } = readRendezvous(hubFolder()) ?? { address: '' };
    await first.close();
    expect(existsSync(address)).toBe(false);
    await mkdir(hubFolder(), { recursive: true });
    const left = JSON.stringify({ hub: 2, address, key: 'old', pid: 1 });
    await writeFile(join(hubFolder(), 'hub.json'), left, { mode: 0o600 });
    const second = await startApp();
    const proxy = new Spawned();
    await proxy.open();
    expect(second.hub.sessions()).toHaveLength(1);
  });
});
