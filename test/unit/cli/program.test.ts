import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { afterAll, describe, expect, test } from 'vitest';
import type { CommandContext } from '../../../main/cli/command.ts';
import { buildProgram } from '../../../main/cli/commands.ts';
import { isDropIn } from '../../../main/cli/drop-in/group.ts';
import { EXIT_CODES, pathOf } from '../../../main/cli/failure.ts';
import { EXAMPLES } from '../../../main/cli/help.ts';
import { runProgram } from '../../../main/cli/program.ts';
import { asksForAll, parseAllArguments, parseProxyArguments } from '../../../main/cli/proxy-arguments.ts';
import { VERSION } from '../../../main/platform/version.ts';
import { checkAnswer } from '../../answers.ts';

function context(): CommandContext {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const refuse = () => {
    throw new Error('No command runs in this test.');
  };
  return {
    stdin,
    stdout,
    stderr,
    env: {},
    quiet: false,
    signal: new AbortController().signal,
    causeway: refuse,
    inHome: refuse,
    setExitCode: refuse,
  };
}

const withAll = (command: Command): Command[] => [command, ...command.commands.flatMap(withAll)];
const COMMANDS = withAll(buildProgram(context()));

/** A folder in which nothing is. */
const folder = await mkdtemp(join(tmpdir(), 'causeway-program-'));
afterAll(() => rm(folder, { recursive: true }));

async function run(...args: string[]) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const code = await runProgram(args, { stdin, stdout, stderr, env: { CAUSEWAY_HOME: join(folder, 'home') } });
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  checkAnswer(args, { code, stdout: out });
  return { code, stdout: out, stderr: err };
}

describe('the help of a command', () => {
  test.each(COMMANDS.map((command) => [pathOf(command)]))('of "%s" has at least one example', (path) => {
    expect(EXAMPLES[path] ?? []).not.toHaveLength(0);
  });

  test('has no examples for commands that do not exist', () => {
    expect(Object.keys(EXAMPLES).filter((path) => !COMMANDS.some((command) => pathOf(command) === path))).toEqual([]);
  });

  test.each(Object.entries(EXAMPLES).flatMap(([path, examples]) => examples.map((each) => [each, path])))(
    'has an example that parses: %s',
    async (example, path) => {
      const [program = '', ...args] = example.split(/ [>|] /)[0]?.split(' ') ?? [];
      expect(program).toBe('causeway');
      if (args[0] === 'proxy' && asksForAll(args)) return void parseAllArguments(args.slice(1));
      if (args[0] === 'proxy') return void parseProxyArguments(args.slice(1));
      const root = buildProgram(context());
      let ran = '';
      for (const command of withAll(root)) {
        command.action(() => {
          ran = pathOf(command);
        });
      }
      await root.parseAsync(args, { from: 'user' });
      // The program's own examples are of its commands.
      expect(ran.startsWith(path)).toBe(true);
    },
  );

  test('prints examples for nested commands, with either way to ask for help', async () => {
    const asked = await run('help', 'warehouse', 'set');
    expect(asked).toMatchObject({ code: 0, stderr: '' });
    expect(asked.stdout).toContain('Usage: causeway warehouse set [options] <name...>');
    expect(asked.stdout).toContain('$ causeway warehouse set Shared endpoint');
    expect((await run('warehouse', 'set', '--help')).stdout).toBe(asked.stdout);
    expect((await run('warehouse', 'help', 'set')).stdout).toBe(asked.stdout);
    expect((await run('help', 'proxy')).stdout).toContain('Bridges one managed MCP server');
  });

  test('says nothing of exit codes, which have a page of their own', async () => {
    const { stdout } = await run('help', 'exit-codes');
    for (const [code, meaning] of Object.entries(EXIT_CODES))
      expect(stdout).toContain(`  ${code.padEnd(3)}  ${meaning}\n`);
    expect((await run('help', 'warehouse', 'set')).stdout).not.toContain('xit code');
    expect((await run('--help')).stdout).toContain('causeway help exit-codes');
  });

  test('refuses a command that does not exist, and lists those that do', async () => {
    const { code, stdout, stderr } = await run('help', 'warehouse', 'bogus');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^causeway: "bogus" is not a command of causeway warehouse\. Use one of set, /);
  });

  test('has the same exit codes as the documents', () => {
    const readme = readFileSync(new URL('../../../docs/commands.md', import.meta.url), 'utf8');
    const rows = [...readme.matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, code, meaning]) => [code, meaning]);
    expect(Object.fromEntries(rows)).toEqual(EXIT_CODES);
  });
});

