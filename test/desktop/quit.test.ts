import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAuth } from '../../main/auth/open.ts';
import { hubFolder, readRendezvous } from '../../main/hub/rendezvous.ts';
import { scriptedBrowser } from '../integration/auth/scripted-browser.ts';
import { ownerOf } from '../integration/auth/stage.ts';
import { ProxyProcess } from '../integration/proxy/proxy-process.ts';
import { type RunningApplication, startApplication, whyNotHere } from './application.ts';

const reason = whyNotHere(process.env);
const SQL = '/api/2.0/mcp/sql';
const QUERY = { name: 'execute_sql_read_only', arguments: { query: 'SELECT 41 + 1 AS answer' } };

/** What happens to a call that is under way when the user quits. */
describe.skipIf(reason)('quitting with a call in flight', { timeout: 120_000 }, () => {
  let application: RunningApplication;
  let proxy: ProxyProcess;
  /** What happened, in its order. */
  let order: string[];

  beforeEach(async () => {
    application = await startApplication();
    order = [];
    const page = await application.window();
    await page.getByRole('button', { name: 'Change warehouse' }).waitFor();
    proxy = new ProxyProcess(['--path', SQL], application.env);
    const clientInfo = { name: 'somebody', version: '1' };
    await proxy.request('open', 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    proxy.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const attached = () => page.evaluate(() => window.causeway.request.getState());
    await expect.poll(attached).toMatchObject({ ok: true, value: { proxies: [{ path: SQL }] } });
  }, 60_000);
  afterEach(async () => {
    await proxy?.close();
    await application?.close();
  });

  /** Sends the call, whose answer comes so much later, and quits while it is under way. */
  async function quitDuringCall(milliseconds: number) {
    const { electron, workspace } = application;
    workspace.faults.add({ path: SQL, method: 'POST', effect: { kind: 'delay', milliseconds } });
    const before = workspace.requests.count({ path: SQL, method: 'POST' });
    const answer = proxy.request(1, 'tools/call', QUERY);
    void answer.then(() => order.push('answer'));
    await expect.poll(() => workspace.requests.count({ path: SQL, method: 'POST' })).toBe(before + 1);
    const ended = once(electron.process(), 'exit').then(([code]) => {
      order.push('end');
      return code;
    });
    await electron.evaluate(({ app }) => app.quit()).catch(() => undefined);
    return { answer: await answer, code: await ended };
  }

  it('delivers the answer, then ends', async () => {
    const { answer, code } = await quitDuringCall(3_000);
    expect(answer).toHaveProperty('result.structuredContent.statement_id');
    expect(order).toEqual(['answer', 'end']);
    expect(code).toBe(0);
  });

  it('restarts the application after it has ended, if the user asks for that meanwhile', async () => {
    const note = join(application.home, 'started-again');
    const program = join(application.home, 'in-its-place');
    const script = `#!/bin/sh\nprintf '%s\\n' "$@" >> "${note}.part" && cp "${note}.part" "${note}"\n`;
    await writeFile(program, script, { mode: 0o755 });
    await application.electron.evaluate(({ app }, execPath) => {
      const { relaunch } = app;
      app.relaunch = (options) => relaunch.call(app, { ...options, execPath });
    }, program);
    const quitting = quitDuringCall(5_000);
    const { env } = application;
    await expect.poll(() => readRendezvous(hubFolder(env))).toBeUndefined();
    expect(await application.startAgain()).toBe(0);
    expect(await readFile(note, 'utf8').catch(() => 'not yet')).toBe('not yet');
    const { answer, code } = await quitting;
    expect(answer).toHaveProperty('result');
    expect(code).toBe(0);
    await expect.poll(() => readFile(note, 'utf8').catch(() => ''), { timeout: 10_000 }).not.toBe('');
  });

  it('says that the outcome of a call that takes too long is unknown, and the client continues', async () => {
    const { answer, code } = await quitDuringCall(90_000);
    expect(answer.error).toMatchObject({
      message:
        'Causeway was closed before it received the response to tools/call. It may have run. Check the result before you repeat it.',
    });
    expect(code).toBe(0);
    expect(await proxy.request(2, 'tools/list')).toHaveProperty('result');
  });
});

describe.skipIf(reason)('a signal to the application while it renews a sign-in', { timeout: 120_000 }, () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('waits for the answer, which is stored: %s', async (signal) => {
    const { electron, workspace, env, close } = await startApplication();
    workspace.approve({ as: 'ana@example.com' });
    const open = (ago = 0) => openAuth({ env, openBrowser: scriptedBrowser().open, now: () => Date.now() - ago });
    const past = open(2 * 60 * 60_000);
    await past.signIn(await past.profile('oauth'));
    await past.close();
    await expect.poll(() => readRendezvous(hubFolder(env))).toBeDefined();
    const effect = { kind: 'stall', milliseconds: 2_000, afterBytes: 0 } as const;
    workspace.faults.add({ path: '/oidc/v1/token', effect });
    const renewals = () => workspace.requests.count({ path: '/oidc/v1/token', grantType: 'refresh_token' });
    const proxy = new ProxyProcess(['--profile', 'oauth', '--path', SQL], env);
    proxy.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {} },
    });
    await expect.poll(renewals).toBe(1);
    const ended = once(electron.process(), 'exit');
    electron.process().kill(signal);
    await ended;
    const auth = open();
    expect(await ownerOf({ workspace }, await auth.tokens(await auth.profile('oauth')).token())).toBe(
      'ana@example.com',
    );
    expect(renewals()).toBe(1);
    await auth.signOut(await auth.profile('oauth'));
    await auth.close();
    await proxy.close();
    await close();
  });
});
