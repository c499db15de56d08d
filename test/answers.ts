import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { expect } from 'vitest';
import { ANSWERS } from '../main/cli/answers/answers.ts';
import { failed } from '../main/cli/answers/failure.ts';
import type { CommandContext } from '../main/cli/command.ts';
import { buildProgram, commandFirst } from '../main/cli/commands.ts';
import { isDropIn } from '../main/cli/drop-in/group.ts';
import { pathOf, wantsJson } from '../main/cli/failure.ts';

const PROGRAM = buildProgram(withoutRunning());

/**
 * Checks what `causeway ARGS` has printed against the schema of that command, if it was to print JSON: one document, with every
 * member that the schema has and none that it does not have. Whatever test runs a command through `runCommand` or `runCauseway` does this.
 * @returns the name of the answer; undefined if the command prints something else
 */
export function checkAnswer(
  args: readonly string[],
  { stdout, code }: { stdout: string; code: number | null },
): string | undefined {
  const words = commandFirst(PROGRAM, args);
  const command = commandOf(PROGRAM, words);
  if (isDropIn(command) || !wantsJson(words, command) || printsAnother(words)) return undefined;
  const isWatching = words.some((word) => word === '--watch' || word === '-w');
  const name = `${pathOf(command).replace(/^causeway ?/, '')}${variantOf(words)}`;
  for (const text of isWatching ? stdout.split('\n').slice(0, -1) : [stdout]) {
    // A list that is printed as it arrives is cut off by a failure.
    if (text === '' || (code !== 0 && text.startsWith('{"overrides": ') && !text.endsWith('\n]\n}\n'))) continue;
    const answer: unknown = JSON.parse(text);
    const hasFailed = Object.hasOwn(Object(answer), 'error') && Object.keys(Object(answer)).length === 1;
    const schema = hasFailed ? failed : new Map(Object.entries(ANSWERS)).get(name);
    if (!schema) throw new Error(`\`${name}\` prints JSON, but has no row in main/cli/answers/answers.ts.`);
    expect(schema.parse(answer), `what \`causeway ${name} --json\` prints`).toEqual(answer);
  }
  return name;
}

function variantOf(words: readonly string[]): string {
  if (words.some((word) => word === '--watch' || word === '-w')) return ' --watch';
  return words.some((word) => word === '--export' || word.startsWith('--export=')) ? ' --export' : '';
}

/** `provision --schema` and `provision --export -` print a schema and a file. */
function printsAnother(words: readonly string[]): boolean {
  return words[0] === 'provision' && (words.includes('--schema') || words.includes('-'));
}

function commandOf(command: Command, [word, ...rest]: readonly string[]): Command {
  const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word ?? ''));
  return next ? commandOf(next, rest) : command;
}

function withoutRunning(): CommandContext {
  const nowhere = new PassThrough();
  const refuse = () => {
    throw new Error('No command runs here.');
  };
  const signal = AbortSignal.abort();
  const streams = { stdin: nowhere, stdout: nowhere, stderr: nowhere };
  return { ...streams, env: {}, quiet: false, signal, causeway: refuse, inHome: refuse, setExitCode: refuse };
}
