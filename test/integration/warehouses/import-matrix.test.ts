import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Override } from '../../workspace/model.ts';
import { type CommandLine, openCommandLine, USERS, WAREHOUSES } from './harness.ts';

const { shared, science, deleted } = WAREHOUSES;
const { ana, ben, chloe } = USERS;
const GONE_USER = '7777';

const HELD: Override[] = [
  { userId: ana, type: 'CUSTOM', warehouseId: shared },
  { userId: ben, type: 'LAST_SELECTED', warehouseId: undefined },
  { userId: chloe, type: 'CUSTOM', warehouseId: deleted },
  { userId: GONE_USER, type: 'CUSTOM', warehouseId: shared },
];

let cli: CommandLine;
let folder: string;
beforeAll(async () => {
  cli = await openCommandLine();
  folder = await mkdtemp(join(tmpdir(), 'causeway-matrix-'));
});
afterAll(async () => {
  await cli[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  const { overrides } = cli.workspace.state;
  overrides.clear();
  for (const one of HELD) overrides.set(one.userId, one);
  cli.workspace.requests.clear();
});

/** A table as a file of one format: the first row is the header. */
type Table = string[][];
const quoted = (cell: string) => (/[,;\t"\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const separated = (delimiter: string, end: string) => (table: Table) =>
  table.map((row) => `${row.map(quoted).join(delimiter)}${end}`).join('');
const asJson =
  (names: (name: string) => string, indent: number) =>
  ([header = [], ...rows]: Table) => {
    const entries = rows.map((row) =>
      Object.fromEntries(row.map((cell, at) => [names(header[at] ?? `extra${at}`), cell])),
    );
    return JSON.stringify(entries, null, indent);
  };
const camelCase = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

const FORMATS: Record<string, (table: Table) => string> = {
  'comma-separated': separated(',', '\n'),
  'Excel, semicolons': (table) => `\uFEFF${separated(';', '\r\n')(table)}`,
  'Excel, sep=': (table) => `sep=;\r\n${separated(';', '\r\n')(table)}`,
  'tab-separated': separated('\t', '\n'),
  JSON: asJson((name) => name, 2),
  'JSON of an export': asJson(camelCase, 0),
};

const HEADER = ['user_id', 'user_name', 'type', 'warehouse_id', 'warehouse_name'];
const row = (...cells: string[]) => [HEADER, cells];

/** What is wrong, the table, and what is said about it. Formats that cannot hold a mistake are named. */
const MISTAKES: [what: string, table: Table, said: RegExp, notIn?: RegExp][] = [
  [
    'a header "typ"',
    [
      ['user_id', 'typ', 'warehouse_id'],
      [ben, 'NONE', shared],
    ],
    /"typ" is not a (column|member) of an import\. Did you mean "type"\?/,
  ],
  [
    'an unknown column',
    [
      [...HEADER, 'cost'],
      [ben, '', 'NONE', '', '', '3'],
    ],
    /"cost" is not a (column|member)/,
  ],
  [
    'a cell too many',
    row(ben, '', 'CUSTOM', shared, '', 'x'),
    /line \d .*Column 6: the row has 6 cells, and the header has 5|"extra5" is not a member/,
  ],
  ['a cell too few', row(ben, '', 'CUSTOM', shared), /Column 5: the row has 4 cells, and the header has 5/, /JSON/],
  [
    'no user column',
    [
      ['type', 'warehouse'],
      ['CUSTOM', shared],
    ],
    /There is no column "user"|No user is given/,
  ],
  [
    'a column twice',
    [
      ['user', 'type', 'type'],
      [ben, 'NONE', 'NONE'],
    ],
    /Column 3: "type" is given twice/,
    /JSON/,
  ],
  [
    'a user twice',
    [HEADER, [ben, '', 'NONE', '', ''], ['', 'ben@example.com', 'LAST_SELECTED', '', '']],
    /This user is in line \d+ too\..*This user is in line \d+ too\./s,
    /JSON of an export/,
  ],
  [
    'another warehouse name than id',
    row(ben, '', 'CUSTOM', shared, 'Data science'),
    /warehouse_id 8baced1ff014912d is Shared analytics, and warehouse_name is "Data science"/,
  ],
  [
    'another name than that of a gone warehouse',
    row(chloe, '', 'CUSTOM', deleted, 'Data science'),
    new RegExp(`warehouse_id is ${deleted}, and warehouse_name "Data science" is ${science}`),
  ],
  [
    'another user name than id',
    row(ben, 'chloe@example.com', 'CUSTOM', shared, ''),
    new RegExp(`user_id ${ben} is ben@example.com, and user_name is "chloe@example.com"`),
  ],
  [
    'another user name than that of a gone user',
    row(GONE_USER, 'ben@example.com', 'CUSTOM', shared, ''),
    new RegExp(`user_id is ${GONE_USER}, and user_name "ben@example.com" is user ${ben}`),
  ],
  ['LAST_SELECTED with a warehouse', row(ana, '', 'LAST_SELECTED', shared, ''), /LAST_SELECTED takes no warehouse/],
  ['NONE with a warehouse', row(ana, '', 'NONE', '', 'Data science'), /NONE takes no warehouse.*"Data science"/],
  ['an unknown type', row(ana, '', 'PINNED', shared, ''), /"PINNED" is not a type/],
  ['CUSTOM without a warehouse', row(ana, '', 'CUSTOM', '', ''), /CUSTOM needs a warehouse/],
  ['an ID damaged by a spreadsheet', row('9.0072E+18', '', 'CUSTOM', shared, ''), /damaged by a spreadsheet/],
  ['a change for a user who is gone', row(GONE_USER, '', 'CUSTOM', science, ''), /User 7777 does not exist/],
  ['a user who never was', row('4711', '', 'NONE', '', ''), /User 4711 does not exist/],
  ['a change to a gone warehouse', row(ben, '', 'CUSTOM', deleted, ''), /Warehouse "f46b21c98d0e5a73" does not exist/],
  ['nothing at all', row(ben, '', '', '', ''), /No type and no warehouse is given/],
];

const importing = async (name: string, text: string, ...args: string[]) => {
  const path = join(folder, name);
  await writeFile(path, text);
  return cli.run('ana', 'warehouse', 'import', path, '--yes', ...args);
};

describe.each(Object.entries(FORMATS))('an import of %s', (format, write) => {
  test.each(MISTAKES.filter(([, , , notIn]) => !notIn?.test(format)))(
    'with %s says so, and changes nothing',
    async (_what, table, said) => {
      // The mistake is not on the only line: what is right beside it is not carried out either.
      const columns = table[0] ?? [];
      const right = columns.map((name) => ({ user_id: ana, user: ana, type: 'NONE' })[name] ?? '');
      const isAlone = table.some((cells) => cells.includes(ana));
      const { code, stdout, stderr } = await importing('matrix', write(isAlone ? table : [...table, right]));
      expect(`${stdout}${stderr}`).toMatch(said);
      expect(stderr).toContain('Nothing was changed');
      expect(code).toBe(1);
      expect([...cli.workspace.state.overrides.values()]).toEqual(HELD);
    },
  );

  test('with everything right, in a spreadsheet’s manner, is carried out', async () => {
    const table = [HEADER, [ben, ' ben@example.com ', 'custom', '', 'Data science'], [chloe, '', 'NONE', '', '']];
    const { code, stderr } = await importing('right', write(table));
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('2 done.') });
    expect(cli.workspace.state.overrides.get(ben)).toEqual({ userId: ben, type: 'CUSTOM', warehouseId: science });
    expect(cli.workspace.state.overrides.has(chloe)).toBe(false);
  });
});

describe('an import', () => {
  test('names all mistakes at once, each with its line, cells with line ends included', async () => {
    const text = `user_id,user_name,typ,place\n"${ben}","a\nb",NONE,x\n\n,,,\n${ana},x,NONE\n${chloe},x,NONE,y,z\n`;
    const { stdout, code } = await importing('all.csv', text);
    expect(stdout).toBe(
      [
        '! line 1  Column 3: "typ" is not a column of an import. Did you mean "type"? Column 4: "place" is not a column of an import. The known ones are user_id, user_name, type, warehouse_id, warehouse_name, user, warehouse. There is no column "warehouse", and none of "warehouse_id" and "warehouse_name".',
        '! line 6  Column 4: the row has 3 cells, and the header has 4.',
        '! line 7  Column 5: the row has 5 cells, and the header has 4.',
        '',
      ].join('\n'),
    );
    expect(code).toBe(1);
  });

  test('names the line and the column of an unknown member', async () => {
    const { stdout } = await importing(
      'all.json',
      `[\n  {"user_id": "${ben}", "type": "NONE"},\n  {"user_id": "${ana}",\n   "typ": "NONE"}\n]`,
    );
    expect(stdout).toContain('! line 4  Column 4: "typ" is not a member of an import. Did you mean "type"?');
  });

  test.each(['constructor', 'toString', '__defineGetter__'])('knows no member %s', async (member) => {
    const { code, stdout } = await importing(
      'hostile.json',
      JSON.stringify([{ user: ben, type: 'NONE', [member]: 'x' }]),
    );
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringContaining(`"${member}" is not a member of an import`),
    });
  });

  test.each([
    ['CSV', []],
    ['JSON', ['--json']],
  ])('of an untouched export as %s changes nothing, dangling rows included', async (_format, args) => {
    const { stdout } = await cli.run('ana', 'warehouse', 'export', ...args);
    const { code, stderr } = await importing('untouched', stdout);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '0 changes, 4 unchanged.\n' });
    expect([...cli.workspace.state.overrides.values()]).toEqual(HELD);
  });

  test('takes the apostrophe that an export puts before a formula for no part of the name', async () => {
    const evil = { ...cli.workspace.state.users[0], userName: '=2+5@example.com', id: '5151' };
    const { users } = cli.workspace.state;
    const [first] = users;
    if (!first) throw new Error('unreachable');
    users.push({ ...first, ...evil, admin: false });
    cli.workspace.state.overrides.set('5151', { userId: '5151', type: 'CUSTOM', warehouseId: shared });
    const { stdout } = await cli.run('ana', 'warehouse', 'export');
    expect(stdout).toContain("'=2+5@example.com");
    expect((await importing('defused.csv', stdout)).stderr).toBe('0 changes, 5 unchanged.\n');
    const byName = await importing(
      'by-name.csv',
      "user,type\n'=2+5@example.com,NONE\n".replace('type', 'type,warehouse').replace('NONE', 'NONE,'),
    );
    expect(byName.code).toBe(0);
    expect(cli.workspace.state.overrides.has('5151')).toBe(false);
    users.pop();
  });

  test('removes the override of a user who is gone', async () => {
    const { code } = await importing('gone.csv', `user,type,warehouse\n${GONE_USER},NONE,\n`);
    expect(code).toBe(0);
    expect(cli.workspace.state.overrides.has(GONE_USER)).toBe(false);
  });

  test('with --skip-invalid applies the lines that are right, and ends with exit code 1', async () => {
    const { code, stderr } = await importing(
      'some.csv',
      `user,type,warehouse\nben,NONE,\nben@example.com,NONE,\n`,
      '--skip-invalid',
    );
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('1 invalid, 1 done.') });
    expect(cli.workspace.state.overrides.has(ben)).toBe(false);
  });

  test('with --only clears the overrides of all others', async () => {
    const { code, stdout } = await importing('only.csv', `user,warehouse\nana@example.com,${shared}\n`, '--only');
    expect(code).toBe(0);
    expect(stdout).toContain('- other user  ben@example.com  Last selected → No override');
    expect([...cli.workspace.state.overrides.keys()]).toEqual([ana]);
  });

  test.each([
    ['an empty file', 'user,warehouse\n', ['--only'], 'only.csv has no lines: --only would clear every override.'],
    [
      '--skip-invalid',
      'user,warehouse\n',
      ['--only', '--skip-invalid'],
      '--only and --skip-invalid do not go together.',
    ],
    ['no dry run', 'user,warehouse\n', ['--fail-on-change'], '--fail-on-change needs --dry-run.'],
  ])('refuses options that do not fit: %s', async (_what, text, args, said) => {
    const { code, stderr } = await importing('only.csv', text, ...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(said) });
    expect([...cli.workspace.state.overrides.values()]).toEqual(HELD);
  });

  test.each([
    ['something would change', `user,type,warehouse\n${ben},NONE,\n`, 6],
    ['nothing would change', `user,type,warehouse\n${ben},LAST_SELECTED,\n`, 0],
    ['a line is invalid', `user,type,warehouse\n${ben},NONE,\nnobody,NONE,\n`, 1],
  ])('as a dry run with --fail-on-change ends for CI: %s', async (_what, text, expected) => {
    const { code } = await importing('ci.csv', text, '--dry-run', '--fail-on-change');
    expect(code).toBe(expected);
    expect([...cli.workspace.state.overrides.values()]).toEqual(HELD);
  });
});
