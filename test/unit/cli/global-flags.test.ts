import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { buildProgram, commandFirst } from '../../../main/cli/commands.ts';
import { GLOBAL_FLAGS, leadingFlags } from '../../../main/cli/global-flags.ts';

const output = () => new PassThrough();
const program = buildProgram({
  stdout: output(),
  stderr: output(),
  stdin: output(),
  env: {},
  quiet: false,
  signal: new AbortController().signal,
  causeway: () => {
    throw new Error('nothing runs');
  },
  inHome: () => {
    throw new Error('nothing runs');
  },
  setExitCode: () => undefined,
});
const line = (text: string) => commandFirst(program, text.split(' ')).join(' ');

describe('global flags', () => {
  test.each([
    ['--profile ana whoami', 'whoami --profile ana'],
    ['-p ana whoami --json', 'whoami -p ana --json'],
    ['-p=ana warehouse list', 'warehouse list -p=ana'],
    ['--json --profile=ana warehouse set Shared analytics', 'warehouse set --json --profile=ana Shared analytics'],
    ['--profile ana servers --json browse --kind apps', 'servers browse --profile ana --json --kind apps'],
    ['warehouse -p ana --json list', 'warehouse list -p ana --json'],
    ['--json rules list', 'permissions list --json'],
    ['--config-root /home/x clients add cursor', 'clients add --config-root /home/x cursor'],
    [
      '-p ben --debug warehouses --output json get-default-warehouse-override me',
      'warehouses get-default-warehouse-override -p ben --debug --output json me',
    ],
  ])('%s is read as %s', (given, read) => {
    expect(line(given)).toBe(read);
  });

  test.each([
    'whoami --profile ana',
    'warehouse set --json Shared',
    '--json',
    '--profile ana',
    '--profile',
    '--unknown whoami',
    '--profile ana bogus',
    'warehouse --json bogus',
    'help warehouse set',
    '-- --profile whoami',
    '--profile whoami',
  ])('%s stays', (given) => {
    expect(line(given)).toBe(given);
  });

  test('the flags of the commands of the Databricks CLI are all among them', () => {
    const original = program.commands.find((command) => command.name() === 'warehouses')?.options ?? [];
    for (const { short, long, optional } of original) {
      expect(GLOBAL_FLAGS).toContainEqual(
        expect.objectContaining({ long, ...(short && { short }), hasValue: optional }),
      );
    }
    expect(original.length).toBe(8);
  });

  test('are told apart from the rest without any command', () => {
    expect(leadingFlags(['--profile', 'ana', 'proxy', '--all'])).toEqual({
      flags: ['--profile', 'ana'],
      rest: ['proxy', '--all'],
    });
    expect(leadingFlags(['--profile'])).toEqual({ flags: ['--profile'], rest: [] });
  });
});
