import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loginShellPath } from '../../../main/clients/login-shell.ts';
import { isProcessAlive } from '../../../main/platform/process-alive.ts';
import { ownClients } from './own-clients.ts';

/** A home folder with startup files of its own. */
async function home(files: Record<string, string>): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'causeway-shell-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o755 });
  return folder;
}

const shortPath = { PATH: '/usr/bin:/bin' };

describe("the login shell's PATH", () => {
  test('is what its startup files set, whatever else they print', async () => {
    const folder = await home({
      '.bash_profile': 'echo welcome; export PATH="$HOME/.npm/bin:$PATH"; . ~/.bashrc\n',
      '.bashrc': 'echo __causeway; printf "no line end"; export PATH="/opt/my tools:$PATH"\n',
    });
    const ask = loginShellPath({ env: { ...shortPath, HOME: folder, SHELL: '/bin/bash' }, shell: '/bin/sh' });
    // The system's own startup files come first, and have their own idea of the rest.
    expect((await ask()).slice(0, 2)).toEqual(['/opt/my tools', join(folder, '.npm/bin')]);
  });

  test('is read once for all callers', async () => {
    const folder = await home({ '.bash_profile': 'echo asked >> ~/log\n' });
    const ask = loginShellPath({ env: { ...shortPath, HOME: folder, SHELL: '/bin/bash' }, shell: '/bin/sh' });
    await Promise.all([ask(), ask()]);
    await ask();
    expect(await readFile(join(folder, 'log'), 'utf8')).toBe('asked\n');
  });

  test('is undefined if the startup files hang, and what they started is ended', async () => {
    const folder = await home({ '.bash_profile': 'sleep 600 & echo $! > ~/pid; wait\n' });
    const env = { ...shortPath, HOME: folder, SHELL: '/bin/bash' };
    expect(await loginShellPath({ env, shell: '/bin/sh', timeoutMs: 1_000 })()).toEqual([]);
    const pid = Number(await readFile(join(folder, 'pid'), 'utf8'));
    await expect.poll(() => isProcessAlive(pid)).toBe(false);
  });

  test('is available even if the startup files leave something running', async () => {
    const folder = await home({ '.bash_profile': 'sleep 600 &\n' });
    const env = { ...shortPath, HOME: folder, SHELL: '/bin/bash' };
    expect(await loginShellPath({ env, shell: '/bin/sh', timeoutMs: 20_000 })()).toContain('/usr/bin');
  });

  test.each([
    ['is not there', '/nowhere/shell'],
    ['ends with an error', '/bin/false'],
    ['says something else', '/bin/echo'],
  ])('is undefined if the shell %s', async (_what, shell) => {
    expect(await loginShellPath({ env: { ...shortPath, HOME: '/', SHELL: shell }, shell: '/bin/sh' })()).toEqual([]);
  });
});

test('a client is found by a command that only the login shell knows', async () => {
  await using own = await ownClients();
  await own.file('tools/codex', '#!/bin/sh\n', 0o755);
  await own.file('.bash_profile', 'export PATH="$HOME/tools:$PATH"\n');
  const moreCommands = loginShellPath({ env: { ...own.env, ...shortPath, SHELL: '/bin/bash' }, shell: '/bin/sh' });
  const foundBy = async (options?: { moreCommands(): Promise<string[]> }) => {
    const reports = await own.service(options).survey([]);
    return reports.flatMap((report) => report.foundBy ?? []);
  };
  expect(await foundBy()).toEqual([]);
  expect(await foundBy({ moreCommands })).toEqual([`the command ${join(own.home, 'tools', 'codex')} exists`]);
});
