import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fixtureUsers } from '../../workspace/fixture.ts';
import type { User } from '../../workspace/model.ts';
import { type CommandLine, openCommandLine, USERS, WAREHOUSES } from './harness.ts';

const { shared, science } = WAREHOUSES;
const HEADER = 'user_id,user_name,type,warehouse_id,warehouse_name\n';

let cli: CommandLine;
let folder: string;
beforeEach(async () => {
  cli = await openCommandLine();
  folder = await mkdtemp(join(tmpdir(), 'causeway-bulk-'));
});
afterEach(async () => {
  await cli[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const overrides = () =>
  Object.fromEntries(
    [...cli.workspace.state.overrides.values()].map((one) => [one.userId, one.warehouseId ?? one.type]),
  );

async function file(text: string): Promise<string> {
  const path = join(folder, 'overrides.csv');
  await writeFile(path, text);
  return path;
}

const importing = async (text: string, ...args: string[]) =>
  cli.run('ana', 'warehouse', 'import', await file(text), ...args);
const resultLines = async () =>
  (await readFile(join(folder, 'overrides.csv.results.csv'), 'utf8')).trimEnd().split('\n');

describe('import', () => {
  const typical = `user,type,warehouse\nana@example.com,CUSTOM,Shared analytics\n${USERS.ben},LAST_SELECTED,\nchloe@example.com,,${science}\n`;

  test('a dry run shows the differences and changes nothing', async () => {
    const { code, stdout, stderr } = await importing(typical, '--dry-run');
    expect(code).toBe(0);
    expect(stdout).toContain('+ line 2  ana@example.com  No override → Shared analytics');
    expect(stdout).toContain('+ line 3  ben@example.com  No override → Last selected');
    expect(stdout).toContain('+ line 4  chloe@example.com  No override → Data science');
    expect(stderr).toContain('3 create.');
    expect(overrides()).toEqual({});
  });

  test('a dry run says if it is unknown whether the user can use the warehouse', async () => {
    cli.workspace.faults.add({ effect: { kind: 'html' }, path: '/api/2.0/permissions/*', times: 'always' });
    const { code, stdout } = await importing(typical, '--dry-run');
    expect(stdout).toContain('No override → Shared analytics  (Permission on Shared analytics could not be checked.)');
    expect(stdout).toContain('No override → Last selected\n');
    expect(code).toBe(0);
  });

  test('without a terminal nothing happens unless --yes is given', async () => {
    const { code, stderr } = await importing(typical);
    expect(code).toBe(2);
    expect(stderr).toContain('Run it again with --yes.');
    expect(overrides()).toEqual({});
  });

  test('a file that is not UTF-8 is refused with the position, and changes nothing', async () => {
    const path = await file('');
    await writeFile(path, Buffer.from('user,warehouse\nben@example.com,L\u00e4ger\n', 'latin1'));
    const { code, stderr } = await cli.run('ana', 'warehouse', 'import', path, '--yes');
    expect(code).toBe(1);
    expect(stderr).toBe(
      `causeway: ${path}, line 2, column 18: the byte 0xE4 is not UTF-8. Nothing was changed. Save the file as UTF-8, then try again.\n`,
    );
    expect(cli.workspace.state.overrides.size).toBe(0);
  });

  test('carries out every line and writes its result', async () => {
    const { code, stderr } = await importing(typical, '--yes');
    expect(code).toBe(0);
    expect(stderr).toContain('3 done.');
    expect(stderr).toContain(`Changed in ${cli.workspace.host} as ana@example.com (profile ana).`);
    expect(overrides()).toEqual({ [USERS.ana]: shared, [USERS.ben]: 'LAST_SELECTED', [USERS.chloe]: science });
    const lines = await resultLines();
    expect(lines.map((line) => line.replace(/,[^,]*$/, '')).sort()).toEqual([
      `2,${USERS.ana},ana@example.com,create,done,Shared analytics`,
      `3,${USERS.ben},ben@example.com,create,done,Last selected`,
      `4,${USERS.chloe},chloe@example.com,create,done,Data science`,
      'line,user_id,user_name,action,result,message',
    ]);
  });

  test('running it again changes nothing', async () => {
    await importing(typical, '--yes');
    cli.workspace.requests.clear();
    const { code, stderr } = await importing(typical, '--yes');
    expect(code).toBe(0);
    expect(stderr).toContain('3 unchanged.');
    expect(cli.workspace.requests.count({ method: 'PATCH' })).toBe(0);
  });

  test('an export can be imported: nothing changes', async () => {
    await importing(typical, '--yes');
    const path = join(folder, 'exported.csv');
    expect((await cli.run('ana', 'warehouse', 'export', path)).stderr).toContain('Wrote 3 overrides');
    const { stderr } = await cli.run('ana', 'warehouse', 'import', path, '--dry-run');
    expect(stderr).toContain('3 unchanged.');
  });

  test('an export replaces a file only with --force', async () => {
    const path = join(folder, 'mine.csv');
    await writeFile(path, 'mine');
    const refused = await cli.run('ana', 'warehouse', 'export', path);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toMatch(/mine\.csv already exists\. Replace it\? Run it again with --force\./);
    expect(await readFile(path, 'utf8')).toBe('mine');
    expect((await cli.run('ana', 'warehouse', 'export', path, '--force')).code).toBe(0);
    expect(await readFile(path, 'utf8')).toMatch(/^user_id,/);
  });

  test.each([['mine.csv'], ['overrides.csv']])(
    'results of an import do not replace %s, which holds something else, and nothing is imported',
    async (name) => {
      const path = join(folder, name);
      await writeFile(path, name === 'mine.csv' ? 'mine' : typical);
      const { code, stderr } = await importing(typical, '--yes', '--results', path);
      expect(code).not.toBe(0);
      expect(stderr).toMatch(/exists and does not hold the results of an import\. Nothing was changed\./);
      expect(await readFile(path, 'utf8')).toBe(name === 'mine.csv' ? 'mine' : typical);
      expect(overrides()).toEqual({});
    },
  );

  test('NONE removes, another warehouse updates', async () => {
    await importing(typical, '--yes');
    const { stdout } = await importing(
      `user,type,warehouse\nana,NONE,\nana@example.com,NONE,\nben@example.com,,shared ANALYTICS\n`,
      '--yes',
      '--skip-invalid',
    );
    expect(stdout).toContain('- line 3  ana@example.com  Shared analytics → No override');
    expect(stdout).toContain('~ line 4  ben@example.com  Last selected → Shared analytics');
    expect(overrides()).toEqual({ [USERS.ben]: shared, [USERS.chloe]: science });
  });

  test('a line that fails affects no other line, and is distinguished from them', async () => {
    const path = `/api/warehouses/v1/default-warehouse-overrides/${USERS.ben}`;
    cli.workspace.faults.add({
      effect: { kind: 'answer', status: 400, body: '{"message":"bad day"}' },
      path,
      times: 'always',
    });
    const { code, stderr } = await importing(typical, '--yes');
    expect(code).toBe(2);
    expect(stderr).toContain('! line 3  ben@example.com  The workspace answered 400: bad day');
    expect(overrides()).toEqual({ [USERS.ana]: shared, [USERS.chloe]: science });
    expect((await resultLines()).filter((line) => line.includes(',failed,'))).toHaveLength(1);
  });

  test('where every line fails, nothing is said to have been changed', async () => {
    cli.workspace.faults.add({
      effect: { kind: 'answer', status: 400, body: '{"message":"bad day"}' },
      path: '/api/warehouses/v1/default-warehouse-overrides/*',
      times: 'always',
    });
    const { code, stderr } = await importing(typical, '--yes');
    expect(code).toBe(2);
    expect(stderr).toContain('3 failed.');
    expect(stderr).not.toContain('Changed in');
    expect(overrides()).toEqual({});
  });

  test('an error that would fail all lines stops them, names the lines that were not tried, and they can be resumed', async () => {
    const people = manyPeople(40);
    cli.workspace.state.replace({ users: [...fixtureUsers(), ...people] });
    const text = `user,warehouse\n${people.map(({ userName }) => `${userName},${shared}\n`).join('')}`;
    const overridesPath = '/api/warehouses/v1/default-warehouse-overrides/*';
    const fault = cli.workspace.faults.add({
      effect: { kind: 'block-ip' },
      path: overridesPath,
      skip: 20,
      times: 'always',
    });

    const { code } = await importing(text, '--yes');
    expect(code).toBe(5);
    const lines = await resultLines();
    expect(lines).toHaveLength(41);
    const count = (result: string) => lines.filter((line) => line.includes(`,${result},`)).length;
    expect(count('done') + count('failed') + count('not-tried')).toBe(40);
    expect(count('not-tried')).toBeGreaterThan(20);
    expect(count('done')).toBeGreaterThan(5);

    cli.workspace.faults.remove(fault.id);
    const again = await importing(text, '--yes');
    expect(again.code).toBe(0);
    expect(Object.keys(overrides())).toHaveLength(40);
  });

  test.each([
    [
      'a user that does not exist',
      'user,warehouse\nnobody@example.com,Data science\n',
      'User "nobody@example.com" does not exist.',
    ],
    [
      'a warehouse that does not exist',
      'user,warehouse\nben@example.com,Nowhere\n',
      'Warehouse "Nowhere" does not exist.',
    ],
    ['a part of a name', 'user,warehouse\nben@example.com,Data\n', 'Warehouse "Data" does not exist.'],
    [
      'a warehouse that is being deleted',
      'user,warehouse\nben@example.com,Retired reports\n',
      'Retired reports is being deleted.',
    ],
    ['an unknown type', 'user,type,warehouse\nben@example.com,PINNED,Data science\n', '"PINNED" is not a type'],
    ['CUSTOM without a warehouse', 'user,type,warehouse\nben@example.com,CUSTOM,\n', 'CUSTOM needs a warehouse.'],
    ['nothing at all', 'user,type,warehouse\nben@example.com,,\n', 'No type and no warehouse is given.'],
    ['no user', 'user,warehouse\n,Data science\n', 'No user is given.'],
    [
      'a user twice',
      'user,warehouse\nben@example.com,Starter Warehouse\nben@example.com,Data science\n',
      'line 3  ben@example.com  This user is in line 2 too.',
    ],
    ['an id that a spreadsheet has damaged', `${HEADER}9.00720E+18,,CUSTOM,${shared},\n`, 'damaged by a spreadsheet'],
  ])('a line with %s is invalid and says why', async (_what, text, problem) => {
    const { code, stdout } = await importing(text, '--dry-run');
    expect(code).toBe(1);
    expect(stdout).toContain(problem);
  });

  test.each([
    ['semicolons', `user;type;warehouse\r\nben@example.com;CUSTOM;Data science\r\n`],
    ['tabs', `user\ttype\twarehouse\nben@example.com\tCUSTOM\tData science\n`],
    [
      'a byte order mark and quotation marks',
      `\uFEFF"User","Type","Warehouse"\n"ben@example.com","CUSTOM","Data science"\n\n`,
    ],
  ])('reads %s', async (_what, text) => {
    expect((await importing(text, '--yes')).code).toBe(0);
    expect(overrides()).toEqual({ [USERS.ben]: science });
  });

  test.each([
    ['an export', [{ userId: USERS.ben, userName: '', type: 'CUSTOM', warehouseId: science, warehouseName: null }]],
    ['an import', [{ user_name: 'ben@example.com', warehouse_name: 'Data science' }]],
    [
      'the workspace itself',
      [
        {
          default_warehouse_override_id: USERS.ben,
          name: `default-warehouse-overrides/${USERS.ben}`,
          type: 'CUSTOM',
          warehouse_id: science,
        },
      ],
    ],
  ])('accepts JSON with the names of %s', async (_whose, entries) => {
    expect((await importing(JSON.stringify(entries, null, 2), '--yes')).code).toBe(0);
    expect(overrides()).toEqual({ [USERS.ben]: science });
  });

  test('a JSON export can be imported: nothing changes', async () => {
    await importing(typical, '--yes');
    const { stdout } = await cli.run('ana', 'warehouse', 'export', '--json');
    expect((await importing(stdout, '--dry-run')).stderr).toContain('3 unchanged.');
  });

  test.each([
    ['of invalid JSON', '[\n  {"user_id": me}]', 'cannot be imported: line 2, column 15: invalid symbol.'],
    ['of JSON whose list is none', '{"overrides": {}}', 'line 1, column 2: overrides: it is not a list of overrides'],
    ['of JSON that is not a list', '{"user_id": "1"}', 'line 1, column 1: it is not a list of overrides'],
    ['of JSON with an entry that is not an object', '[{},\n7]', 'line 2, column 1: 1: it is not an object'],
    [
      'of JSON whose ids are numbers',
      '[{"user_id": 9007199254740993001}]',
      'line 1  Column 3: user_id is a number, not a string.',
    ],
    ['without the columns', 'name,place\nben,here\n', 'line 1  Column 1: "name" is not a column of an import.'],
    ['with an open quotation mark', 'user,warehouse\n"ben,x\n', 'cannot be imported'],
    ['that is empty', '', 'line 1  There is no column "user", and none of "user_id" and "user_name".'],
  ])('a file %s is refused completely', async (_what, text, words) => {
    const { code, stdout, stderr } = await importing(text, '--yes');
    expect(code).toBe(1);
    expect(`${stdout}${stderr}`).toContain(words);
    expect(overrides()).toEqual({});
  });

  test('a user who is not an admin is refused before anything is changed', async () => {
    const { code, stderr } = await cli.run('ben', 'warehouse', 'import', await file(typical), '--yes');
    expect(code).toBe(1);
    expect(stderr).toContain('Only workspace admins can see the overrides of all users.');
  });

  test('prints a result for each line as JSON', async () => {
    const { stdout } = await importing(typical, '--yes', '--json');
    const done = { action: 'create', result: 'done', before: null, after: { type: expect.any(String) } };
    expect(JSON.parse(stdout)).toMatchObject({
      dryRun: false,
      lines: [2, 3, 4].map((line) => ({ line, ...done })),
      journal: expect.any(String),
      place: { profile: 'ana', userName: 'ana@example.com' },
    });
  });
});

describe('export', () => {
  test('returns ids and names, and neutralizes what a spreadsheet would run', async () => {
    const [person] = manyPeople(1);
    if (!person) throw new Error('unreachable');
    const evil: User = { ...person, userName: '=HYPERLINK("x")' };
    cli.workspace.state.replace({
      users: [...fixtureUsers(), evil],
      overrides: [{ userId: evil.id, type: 'CUSTOM', warehouseId: shared }],
    });
    const { stdout } = await cli.run('ana', 'warehouse', 'export');
    expect(stdout).toBe(`${HEADER}${evil.id},"'=HYPERLINK(""x"")",CUSTOM,${shared},Shared analytics\n`);
    // As everywhere, "-" is stdout and no file of that name.
    expect(await cli.run('ana', 'warehouse', 'export', '-')).toEqual({ code: 0, stdout, stderr: '' });
    expect(existsSync('-')).toBe(false);
  });

  test('shows nothing in a file’s name that a terminal would execute', async () => {
    const { code, stderr } = await cli.run('ana', 'warehouse', 'export', join(folder, 'a\u001b[2J\u009bb.csv'));
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^Wrote 0 overrides to .*\/a\uFFFD\[2J\uFFFDb\.csv\.\n$/),
    });
  });

  test('leaves no file behind if it fails', async () => {
    const path = join(folder, 'out.csv');
    const { code } = await cli.run('ben', 'warehouse', 'export', path);
    expect(code).toBe(1);
    await expect(readFile(path)).rejects.toThrow('ENOENT');
    await expect(readFile(`${path}.partial`)).rejects.toThrow('ENOENT');
  });
});

function manyPeople(count: number): User[] {
  return Array.from({ length: count }, (_, at) => ({
    id: String(5_000_000_000_000_000_000n + BigInt(at)),
    userName: `person-${at}@example.com`,
    displayName: `Person ${at}`,
    admin: false,
    groups: ['users'],
    active: true,
    servicePrincipal: false,
  }));
}
