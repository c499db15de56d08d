import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { runCauseway } from '../auth/causeway-process.ts';
import { type OwnHome, ownHome } from '../auth/own-home.ts';

/** `causeway servers move`: a server goes to the one that has replaced it. */

const OLDER = '/api/2.0/mcp/sql';
const NEWER = '/ai-gateway/mcp-services/system.ai.dbsql';

let workspace: EmbeddedWorkspace;
let home: OwnHome;
let cursor: string;

beforeEach(async () => {
  workspace = await startWorkspace();
  home = await ownHome(await readFile(workspace.profileFile, 'utf8'));
  cursor = join(home.folder, '.cursor/mcp.json');
  await mkdir(dirname(cursor), { recursive: true });
  await writeFile(cursor, '{"mcpServers":{"other":{"command":"x"}}}');
  await causeway(
    'servers',
    'add',
    '--path',
    '/api/2.0/mcp/sql',
    '--name',
    'mine',
    '--profile',
    'ana',
    '--meta',
    'warehouse_id=8baced1ff014912d',
  );
  await causeway('clients', 'add', 'cursor');
});
afterEach(async () => {
  await workspace.close();
  await home.remove();
});

const causeway = (...args: string[]) => runCauseway(home, args);
const json = async (...args: string[]) => JSON.parse((await causeway(...args, '--json')).stdout);
const entries = async () => JSON.parse(await readFile(cursor, 'utf8')).mcpServers;

describe('moving a server to its successor', () => {
  test('is offered in the list of servers', async () => {
    const search = ['--path', '/api/2.0/mcp/vector-search/main/support', '--name', 'docs', '--no-check'];
    await causeway('servers', 'add', ...search, '--profile', 'ana');
    const { stdout } = await causeway('servers');
    expect(stdout).toContain('docs: search:main.support is newer. Where it is switched on, move with: causeway');
    // Which SQL server the workspace offers was looked up when it was added.
    expect(stdout).not.toContain('mine: ');
    await causeway('servers', 'remove', 'docs');
    expect((await json('servers')).servers).toMatchObject([
      { name: 'mine', successor: { path: NEWER, add: 'system.ai.dbsql' } },
    ]);
  });

  test('is refused where the successor is in the list: every client would have its tools twice', async () => {
    const meta = ['--meta', 'warehouse_id=8baced1ff014912d'];
    await causeway('servers', 'add', '--path', NEWER, '--name', 'newer', '--profile', 'ana', ...meta);
    const { code, stderr } = await causeway('servers', 'move', 'mine');
    expect([code, stderr]).toEqual([1, expect.stringContaining('Server "newer" is already system.ai.dbsql.')]);
    expect((await json('servers')).servers).toMatchObject([{ path: OLDER }, { path: NEWER }]);
  });

  test('keeps its name, what its calls carry, its permissions and the entries of clients', async () => {
    await causeway('permissions', 'set', 'mine', '--off', 'execute_sql');
    const before = await readFile(cursor, 'utf8');
    const dry = await causeway('servers', 'move', 'mine', '--dry-run');
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('Would move mine: ')]);
    expect(dry.stdout).toContain('would change');
    expect(await readFile(cursor, 'utf8')).toBe(before);

    const moved = await causeway('servers', 'move', 'mine');
    expect([moved.code, moved.stderr]).toEqual([0, '']);
    expect(moved.stdout).toContain('Its permissions apply there too.');
    expect((await json('servers')).servers).toMatchObject([
      { name: 'mine', profile: 'ana', kind: 'other', path: NEWER, meta: { warehouse_id: '8baced1ff014912d' } },
    ]);
    const { mine, other } = await entries();
    expect(mine.args).toEqual(expect.arrayContaining(['proxy', NEWER, 'warehouse_id=8baced1ff014912d']));
    expect(mine.args).not.toContain(OLDER);
    expect(other).toEqual({ command: 'x' });
    const listed = await json('permissions');
    expect(listed.permissions).toEqual(
      expect.arrayContaining([expect.objectContaining({ servers: ['mine'], off: ['execute_sql'] })]),
    );

    const again = await causeway('servers', 'move', 'mine');
    expect([again.code, again.stderr]).toEqual([4, expect.stringContaining('has no successor')]);
  });

  test('changes nothing if the successor does not answer', async () => {
    workspace.mcp.settings.preview = 'suspended';
    const before = [await json('servers'), await entries()];
    const refused = await causeway('servers', 'move', 'mine');
    expect([refused.code, refused.stderr]).toEqual([
      5,
      expect.stringMatching(/"mine" was not moved.*The server "sql" at \S+ works without it\./),
    ]);
    expect([await json('servers'), await entries()]).toEqual(before);
  });

  test('is refused if both places have permissions', async () => {
    await causeway('servers', 'add', 'system.ai.dbsql', '--name', 'newer', '--profile', 'ana');
    await causeway('permissions', 'set', 'mine', '--off', 'execute_sql');
    await causeway('permissions', 'set', 'newer', '--ask', 'execute_sql');
    const refused = await causeway('servers', 'move', 'mine');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('There are already permissions for')]);
    expect((await json('servers')).servers[0]).toMatchObject({ path: OLDER });
  });
});
