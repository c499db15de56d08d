import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import type { Bridge } from '../../../main/bridge/layers.ts';
import { readRendezvous } from '../../../main/hub/rendezvous.ts';
import { startHub } from '../../../main/hub/server.ts';
import { isProcessAlive } from '../../../main/platform/process-alive.ts';
import { startProgram } from '../../bench/program.ts';
import { orderly, startScriptedServer } from '../bridge/scripted-server.ts';
import { environment, homeWith, ProxyProcess } from '../proxy/proxy-process.ts';
import { enter } from './handshake.ts';

const PATH = '/api/2.0/mcp/sql';
const HOSTILE = [
  '['.repeat(2_400),
  `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
  `[${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}]`,
  `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
  '{"jsonrpc":"2.0","id":{"__proto__":1},"method":"__proto__","params":{"__proto__":null}}',
  '[null,1,"x",[],{}]',
  '\u0000',
];

/** A server and a home of one test, for the tests run at the same time: most of them wait. */
async function setScene({ onTestFinished }: Pick<TestContext, 'onTestFinished'>) {
  const server = await startScriptedServer(orderly().script);
  onTestFinished(() => server.close());
  const { home, close } = await homeWith({ acme: { host: server.origin, token: 'dapi-acme' } });
  onTestFinished(close);
  const env = environment(home, { CAUSEWAY_HOME: home });
  const startProxy = () => {
    const proxy = new ProxyProcess(['--profile', 'acme', '--path', PATH], env);
    onTestFinished(() => proxy.close());
    return proxy;
  };
  const startApplication = async () => {
    const program = await startProgram('hub-program.ts', [home]);
    onTestFinished(() => program.end());
    return program;
  };
  return { server, home, startProxy, startApplication };
}

/** Each hostile line is answered or dropped, and a call behind it works. */
async function staysUsable(proxy: ProxyProcess): Promise<void> {
  await proxy.open();
  for (const [at, line] of HOSTILE.entries()) {
    proxy.write(`${line}\n`);
    const answer = await proxy.request(`after ${at}`, 'tools/call', { text: `${at}` });
    expect(answer).toMatchObject({ result: { content: [{ text: `${at}` }] } });
  }
  expect(await proxy.finish()).toBe(0);
}

describe.concurrent('a client that sends lines designed to break a parser', () => {
  it('does not end a standalone proxy', async (context) => {
    const { startProxy } = await setScene(context);
    await staysUsable(startProxy());
  });

  it('does not end the application, and other clients do not notice', async (context) => {
    const { server, startProxy, startApplication } = await setScene(context);
    const application = await startApplication();
    const other = startProxy();
    await other.open();
    await staysUsable(startProxy());
    expect(await other.request(1, 'tools/call', { text: 'other' })).toMatchObject({
      result: { content: [{ text: 'other' }] },
    });
    expect(isProcessAlive(application.pid)).toBe(true);
    expect(server.count('initialize')).toBeLessThanOrEqual(3);
  });
});

describe('a bridge in the hub that fails', () => {
  const idle: Bridge = {
    receive: () => {},
    fault: () => {},
    pendingBytes: 0,
    onSettled: () => {},
    finish: async () => {},
    close: async () => {},
  };

  it.each<[string, Partial<Bridge>]>([
    ['that throws when it receives a frame', { receive: () => explode() }],
    [
      'that throws when it receives a frame and when it is closed',
      { receive: () => explode(), close: async () => explode() },
    ],
  ])(
    '%s refuses those frames with an error, and at the tenth it ends only the session of that client',
    async (_, faulty) => {
      const folder = await mkdtemp(join(tmpdir(), 'causeway-boundary-'));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      const hub = await startHub({
        folder,
        serve: async ({ path }, sink) => {
          if (path === '/faulty') return { ...idle, ...faulty };
          return { ...idle, receive: (frame) => sink.write(frame) };
        },
      });
      onTestFinished(() => hub.close());
      const rendezvous = readRendezvous(folder) ?? { address: '', secret: '' };
      const healthy = await enter(rendezvous, { path: '/healthy' });
      const broken = await enter(rendezvous, { path: '/faulty' });
      broken.send({ jsonrpc: '2.0', id: 5, method: 'tools/call' });
      expect(await broken.heard()).toMatchObject({
        id: 5,
        error: { message: expect.stringContaining('hit an internal error'), data: { reason: 'internal' } },
      });
      for (let id = 6; id < 15; id += 1) {
        broken.send({ jsonrpc: '2.0', id, method: 'tools/call' });
        expect(await broken.heard()).toMatchObject({ id });
      }
      expect(await broken.heard()).toBeUndefined();
      healthy.send({ jsonrpc: '2.0', id: 6, method: 'ping' });
      expect(await healthy.heard()).toMatchObject({ id: 6 });
      await expect.poll(() => hub.sessions().map(({ path }) => path)).toEqual(['/healthy']);
      healthy.socket.destroy();
    },
  );

  it('that throws later, in a callback, is found by the last-resort handler, which ends only that session', () => {
    const program = fileURLToPath(new URL('faulty-bridge-program.ts', import.meta.url));
    const { stdout, status } = spawnSync(process.execPath, [program], { encoding: 'utf8', timeout: 30_000 });
    expect(stdout.trim().split('\n')).toEqual(['ended timer', 'ended promise', 'healthy answered', 'outside false']);
    expect(status).toBe(0);
  });
});

