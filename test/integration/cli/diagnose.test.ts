import { appendFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { type OwnHome, ownHome } from '../auth/own-home.ts';
import { runCommand } from '../warehouses/harness.ts';

let workspace: EmbeddedWorkspace;
let home: OwnHome;

beforeEach(async () => {
  workspace = await startWorkspace();
  home = await ownHome(await readFile(workspace.profileFile, 'utf8'));
});
afterEach(async () => {
  await workspace.close();
  await home.remove();
});

const diagnose = (...args: string[]) => runCommand(home.env, ['diagnose', ...args]);

interface Made {
  profile: string;
  checks: { id: string; status: string; message: string; remedy: string | null; error: { code: string } | null }[];
}
async function checksOf(...args: string[]): Promise<{ code: number; order: string[] } & Record<string, unknown>> {
  const { code, stdout } = await diagnose(...args, '--json');
  const { checks }: Made = JSON.parse(stdout);
  return {
    code,
    order: checks.map(({ status }) => status),
    ...Object.fromEntries(checks.map((each) => [each.id, each])),
  };
}

describe('causeway diagnose', () => {
  it('runs every check of the window, and ends with 0 if none fails', async () => {
    const { code, stdout } = await diagnose('--profile', 'ana');
    expect(stdout).toContain('✓ pass     Sign-in: Signed in as ana@example.com.');
    expect(stdout).toContain(
      '! warning  Servers: No servers yet.\n           → Add one with: causeway servers add sql',
    );
    expect(stdout).toMatch(/No problem found\. See the warnings above\.\n$/);
    expect(stdout.match(/^. (pass|warning|fail|unknown|n\/a) /gm)).toHaveLength(16);
    expect(code).toBe(0);
  });

  it('prints failures first, each with the command to run, and ends with the code of their table', async () => {
    await runCommand(home.env, ['servers', 'add', 'sql', '--profile', 'oauth']);
    const found = await checksOf('--profile', 'oauth');
    expect(found).toMatchObject({
      code: 3,
      'sign-in': { status: 'fail', remedy: expect.stringContaining('causeway login --profile oauth') },
      servers: { status: 'fail', remedy: expect.stringContaining('causeway login --profile oauth') },
    });
    expect(found.order.lastIndexOf('fail')).toBeLessThan(found.order.indexOf('pass'));
  });

  it('ends with 5 if the host cannot be reached, 3 if there is no such profile, 1 if failures differ', async () => {
    await appendFile(home.configFile, '\n[gone]\nhost = http://127.0.0.1:9\ntoken = dapi0\n');
    expect(await checksOf('--profile', 'gone')).toMatchObject({
      code: 5,
      host: { status: 'fail', error: { code: 'unreachable' } },
      'sign-in': { status: 'skipped' },
    });
    expect(await checksOf('--profile', 'nobody')).toMatchObject({
      code: 3,
      profile: { error: { code: 'profile_not_found' } },
    });
    await runCommand(home.env, ['servers', 'add', 'sql', '--profile', 'gone']);
    expect(await checksOf('--profile', 'oauth')).toMatchObject({ code: 1 });
  });

  it('finds damaged settings, and leaves them as they are', async () => {
    const folder = join(home.folder, 'causeway', 'config');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'settings.json'), '{"appearance":');
    const { code, settings } = await checksOf('--profile', 'ana');
    expect(code).toBe(1);
    expect(settings).toMatchObject({ status: 'fail', message: expect.stringContaining('line 1, column 15') });
    expect(await readFile(join(folder, 'settings.json'), 'utf8')).toBe('{"appearance":');
  });
});

describe('causeway diagnose --report', () => {
  it('writes the report of the window, readable by its owner only, without secrets or user names', async () => {
    const file = join(home.folder, 'report.txt');
    const { stderr, code } = await diagnose('--profile', 'ana', '--report', file);
    expect({ stderr, code }).toEqual({ stderr: `Wrote the report to ${file}.\n`, code: 0 });
    const text = await readFile(file, 'utf8');
    expect(text).toContain('[pass] Sign-in: Signed in as [person].');
    expect(text).toContain(`ana (default): pat, ${workspace.host}`);
    for (const { token } of workspace.users) expect(text).not.toContain(token);
    expect(text).not.toContain(home.folder);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('replaces a file only with --force, and says so before it checks anything', async () => {
    const file = join(home.folder, 'precious.txt');
    await writeFile(file, 'precious');
    const asked = workspace.requests.count();
    const refused = await diagnose('--profile', 'ana', '--report', file);
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--force') });
    expect(workspace.requests.count()).toBe(asked);
    expect(await readFile(file, 'utf8')).toBe('precious');
    await diagnose('--profile', 'ana', '--report', file, '--force');
    expect(await readFile(file, 'utf8')).toContain('## Checks');
    const askedBefore = workspace.requests.count();
    const nowhere = await diagnose('--profile', 'ana', '--json', '--report', join(home.folder, 'no', 'report.txt'));
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('folder does not exist') });
    expect(JSON.parse(nowhere.stdout)).toMatchObject({ error: { code: 'file_not_writable' } });
    expect(workspace.requests.count()).toBe(askedBefore);
  });

  it('is the only output with "-", and is one text whatever names contain', async () => {
    await appendFile(home.configFile, `\n[evil\u001b[2J\u202e]\nhost = ${workspace.host}\ntoken = dapi0\n`);
    const { stdout, code } = await diagnose('--profile', 'ana', '--report', '-');
    expect(stdout).toMatch(/^## Causeway /);
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(code).toBe(0);
    expect(await diagnose('--report', '-', '--json')).toMatchObject({ code: 2 });
  });
});
