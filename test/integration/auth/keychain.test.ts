import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findCredentials } from 'keytar/keytar.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openAuth } from '../../../main/auth/open.ts';
import { openKeychain } from '../../../main/auth/secrets/keychain.ts';
import { Secret } from '../../../main/platform/secret.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { initializeThroughProxy, installBrowser, runCauseway, startCauseway } from './causeway-process.ts';
import { type OwnHome, ownHome } from './own-home.ts';
import { scriptedBrowser } from './scripted-browser.ts';
import { noKeychain, sessionVariables } from './secret-service.ts';

/** What a proxy in that home answers to `tools/list`. */
async function listToolsThroughProxy(home: OwnHome): Promise<string> {
  const proxy = startCauseway(home, ['proxy', '--profile', 'user', '--path', '/api/2.0/mcp/sql']);
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'codex-mcp-client', version: '1' },
  };
  for (const frame of [
    { id: 1, method: 'initialize', params },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list', params: {} },
  ]) {
    proxy.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`);
  }
  const answer = () =>
    proxy
      .stdout()
      .split('\n')
      .find((line) => line.includes('"id":2'));
  await expect.poll(answer).toBeDefined();
  proxy.child.stdin.end();
  await proxy.ended;
  return answer() ?? '';
}

/** Stands in for the session's bus at another place. */
async function relayTo(path: string): Promise<Server> {
  const [, kind, place = ''] = /unix:(path|abstract)=([^,;]+)/.exec(process.env.DBUS_SESSION_BUS_ADDRESS ?? '') ?? [];
  const relay = createServer((socket) => {
    const target = connect({ path: kind === 'abstract' ? `\0${place}` : place });
    socket.pipe(target).pipe(socket);
    for (const each of [socket, target]) each.on('error', () => each.destroy());
  });
  await new Promise<void>((resolve) => relay.listen(path, resolve));
  return relay;
}

/** All that Codex passes on of its own environment. */
function codexEnvironment({ PATH, HOME }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    HOME,
    LOGNAME: 'ana',
    PATH,
    SHELL: '/bin/sh',
    USER: 'ana',
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    TERM: 'dumb',
    TMPDIR: tmpdir(),
    TZ: 'UTC',
    __CF_USER_TEXT_ENCODING: '0x1F5:0x0:0x0',
  };
}

const name = noKeychain ? `the keychain (skipped: ${noKeychain})` : 'the keychain of this computer';

describe.skipIf(noKeychain)(name, { timeout: 120_000 }, () => {
  let workspace: EmbeddedWorkspace;
  let home: OwnHome;

  beforeEach(async () => {
    workspace = await startWorkspace({ autoApprove: 'ana@example.com' });
    const env = { ...sessionVariables, CAUSEWAY_TOKEN_STORE: 'keychain' };
    home = await ownHome(`[user]\nhost = ${workspace.host}\n`, env);
  });
  afterEach(async () => {
    const left = (await findCredentials('Causeway')).filter(({ account }) => account.startsWith(workspace.host));
    await Promise.all(left.map(({ account }) => openKeychain('Causeway').delete(account)));
    await workspace.close();
    await home.remove();
  });

  /** What other programs see of ours. */
  const kept = async () =>
    (await findCredentials('Causeway')).filter(({ account }) => account.startsWith(workspace.host));

  test('keeps, replaces and forgets a secret of any length', async () => {
    const keychain = openKeychain('Causeway tests');
    for (const text of ['short', 'long '.repeat(2_000), 'ünïcödé 🔑']) {
      await keychain.set('of any length', new Secret(text));
      expect((await keychain.get('of any length'))?.reveal()).toBe(text);
    }
    await keychain.delete('of any length');
    await keychain.delete('of any length');
    expect(await keychain.get('of any length')).toBeUndefined();
  });

  test('holds a sign-in under host and profile, and nothing is in a file; signing out removes every trace', async () => {
    const auth = openAuth({ env: home.env, openBrowser: scriptedBrowser().open });
    const profile = await auth.profile('user');
    await auth.signIn(profile);
    expect((await kept()).map(({ account }) => account)).toEqual([`${workspace.host} user`]);
    expect(await readdir(join(home.folder, 'causeway', 'state'))).not.toContain('tokens');
    expect(await runCauseway(home, ['whoami', '--profile', 'user'])).toMatchObject({ code: 0, stderr: '' });
    expect(await auth.signOut(profile)).toEqual({ revoked: true });
    expect(await kept()).toEqual([]);
    await auth.close();
  });

  test.skipIf(process.platform !== 'linux')('shares one sign-in and one renewal among many proxies', async () => {
    const { opened } = await installBrowser(home);
    const six = () => Promise.all(Array.from({ length: 6 }, () => initializeThroughProxy(home, 'user')));
    for (const { frame } of await six()) expect(frame).toMatchObject({ result: { serverInfo: expect.anything() } });
    expect(await opened()).toHaveLength(1);
    workspace.faults.expireAccessTokens();
    for (const { frame } of await six()) expect(frame).toMatchObject({ result: { serverInfo: expect.anything() } });
    expect(workspace.requests.count({ grantType: 'refresh_token' })).toBe(1);
    expect(await opened()).toHaveLength(1);
  });

  test.skipIf(process.platform !== 'linux')(
    'is found by a proxy with the few variables that Codex passes on',
    async () => {
      const auth = openAuth({ env: home.env, openBrowser: scriptedBrowser().open });
      await auth.signIn(await auth.profile('user'));
      await auth.close();
      // A session that was begun by hand has its bus elsewhere, or in no file at all.
      const runtime = await mkdtemp(join(tmpdir(), 'runtime-'));
      const relay = await relayTo(join(runtime, 'bus'));
      const { PATH, HOME, CAUSEWAY_HOME } = home.env;
      const few = codexEnvironment({ PATH, HOME });
      const bare = { ...home, env: { ...few, CAUSEWAY_HOME } };
      const { opened } = await installBrowser(bare);

      const reached = await listToolsThroughProxy({ ...bare, env: { ...bare.env, XDG_RUNTIME_DIR: runtime } });
      expect(reached).toContain('execute_sql');

      relay.close();
      await rm(runtime, { recursive: true });
      // On a real desktop the bus is at its usual place, and is found there too.
      if (existsSync(`/run/user/${process.getuid?.()}/bus`)) return;
      const said = await runCauseway(bare, ['whoami', '--profile', 'user']);
      expect(said.code).not.toBe(0);
      expect(said.stderr).toMatch(/cannot tell whether .+\. The keychain cannot be reached from here/);
      expect(said.stderr).not.toMatch(/is signed out/);
      expect(await opened()).toEqual([]);
    },
  );

  const usual = join('/run/user', String(process.getuid?.()));
  const mayMake = process.platform === 'linux' && !existsSync(usual) && process.getuid?.() === 0;
  test.skipIf(!mayMake)('is found at its usual place with exactly the variables that Codex passes on', async () => {
    const auth = openAuth({ env: home.env, openBrowser: scriptedBrowser().open });
    await auth.signIn(await auth.profile('user'));
    await auth.close();
    await mkdir(usual, { mode: 0o700 });
    const relay = await relayTo(join(usual, 'bus'));
    try {
      const { PATH, HOME } = home.env;
      const reached = await listToolsThroughProxy({ ...home, env: codexEnvironment({ PATH, HOME }) });
      expect(reached).toContain('execute_sql');
    } finally {
      relay.close();
      await rm(usual, { recursive: true });
    }
  });
});
