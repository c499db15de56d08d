import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Agent } from 'undici';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { giveUpOnSilence, SilentHostError } from '../../../main/platform/silent-host.ts';
import { startWorkspace } from '../../workspace/workspace.ts';
import { ownHome } from '../auth/own-home.ts';
import { runCommand } from '../warehouses/harness.ts';

let server: Server;
let sockets: Socket[];
let origin: string;

/** A host that accepts connections and never says a word. */
beforeEach(async () => {
  sockets = [];
  server = createServer((socket) => sockets.push(socket.on('error', () => {}))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = originOf(server);
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

function originOf(listening: Server): string {
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

/** From here on time passes only where the test says so, until it ends. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Lets time pass, with whatever happens meanwhile, until the work is done. */
async function passTimeUntil<Result>(work: Promise<Result>): Promise<Result> {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  work.then(done, done);
  while (!isDone) {
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    vi.advanceTimersByTime(1_000);
  }
  return work;
}

describe('a host that accepts connections and stays silent', () => {
  test('is reported and then given up, and the next attempt fails at once', async () => {
    const told: string[] = [];
    const agent = new Agent();
    const watched = agent.compose(
      giveUpOnSilence({ onSilence: (host) => told.push(host), noticeMs: 50, limitMs: 100 }),
    );
    const ask = () => watched.request({ origin, path: '/', method: 'GET' });
    await expect(ask()).rejects.toThrow(SilentHostError);
    expect(told).toEqual([origin]);
    await expect(ask()).rejects.toThrow(/^http:\/\/127\.0\.0\.1:\d+ did not answer/);
    expect(told).toEqual([origin]);
    await agent.destroy();
  });

  test('does not hide that an answer is cut off after its head', async () => {
    const broken = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this'));
    }).listen(0, '127.0.0.1');
    await once(broken, 'listening');
    const agent = new Agent();
    const watched = agent.compose(giveUpOnSilence({ onSilence: () => {} }));
    const { body } = await watched.request({ origin: originOf(broken), path: '/', method: 'GET' });
    await expect(body.text()).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
    await agent.destroy();
    broken.close();
  });

  test('is waited for if it has answered before', async () => {
    let answerLate = () => {};
    const late = new Promise<void>((resolve) => {
      answerLate = resolve;
    });
    let requests = 0;
    const slow = createHttpServer(async (_request, response) => {
      requests += 1;
      if (requests === 2) await late;
      response.end(requests === 1 ? 'first' : 'late');
    }).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const told: string[] = [];
    const agent = new Agent();
    const watched = agent.compose(giveUpOnSilence({ onSilence: (host) => told.push(host), noticeMs: 20, limitMs: 60 }));
    const ask = async () => (await watched.request({ origin: originOf(slow), path: '/', method: 'GET' })).body.text();
    // On a busy computer, the first answer alone can take longer than the notice.
    stopClock();
    expect(await ask()).toBe('first');
    expect(told).toEqual([]);
    const second = ask();
    vi.advanceTimersByTime(1000);
    expect(told).toEqual([originOf(slow)]);
    answerLate();
    expect(await second).toBe('late');
    vi.useRealTimers();
    await agent.destroy();
    slow.close();
  });

  test.each([
    ['whoami', { DATABRICKS_TOKEN: 'x' }],
    ['whoami', { DATABRICKS_CLIENT_ID: 'id', DATABRICKS_CLIENT_SECRET: 'secret' }],
  ])('ends %s with 5 and the likely causes, after a notice to the user (%o)', async (command, credentials) => {
    const home = await ownHome('');
    onTestFinished(() => home.remove());
    stopClock();
    const connected = once(server, 'connection');
    const run = runCommand({ ...home.env, DATABRICKS_HOST: origin, ...credentials }, [command]);
    await connected;
    const { code, stdout, stderr } = await passTimeUntil(run);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    const [notice, failure] = stderr.split('\n');
    expect(notice).toBe(`causeway: ${origin} has not responded for 5 seconds. Still waiting…`);
    expect(failure).toMatch(/did not answer within 15 seconds\. Likely causes: a wrong address, .*DNS.*VPN/);
  });

  test('does not keep causeway profiles from showing the profile that works', async () => {
    const workspace = await startWorkspace();
    onTestFinished(() => workspace.close());
    const works = `[works]\nhost = ${workspace.host}\ntoken = ${workspace.users[0]?.token}\n`;
    const home = await ownHome(`${works}[silent]\nhost = ${origin}\ntoken = x\n`);
    onTestFinished(() => home.remove());
    stopClock();
    const connected = once(server, 'connection');
    const run = runCommand(home.env, ['profiles']);
    await connected;
    // The other one is not to be silent as well.
    await vi.waitFor(() => expect(workspace.requests.list().map(({ status }) => status)).toEqual([200]), 15_000);
    const { code, stdout, stderr } = await passTimeUntil(run);
    expect(code).toBe(0);
    const [, ...rows] = stdout.trimEnd().split('\n');
    expect(rows.map((row) => row.trim().split(/ {2,}/))).toEqual([
      ['works', workspace.host, 'personal access token', 'ready', 'ana@example.com'],
      ['silent', origin, 'personal access token', 'unreachable', '-'],
    ]);
    expect(stderr).toContain(`silent: ${origin} did not answer within 15 seconds. Likely causes: `);
    expect(stderr).not.toContain('works:');
  });
});