function explode(): never {
  throw new RangeError('Maximum call stack size exceeded');
}

describe.concurrent('an application that stops responding', { timeout: 90_000 }, () => {
  it('does not delay a new client: the session begins, and works alone', async (context) => {
    const { startProxy, startApplication } = await setScene(context);
    const application = await startApplication();
    process.kill(application.pid, 'SIGSTOP');
    const proxy = startProxy();
    expect(await proxy.open()).toHaveProperty('result');
    expect(await proxy.request(1, 'tools/call', { text: 'alone' })).toMatchObject({
      result: { content: [{ text: 'alone' }] },
    });
    process.kill(application.pid, 'SIGCONT');
  });

  it('is abandoned by a session that waits for an answer, and its client learns what is unknown', async (context) => {
    const { startProxy, startApplication } = await setScene(context);
    const application = await startApplication();
    const proxy = startProxy();
    await proxy.open();
    await proxy.request(0, 'tools/call', { text: 'before' });
    process.kill(application.pid, 'SIGSTOP');
    const call = proxy.request(1, 'tools/call', { text: 'lost' });
    expect((await call).error.message).toMatch(/^Causeway stopped responding.+It may have run/);
    expect(await proxy.request(2, 'tools/call', { text: 'alone' })).toMatchObject({
      result: { content: [{ text: 'alone' }] },
    });
    process.kill(application.pid, 'SIGCONT');
  });
});

describe.concurrent('a standalone proxy', () => {
  it('moves to an application that is started long after it, and its client does not notice', async (context) => {
    const { server, startProxy, startApplication } = await setScene(context);
    const proxy = startProxy();
    await proxy.open();
    await proxy.request(1, 'tools/call', { text: 'alone' });
    await sleep(3_000);
    const frames = proxy.frames.length;
    await startApplication();
    await context.expect.poll(() => server.count('initialize'), { timeout: 20_000 }).toBe(2);
    expect(await proxy.request(2, 'tools/call', { text: 'through' })).toMatchObject({
      result: { content: [{ text: 'through' }] },
    });
    expect(proxy.frames).toHaveLength(frames + 1);
    expect(proxy.stderr).toBe('');
  });
});

describe.skipIf(process.platform === 'win32')(
  "a program that listens in the application's place, without its secret",
  () => {
    it('gets no request from the proxy, and the proxy works alone with a line on stderr', async (context) => {
      const { home, startProxy } = await setScene(context);
      await mkdir(join(home, 'hub'), { mode: 0o700 });
      const address = join(home, 'hub', 'x.sock');
      const heard: string[] = [];
      const impostor = createServer((socket) => {
        socket.on('data', (chunk) => heard.push(String(chunk)));
        socket.write(`{"hub":2,"nonce":"${'A'.repeat(43)}","proof":"${'A'.repeat(43)}"}\n{"hub":2,"ready":true}\n`);
      }).listen(address);
      context.onTestFinished(() => void impostor.close());
      await new Promise((resolve) => impostor.once('listening', resolve));
      await chmod(address, 0o600);
      const published = JSON.stringify({ hub: 2, address, key: 'secret-of-ours', pid: process.pid });
      await writeFile(join(home, 'hub', 'hub.json'), published, { mode: 0o600 });
      const proxy = startProxy();
      await proxy.open();
      expect(await proxy.request(1, 'tools/call', { text: 'alone' })).toMatchObject({ result: {} });
      expect(heard.join('')).toMatch(/^\{"hub":2,"nonce":"[\w-]{43}"\}\n$/);
      expect(proxy.stderr).toContain(`the program that listens at ${address} is not Causeway`);
    });
  },
);
