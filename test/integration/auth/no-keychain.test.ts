import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { HAS_TERMINALS, openTerminal, textOf } from '../cli/real-terminal.ts';
import { installBrowser, runCauseway } from './causeway-process.ts';
import { type OwnHome, ownHome } from './own-home.ts';

/** Signing in where there is no keychain: a container, WSL, a shell over SSH. */

let workspace: EmbeddedWorkspace;
let home: OwnHome;
beforeEach(async () => {
  workspace = await startWorkspace({ autoApprove: 'ana@example.com' });
  // An address of a session bus at which nothing listens: the keychain of the machine that runs the test is out of reach.
  const env = { CAUSEWAY_TOKEN_STORE: '', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere/bus' };
  home = await ownHome('', env);
  await installBrowser(home);
  onTestFinished(async () => {
    await workspace.close();
    await home.remove();
  });
});

const settings = () => readFile(join(home.folder, 'causeway', 'config', 'settings.json'), 'utf8').catch(() => '');
const login = (...args: string[]) => runCauseway(home, ['login', '--host', workspace.host, '--profile', 'me', ...args]);

describe.runIf(HAS_TERMINALS)('causeway login without a keychain', () => {
  test('names the flag where nobody can be asked, and starts nothing', async () => {
    const { code, stderr } = await login();
    expect([code, stderr]).toEqual([1, expect.stringContaining('causeway login --store encrypted-file')]);
    expect(await settings()).toBe('');
  });

  test('with --store keeps the sign-in in a file, for every process from then on', async () => {
    expect(await login('--store', 'encrypted-file')).toMatchObject({ code: 0 });
    expect(JSON.parse(await settings())).toEqual({ tokenStore: 'encrypted-file' });
    expect(await runCauseway(home, ['whoami', '--profile', 'me'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('ana@example.com'),
    });
    expect((await login('--store', 'encrypted-file')).stderr).not.toContain('from now on');
  });

  test('offers the file on a terminal; no is no, yes is remembered', async () => {
    const run = async (answer: string) => {
      const terminal = openTerminal(home.env, 80, ['login', '--host', workspace.host, '--profile', 'me']);
      await expect.poll(() => textOf(terminal.shown())).toContain('in an encrypted file that only you can read? [y/N]');
      terminal.type(answer);
      return { code: await terminal.ended, text: textOf(terminal.shown()) };
    };
    expect(await run('n\r')).toMatchObject({ code: 1, text: expect.stringContaining('None was started.') });
    expect(await run('\u0003')).toMatchObject({ code: 130 });
    expect(await settings()).toBe('');
    const agreed = await run('y\r');
    expect(agreed).toMatchObject({ code: 0, text: expect.stringContaining('Signed in to') });
    expect(agreed.text).toContain('Sign-ins are kept in an encrypted file from now on, for AI clients too.');
    expect(JSON.parse(await settings())).toEqual({ tokenStore: 'encrypted-file' });
  });

  test('a variable that says otherwise is named', async () => {
    const stubborn = { ...home, env: { ...home.env, CAUSEWAY_TOKEN_STORE: 'memory' } };
    const { code, stderr } = await runCauseway(stubborn, ['login', '--store', 'encrypted-file', '--profile', 'me']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('CAUSEWAY_TOKEN_STORE is memory')]);
  });
});
