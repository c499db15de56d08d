import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { buildProgram } from '../../../main/cli/commands.ts';
import { complete, type KnownNames } from '../../../main/cli/completion/candidates.ts';
import { type BashLine, quoteForBash, readBashLine } from '../../../main/cli/completion/complete.ts';

const refuse = () => {
  throw new Error('No command runs in this test.');
};
const nowhere = new PassThrough();
const program = buildProgram({
  stdin: nowhere,
  stdout: nowhere,
  stderr: nowhere,
  env: {},
  quiet: false,
  signal: new AbortController().signal,
  causeway: refuse,
  inHome: refuse,
  setExitCode: refuse,
});

const NAMES: KnownNames = {
  profiles: [{ name: 'ana' }, { name: 'my profile' }],
  servers: [{ name: 'databricks-sql', id: '/api/2.0/mcp/sql' }],
  clients: [
    { name: 'cursor', id: 'Cursor' },
    { name: 'zed', id: 'Zed' },
  ],
  namedClients: [{ name: 'cursor', id: 'Cursor' }],
  tools: [{ name: 'execute_sql' }, { name: 'poll_sql_result' }],
  warehouses: [
    { name: 'Shared analytics', id: '8b' },
    { name: 'Shared endpoint', id: '9c' },
    { name: 'Starter', id: '1a' },
    { name: 'two\nlines', id: '2b' },
    { name: 'turned \u202egnuoy', id: '3c' },
  ],
  users: [{ name: 'ben@example.com', id: '12' }],
};

/** What the last of the words may become. */
function values(...words: string[]) {
  const found = complete(program, words.slice(0, -1), words.at(-1) ?? '', NAMES);
  return found.kind === 'words' ? found.candidates.map(({ value }) => value) : found.kind;
}

describe('completion', () => {
  test.each<[string[], string[] | string]>([
    [['ware'], ['warehouse', 'warehouses']],
    [
      ['warehouse', 's'],
      ['set', 'start', 'stop'],
    ],
    [['warehouse', '--prof'], ['--profile']],
    [['warehouse', 'set', '--js'], ['--json']],
    [
      ['warehouse', 'set', 'Sh'],
      ['Shared analytics', 'Shared endpoint'],
    ],
    [
      ['warehouse', 'set', 'sh'],
      ['Shared analytics', 'Shared endpoint'],
    ],
    [['warehouse', 'set', 'Shared', 'e'], ['endpoint']],
    [
      ['warehouse', 'set', '--profile', ''],
      ['ana', 'my profile'],
    ],
    [['warehouse', 'set', '--profile', 'ana', 'St'], ['Starter']],
    [['whoami', '--profile=m'], ['--profile=my profile']],
    [['whoami', '-p', 'a'], ['ana']],
    [['warehouse', 'for', 'b'], ['ben@example.com']],
    [
      ['warehouse', 'for', 'ben@example.com', 's'],
      ['show', 'set'],
    ],
    [
      ['warehouse', 'for', 'ben@example.com', 'set', 'Shared', ''],
      ['analytics', 'endpoint'],
    ],
    [['warehouse', 'import', ''], 'files'],
    [['servers', '--config-root', ''], 'folders'],
    [['servers', 'add', 'g'], ['genie']],
    [['servers', 'test', ''], ['databricks-sql']],
    [['servers', 'sign-in', ''], ['databricks-sql']],
    [['clients', 'add', '--server', 'd'], ['databricks-sql']],
    [['clients', 'add', 'c'], ['cursor']],
    [['permissions', 'set', ''], ['databricks-sql']],
    [['permissions', 'clear', 'd'], ['databricks-sql']],
    [['permissions', 'set', 'databricks-sql', '--client', ''], ['cursor']],
    [['permissions', 'set', 'databricks-sql', '--off', 'e'], ['execute_sql']],
    [['permissions', 'set', 'databricks-sql', '--ask', 'execute_sql', 'p'], ['poll_sql_result']],
    [
      ['permissions', 'set', 'databricks-sql', '--new', ''],
      ['on', 'off', 'ask'],
    ],
    [['permissions', 'set', 'databricks-sql', '--off', 'x', '--cl'], ['--client']],
    [['permissions', 'set', 'databricks-sql', '--on', 'x', '--off', 'e'], ['execute_sql']],
    [['permissions', 'set', 'databricks-sql', '--on', 'x', '--client', ''], ['cursor']],
    [['completion', 'z'], ['zsh']],
    [['help', 'warehouse', 'la'], ['last-selected']],
    [['warehouses', 'create-default-warehouse-override', 'me', 'C'], ['CUSTOM']],
    [['warehouses', 'create-default-warehouse-override', 'me', 'CUSTOM', '--warehouse-id', '8'], ['8b']],
    [['warehouse', 'set', '--', '--p'], []],
    [['bogus', 'x'], []],
  ])('of %j offers %j', (words, expected) => {
    expect(values(...words)).toEqual(expected);
  });

  test('never offers a name that spans several lines or reverses the text direction', () => {
    expect(values('warehouse', 'set', 't')).toEqual([]);
  });
});

describe('a bash command line', () => {
  const BREAKS = ' \t\n"\'@><=;|&(:';
  const read = (line: string) => readBashLine([line, String(Buffer.byteLength(line)), BREAKS]);

  test.each<[string, Partial<BashLine>]>([
    ['causeway warehouse se', { words: ['warehouse'], current: 'se', kept: 0, quote: undefined }],
    ['causeway a\\ b "c d" ', { words: ['a b', 'c d'], current: '' }],
    ['causeway --profile=an', { current: '--profile=an', kept: 10 }],
    ['causeway ben@ex', { current: 'ben@ex', kept: 4 }],
    ['causeway "Sha', { current: 'Sha', kept: 0, quote: '"' }],
    ["causeway 'it", { current: 'it', quote: "'" }],
    ["causeway 'it'x", { current: 'itx', kept: 2, quote: undefined }],
    ["causeway 'it\\' s", { words: ['it\\'], current: 's' }],
    ['causeway "a\\"b\\c', { current: 'a"b\\c', kept: 0, quote: '"' }],
    ['causeway "a"b:c"d', { current: 'ab:cd', kept: 4, quote: '"' }],
    ['causeway a\\:b:', { current: 'a:b:', kept: 4 }],
    ['causeway a\\', { current: 'a', kept: 0 }],
    ['causeway "a\\', { current: 'a', kept: 0, quote: '"' }],
    ['causeway "" x', { words: [''], current: 'x' }],
    ['causeway Größe x', { words: ['Größe'], current: 'x' }],
  ])('is read up to the cursor: %s', (line, expected) => {
    expect(read(line)).toMatchObject(expected);
  });

  test('gets candidates that remain one word and run nothing', () => {
    const hostile = 'a$(b)`c`"d\'e;f&g|h\\i';
    expect(quoteForBash(hostile, read('causeway '))).toBe('a\\$\\(b\\)\\`c\\`\\"d\\\'e\\;f\\&g\\|h\\\\i');
    expect(quoteForBash(hostile, read('causeway "a'))).toBe('a\\$(b)\\`c\\`\\"d\'e;f&g|h\\\\i');
    expect(quoteForBash(hostile, read("causeway 'a"))).toBe("a$(b)`c`\"d'\\''e;f&g|h\\i");
    expect(quoteForBash('ben@example.com', read('causeway ben@e'))).toBe('example.com');
  });
});
