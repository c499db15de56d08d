import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createCauseway } from '../../../main/app/causeway.ts';
import { askApplication } from '../../../main/cli/status.ts';
import { freshNonce, HUB_PROTOCOL, proofOf } from '../../../main/hub/wire.ts';
import { startWorkspace } from '../../workspace/workspace.ts';
import { ownHome } from '../auth/own-home.ts';
import { CAUSEWAY, ProxyProcess } from '../proxy/proxy-process.ts';
import { runCommand } from '../warehouses/harness.ts';

const CALLS = { inFlight: z.number(), done: z.number(), failed: z.number() };
const SESSION = z.looseObject({ client: z.string().nullable(), calls: z.object(CALLS) });
const APPLICATION = { application: z.looseObject({ sessions: z.array(SESSION).nullable() }) };

test('causeway status shows servers, clients and warehouse at once, and what could not be determined', async () => {
  const workspace = await startWorkspace();
  const config = `[ana]\nhost = ${workspace.host}\ntoken = ${workspace.users[0]?.token}\n\n[gone]\nhost = ${workspace.host}\ntoken = x\n`;
  const home = await ownHome(config);
  try {
    await runCommand(home.env, ['servers', 'add', '--path', '/api/2.0/mcp/sql', '--profile', 'ana', '--name', 'good']);
    await runCommand(home.env, ['servers', 'add', '--path', '/api/2.0/mcp/sql', '--profile', 'gone', '--name', 'bad']);
    const { code, stdout } = await runCommand(home.env, ['status', '--profile', 'ana', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      application: { running: false, pid: null },
      servers: [
        { name: 'good', state: 'ready' },
        { name: 'bad', state: 'signed-out', remedy: expect.any(String) },
      ],
      clients: [],
      warehouse: { profile: 'ana', warehouse: { id: expect.any(String) } },
    });
    const shown = await runCommand(home.env, ['status', '--profile', 'gone']);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/not running.*Servers\n {2}good \(ana\): .*\n {2}bad \(gone\): .*Warehouse\n {2}/s);
    expect(shown.stdout).toContain('refuses the personal access token');
  } finally {
    await workspace.close();
    await home.remove();
  }
});

test('causeway status --watch shows sessions of AI clients as they start, work and end, and exits cleanly on Ctrl+C', async () => {
  const workspace = await startWorkspace();
  const home = await ownHome(`[ana]\nhost = ${workspace.host}\ntoken = ${workspace.users[0]?.token}\n`);
  const causeway = createCauseway({ env: home.env });
  const hub = await causeway.serveProxies();
  const env = { ...home.env, PATH: process.env.PATH };
  const watching = spawn(process.execPath, [CAUSEWAY, 'status', '--watch', '--json'], { env });
  const ended = once(watching, 'close');
  const lines = createInterface({ input: watching.stdout })[Symbol.asyncIterator]();
  const sessions = async () =>
    z.object(APPLICATION).parse(JSON.parse(String((await lines.next()).value))).application.sessions;
  const client = new ProxyProcess(['--profile', 'ana', '--path', '/api/2.0/mcp/sql'], env);
  try {
    await runCommand(home.env, [
      'servers',
      'add',
      '--path',
      '/api/2.0/mcp/sql',
      '--profile',
      'ana',
      '--name',
      'queries',
    ]);
    let seen = await sessions();
    const info = { clientInfo: { name: 'claude-ai', version: '1' }, capabilities: {} };
    await client.request(1, 'initialize', { protocolVersion: '2025-06-18', ...info });
    client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await client.request(2, 'tools/call', { name: 'no_such_tool', arguments: {} });
    while (seen?.[0]?.calls.failed !== 1) seen = await sessions();
    expect(seen).toMatchObject([
      { client: 'Claude Desktop', profile: 'ana', pid: client.child.pid, calls: { inFlight: 0, done: 2, failed: 1 } },
    ]);
    const { stdout } = await runCommand(home.env, ['status']);
    expect(stdout).toMatch(
      /running \(process \d+\)\nSessions\n {2}CLIENT .*\n {2}Claude Desktop {2}queries \(ana\) .* 2 {5}1\n/,
    );
    await client.finish();
    while (seen?.length !== 0) seen = await sessions();
    watching.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  } finally {
    watching.kill('SIGKILL');
    await client.close();
    await hub.close();
    await causeway.close();
    await workspace.close();
    await home.remove();
  }
});

test('causeway status distinguishes an application that was killed from one that does not answer', async () => {
  const home = await ownHome('');
  const folder = join(home.folder, 'causeway', 'hub');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const address = join(folder, 'hub.sock');
  const silent = createServer().listen(address);
  await once(silent, 'listening');
  await chmod(address, 0o600);
  const gone = spawn(process.execPath, ['-e', '']);
  await once(gone, 'close');
  const application = async (pid: number | undefined) => {
    const content = { hub: HUB_PROTOCOL, address, key: 'secret', pid };
    await writeFile(join(folder, 'hub.json'), JSON.stringify(content), { mode: 0o600 });
    return askApplication(home.env);
  };
  expect(await application(gone.pid)).toMatchObject({ running: false, problem: null });
  const answer = { running: false, problem: `Process ${process.pid} does not respond on its socket.` };
  expect(await application(process.pid)).toMatchObject(answer);
  await chmod(folder, 0o777);
  expect(await application(process.pid)).toMatchObject({
    running: false,
    problem: expect.stringContaining('other users'),
  });
  silent.close();
  await home.remove();
});

test('causeway status asks an application that closed the connection once more before it says that it reported no sessions', async () => {
  const home = await ownHome('');
  const folder = join(home.folder, 'causeway', 'hub');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const address = join(folder, 'hub.sock');
  let questions = 0;
  let refusals = 1;
  const busy = createServer((socket) => {
    const lines = createInterface({ input: socket });
    socket.on('error', () => {});
    lines.once('line', (hello) => {
      const transcript = { address, proxyNonce: JSON.parse(hello).nonce, hubNonce: freshNonce() };
      const proof = proofOf('hub', 'secret', transcript);
      socket.write(`${JSON.stringify({ hub: HUB_PROTOCOL, nonce: transcript.hubNonce, proof })}\n`);
      lines.once('line', () => {
        questions += 1;
        if (questions <= refusals) socket.destroy();
        else socket.end(`${JSON.stringify({ hub: HUB_PROTOCOL, version: '9.9.9', sessions: [] })}\n`);
      });
    });
  }).listen(address);
  await once(busy, 'listening');
  await chmod(address, 0o600);
  const content = { hub: HUB_PROTOCOL, address, key: 'secret', pid: process.pid };
  await writeFile(join(folder, 'hub.json'), JSON.stringify(content), { mode: 0o600 });
  try {
    expect(await askApplication(home.env)).toMatchObject({ running: true, version: '9.9.9', sessions: [] });
    refusals = Number.POSITIVE_INFINITY;
    expect(await askApplication(home.env)).toMatchObject({ running: true, sessions: null, problem: null });
    const { stdout } = await runCommand(home.env, ['status']);
    expect(stdout).toContain(`running (process ${process.pid}); it did not report its sessions`);
  } finally {
    busy.close();
    await home.remove();
  }
});
