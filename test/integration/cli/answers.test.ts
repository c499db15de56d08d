import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANSWERS } from '../../../main/cli/answers/answers.ts';
import { checkAnswer } from '../../answers.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { type OwnHome, ownHome } from '../auth/own-home.ts';
import { type Run, runCommand, WAREHOUSES } from '../warehouses/harness.ts';

let workspace: EmbeddedWorkspace;
let home: OwnHome;

beforeAll(async () => {
  workspace = await startWorkspace({ state: { startupMs: 20 } });
  home = await ownHome(
    `[ana]\nhost = ${workspace.host}\ntoken = ${workspace.users[0]?.token}\n\n[__settings__]\ndefault_profile = ana\n`,
  );
  await mkdir(join(home.folder, '.cursor'));
  await mkdir(join(home.folder, '.codex'));
  await writeFile(
    join(home.folder, 'overrides.csv'),
    'user_name,type\nben@example.com,LAST_SELECTED\nnobody,LAST_SELECTED\n',
  );
  await writeFile(join(home.folder, 'policy.json'), '{"version":1,"readOnly":{"value":true,"locked":true}}');
  await writeFile(
    join(home.folder, 'team.json'),
    '{"version":1,"servers":[{"name":"team","profile":"ana","path":"/api/2.0/mcp/genie/1"}]}',
  );
});
afterAll(async () => {
  await workspace.close();
  await home.remove();
});

/** Commands in an order in which each finds what it needs. FILE: stands for a file of the home folder. */
const COMMANDS = [
  ['activity'],
  ['activity', 'delete', '--all', '--yes'],
  ['profiles'],
  ['profiles', '--skip-validate'],
  ['whoami'],
  ['diagnose'],
  ['warehouse', '--compare'],
  ['warehouse', 'list'],
  ['warehouse', 'set', WAREHOUSES.shared],
  ['warehouse', 'last-selected'],
  ['warehouse', 'clear'],
  ['warehouse', 'clear'],
  ['warehouse', 'start', WAREHOUSES.science],
  ['warehouse', 'stop', WAREHOUSES.science, '--yes'],
  ['warehouse', 'verify'],
  ['warehouse', 'for', 'ben', 'set', 'Shared analytics', '--yes'],
  ['warehouse', 'for', 'ben'],
  ['warehouse', 'default'],
  ['warehouse', 'default', 'set', 'Shared analytics', '--yes'],
  ['warehouse', 'all', '--access'],
  ['warehouse', 'import', 'FILE:overrides.csv', '--dry-run'],
  ['warehouse', 'import', 'FILE:overrides.csv', '--skip-invalid', '--yes'],
  ['warehouse', 'assign', '--group', 'admins', '--last-selected', '--yes'],
  ['warehouse', 'journals'],
  ['warehouse', 'export'],
  ['servers', 'add', '--path', '/api/2.0/mcp/sql', '--profile', 'ana', '--meta', `warehouse_id=${WAREHOUSES.shared}`],
  ['servers', 'add', 'system.ai.github', '--name', 'github', '--profile', 'ana'],
  ['servers', 'set', 'databricks-sql', '--no-meta', '--dry-run'],
  ['servers'],
  ['servers', 'list'],
  ['servers', 'test'],
  ['up', '--profile', 'ana', '--dry-run'],
  ['servers', 'browse', '--kind', 'sql', 'genie'],
  ['servers', 'move', 'databricks-sql', '--dry-run'],
  ['servers', 'start', 'app:mcp-inventory'],
  ['servers', 'sign-out', 'github'],
  ['clients', 'diff', 'cursor'],
  ['clients', 'add'],
  ['clients', 'add', 'zed'],
  ['clients'],
  ['clients', 'list', '--all'],
  ['clients', 'test', 'cursor'],
  ['clients', 'json'],
  ['clients', 'json', 'vscode'],
  ['clients', 'repair'],
  ['clients', 'remove', 'codex'],
  ['clients', 'backups'],
  ['permissions', 'set', 'databricks-sql', '--client', 'cursor', '--off', 'execute_sql'],
  ['permissions', 'clear', 'databricks-sql', '--client', 'cursor', '--dry-run'],
  ['permissions', 'set', '--all', '--read-only'],
  ['permissions'],
  ['permissions', 'list'],
  ['status', '--profile', 'ana'],
  ['policy', 'show'],
  ['policy', 'check', 'FILE:policy.json'],
  ['settings'],
  ['settings', 'list'],
  ['settings', 'get', 'logLevel'],
  ['settings', 'set', 'logLevel', 'debug'],
  ['settings', 'reset', '--all'],
  ['settings', 'tags', 'set', 'team=data', 'project='],
  ['settings', 'tags'],
  ['settings', 'tags', 'list'],
  ['settings', 'tags', 'clear', '--all'],
  ['audit'],
  ['audit', 'on'],
  ['audit', 'off'],
  ['dashboard', 'install', '--folder', '/Shared', '--warehouse', 'Shared analytics'],
  ['dashboard', 'show', '--folder', '/Shared'],
  ['provision', 'FILE:team.json'],
  ['provision', '--export', 'FILE:exported.json'],
  ['servers', 'remove', 'team'],
  ['uninstall'],
];

/** Those that need the running application, a browser, an older backup or a statement: other tests run them, and check their answers too. */
const ELSEWHERE = [
  'status --watch',
  'login',
  'logout',
  'servers sign-in',
  'clients restore',
  'activity --follow',
  'activity statement',
  'activity cancel',
  'approvals',
  'approvals list',
  'approvals allow',
  'approvals block',
  'approvals extend',
  'approvals revoke',
  'approvals --watch',
  'approvals list --watch',
];

const run = (args: readonly string[]): Promise<Run> =>
  runCommand(
    home.env,
    args.map((arg) => arg.replace(/^FILE:/, `${home.folder}/`)),
  );

const seen = new Set<string>();

describe('what a command prints with --json', () => {
  test.each(COMMANDS.map((command) => ({ command })))('has the shape of its schema: $command', async ({ command }) => {
    const { stdout, stderr } = await run([...command, '--json']);
    const answer = JSON.parse(stdout);
    expect(answer, stderr).toEqual(expect.any(Object));
    expect(Object.keys(answer), stderr).not.toEqual(['error']);
    seen.add(checkAnswer([...command, '--json'], { stdout, code: 0 }) ?? '');
  });

  test('is known of every command, and every one was run', () => {
    const all = Object.keys(ANSWERS).filter((name) => !ELSEWHERE.includes(name));
    expect(all.filter((name) => !seen.has(name))).toEqual([]);
  });

  test('is an object with an error if it fails', async () => {
    const { stdout } = await run(['warehouse', 'set', 'sahred analytics', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'not_found',
        message: expect.any(String),
        remedy: expect.stringContaining('Did you mean'),
        candidates: expect.any(Array),
        retryAfterMs: null,
      },
    });
  });
});
