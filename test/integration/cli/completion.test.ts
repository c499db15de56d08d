import { execFile } from 'node:child_process';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { initializeThroughProxy, runCauseway } from '../auth/causeway-process.ts';
import { type OwnHome, ownHome } from '../auth/own-home.ts';
import { loadedPackages } from '../platform/loaded-packages.ts';

const CAUSEWAY = new URL('../../../out/cli/causeway.js', import.meta.url).pathname;
const run = promisify(execFile);

let workspace: EmbeddedWorkspace;
let home: OwnHome;

beforeEach(async () => {
  workspace = await startWorkspace();
  home = await ownHome(
    `[ana]\nhost = ${workspace.host}\ntoken = ${workspace.users[0]?.token}\n[__settings__]\ndefault_profile = ana\n`,
  );
  const bin = join(home.folder, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'causeway'), `#!/bin/sh\nexec "${process.execPath}" "${CAUSEWAY}" "$@"\n`, { mode: 0o755 });
  home.env.PATH = `${bin}:/usr/bin:/bin`;
});
afterEach(async () => {
  await workspace.close();
  await home.remove();
});

/** What bash makes of Tab behind that line. */
async function completeInBash(line: string): Promise<string[]> {
  const script = `source <(causeway completion bash); COMP_LINE=$1 COMP_POINT=\${#1}; _causeway; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['--norc', '-c', script, 'bash', line], { env: home.env });
  return stdout.split('\n').filter(Boolean);
}

describe.skipIf(process.platform !== 'linux')('completion in bash', () => {
  test('knows the names that were listed earlier, without asking the workspace', async () => {
    expect(await completeInBash('causeway warehouse set Sh')).toEqual([]);
    await runCauseway(home, ['warehouse', 'list']);
    await workspace.close();
    expect(await completeInBash('causeway warehouse set Sh')).toEqual(['Shared\\ analytics']);
    expect(await completeInBash('causeway whoami --profile a')).toEqual(['ana']);
    const file = join(home.folder, 'causeway', 'state', 'names.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('knows the tools that a server has listed to a client earlier', async () => {
    await runCauseway(home, ['servers', 'add', '--path', '/api/2.0/mcp/sql', '--no-check']);
    expect(await completeInBash('causeway permissions set databricks-sql --off ')).toEqual([]);
    await initializeThroughProxy(home, 'ana');
    await workspace.close();
    expect(await completeInBash('causeway permissions set databricks-sql --off ex')).toEqual([
      'execute_sql',
      'execute_sql_read_only',
    ]);
    expect(await completeInBash('causeway permissions clear d')).toEqual(['databricks-sql']);
  });

  test('does not execute anything in a name', async () => {
    await runCauseway(home, ['warehouse', 'list']);
    const file = join(home.folder, 'causeway', 'state', 'names.json');
    const marker = join(home.folder, 'ran');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('Shared analytics', `Shared $(touch ${marker})`));
    const [offered = ''] = await completeInBash('causeway warehouse set Sh');
    expect(offered).toContain('Shared');
    // As a user who accepts it runs it: the whole of it is one word.
    const { stdout } = await run('bash', ['--norc', '-c', `printf '[%s]' ${offered}`]);
    expect(stdout).toBe(`[Shared $(touch ${marker})]`);
    await expect(stat(marker)).rejects.toThrow('ENOENT');
  });

  test('offers nothing, and prints nothing, if its cache is damaged', async () => {
    const folder = join(home.folder, 'causeway', 'state');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'names.json'), '{"version": 1, "profiles": {"ana"');
    expect(await completeInBash('causeway warehouse set ')).toEqual([]);
  });
});

test.each(['bash', 'zsh', 'fish', 'powershell'])('causeway completion %s prints a script', async (shell) => {
  const { code, stdout, stderr } = await runCauseway(home, ['completion', shell]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('causeway __complete');
});

test('completion loads no package but the one that parses command lines', async () => {
  const statements = "await module.printCompletion(['zsh', '=', 'warehouse', 'set']);";
  expect(await loadedPackages('main/cli/completion/complete.ts', statements, home.env)).toEqual({
    printed: ['words'],
    packages: ['commander'],
  });
});
