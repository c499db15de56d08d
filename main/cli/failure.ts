import { type Command, CommanderError } from 'commander';
import { ERROR_FACTS, type ErrorCode } from '../../preload/contract/error-facts.ts';
import { asCausewayError, CausewayError, sentences } from '../platform/errors.ts';
import { didYouMean, similarNames } from '../platform/similar-names.ts';
import { remedyFor } from '../words/failure.ts';
import type { JsonFailure } from './answers/failure.ts';

/** The error of `command`, for programs. */
export function jsonFailure(error: unknown, command?: Command): JsonFailure {
  if (error instanceof CommanderError) return usageFailure(error, command);
  const known = asCausewayError(error);
  const { code, message, candidates, retryAfterMs } = known;
  return {
    code,
    message,
    remedy: remedyFor('command', known) ?? null,
    candidates: candidates ? [...candidates] : null,
    retryAfterMs: retryAfterMs ?? null,
  };
}

function usageFailure({ message }: CommanderError, command: Command | undefined): JsonFailure {
  const [what = '', ...hints] = message.replace(/^error: /, '').split('\n');
  const remedy = sentences(...hints.map((hint) => hint.replace(/^\((.*)\)$/, '$1')), helpHint(command));
  return { code: 'usage', message: what, remedy, candidates: null, retryAfterMs: null };
}

function helpHint(command: Command | undefined): string {
  return `\`${command ? pathOf(command) : 'causeway'} --help\` shows its usage.`;
}

/** The error for an unknown command of a group, with those that are close to it, or all of them. */
export function noSuchCommand(name: string, group: Command): CausewayError {
  const known = group.commands.map((command) => command.name());
  const question = didYouMean(similarNames(name, known));
  const all = known.length === 0 ? undefined : `Use one of ${known.join(', ')}.`;
  return new CausewayError('usage', `"${name}" is not a command of ${pathOf(group)}.`, {
    remedy: question === undefined ? all : sentences(question, `\`${pathOf(group)} --help\` lists the commands.`),
    candidates: known.map((each) => ({ name: each })),
  });
}

/** What a group does by itself, unless what stands behind it is meant for a command that it does not have. */
export function unlessUnknown(
  run: (group: Command) => Promise<void>,
): (options: unknown, group: Command) => Promise<void> {
  return async (_options, group) => {
    const [unknown] = group.args;
    if (unknown !== undefined) throw noSuchCommand(unknown, group);
    await run(group);
  };
}

/** A command's full name, such as `causeway warehouse set`. */
export function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/**
 * Whether a failure is to be printed as JSON: `--json` was given, and is not, as with the commands that the Databricks CLI
 * has too, an option that takes a value.
 */
export function wantsJson(args: readonly string[], command: Command): boolean {
  for (let at: Command | null = command; at; at = at.parent) {
    const option = at.options.find(({ long }) => long === '--json');
    if (option?.required || option?.optional) return false;
  }
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? args.length : end).includes('--json');
}

/** The exit codes of every command but `proxy`. The README and `causeway help exit-codes` show this table. */
export const EXIT_CODES = {
  0: 'done',
  1: 'failed',
  2: 'wrong usage, or an ambiguous name',
  3: 'signed out, or no such profile',
  4: 'not found',
  5: 'the workspace could not be reached, or a check could not run',
  6: 'there are changes (`--dry-run --fail-on-change`)',
  130: 'interrupted',
} as const;

export type ExitCode = keyof typeof EXIT_CODES;

/** The exit code for a thrown error. */
export function exitCodeOf(error: unknown): ExitCode {
  if (!(error instanceof CausewayError)) return 1;
  // A script that tries again where the workspace was not reached must not repeat a change that may have been made. Asked
  // of the property, because the class of these errors brings the schema library to every command's start.
  if (error.code !== 'cancelled' && 'mayHaveRun' in error && error.mayHaveRun === true) return 1;
  return ERROR_FACTS[error.code].exit;
}

/** One exit code for several failures: theirs if they agree, else 1; 0 if there are none. */
export function exitCodeOfAll(errors: readonly unknown[]): ExitCode {
  return oneFor(errors.map(exitCodeOf));
}

/** The same for failures of which only the codes are known. */
export function exitCodeOfCodes(codes: readonly ErrorCode[]): ExitCode {
  return oneFor(codes.map((code) => ERROR_FACTS[code].exit));
}

function oneFor(codes: readonly ExitCode[]): ExitCode {
  const [first, ...others] = new Set(codes);
  if (first === undefined) return 0;
  return others.length === 0 ? first : 1;
}