test.each(['-v', '--version'])('causeway %s prints the version', async (flag) => {
  expect(await run(flag)).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
});

test.each([
  ['whoami', '--profile='],
  ['whoami', '--profile', ''],
  ['warehouse', '-p', '', 'list'],
  ['warehouse', 'list', '--profile='],
  ['servers', 'add', 'sql', '--profile='],
])('causeway %s %s %s refuses the empty value and names the option', async (...args) => {
  const { code, stdout, stderr } = await run(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^causeway: --profile was given without a value\. Add a value, or leave the option out\./);
});

test.each([
  [['servers', 'browse', '--of'], "unknown option '--of'", 'causeway servers browse --help` for its usage'],
  [
    ['permissions', 'set', '--off'],
    "option '--off <tool...>' argument missing",
    'causeway permissions set --help` for its usage',
  ],
])('%j is refused in the words of every other error, with the help that fits', async (args, words, help) => {
  const { stderr } = await run(...args);
  expect(stderr).toContain(`causeway: ${words}\n`);
  expect(stderr).toContain(`(run \`${help})\n`);
  expect(stderr).not.toContain('error:');
});

test.each([
  [['srevers'], 'servers', 'causeway'],
  [['help', 'wharehouse'], 'warehouse', 'causeway'],
  [['policy', 'shwo'], 'show', 'causeway policy'],
  [['warehouse', 'sett'], 'set', 'causeway warehouse'],
  [['clients', 'rapair'], 'repair', 'causeway clients'],
])('%j suggests "%s"', async (args, command, group) => {
  const { code, stdout, stderr } = await run(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toBe(
    `causeway: "${args.at(-1)}" is not a command of ${group}. Did you mean "${command}"? \`${group} --help\` lists the commands.\n`,
  );
});

const LEAVES = COMMANDS.filter((command) => command.commands.length === 0);

test.each(
  LEAVES.filter((command) => !command.registeredArguments.some(({ variadic }) => variadic))
    .filter((command) => pathOf(command) !== 'causeway proxy' && !isDropIn(command))
    .map((command) => [pathOf(command), command.registeredArguments.map(() => 'x')] as const),
)('%s refuses an argument too many, so that nobody thinks that it counts', async (path, taken) => {
  const { code, stdout, stderr } = await run(...path.split(' ').slice(1), ...taken, 'another');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('too many arguments');
});

describe('--json', () => {
  test.each([
    [['whoami', '--json', '--bogus'], "unknown option '--bogus'"],
    [['bogus', '--json'], '"bogus" is not a command of causeway.'],
    [['warehouse', 'set', '--json'], "missing required argument 'name'"],
    [['warehouse', '--json', 'bogus'], '"bogus" is not a command of causeway warehouse.'],
    [['help', 'bogus', '--json'], "unknown option '--json'"],
    [['whoami', '--profile', '', '--json'], '--profile was given without a value.'],
  ])('prints the usage error for %j as JSON on stdout', async (args, message) => {
    const { code, stdout, stderr } = await run(...args);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'usage', message, remedy: expect.any(String) } });
    expect(stderr).not.toBe('');
  });

  test('lists the commands that a misspelled one may have meant', async () => {
    const { stdout } = await run('servers', 'rmeove', '--json');
    const { candidates } = JSON.parse(stdout).error;
    expect(candidates).toContainEqual({ name: 'remove' });
  });

  test('is not treated as a flag after --, nor as the value of another option', async () => {
    expect((await run('bogus', '--', '--json')).stdout).toBe('');
  });
});
