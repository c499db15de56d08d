import type { Command } from 'commander';
import { CommanderError } from 'commander';
import { asCausewayError, type Candidate, CausewayError, type ErrorCode } from '../platform/errors.ts';
import { sentences } from '../platform/sentences.ts';

/** A failure as `--json` prints it. */
export interface JsonFailure {
  code: ErrorCode;
  message: string;
  /** What to do about it; null where nothing is known to help. */
  remedy: string | null;
  /** What a name that fits nothing, or several, may have meant. */
  candidates?: readonly Candidate[];
  /** How long the workspace asked to be left alone, in milliseconds. */
  retryAfterMs?: number;
}

/** What was thrown while `command` ran, for a program to read. */
export function jsonFailure(error: unknown, command?: Command): JsonFailure {
  if (error instanceof CommanderError) return usageFailure(error, command);
  const { code, message, remedy = null, candidates, retryAfterMs } = asCausewayError(error);
  return {
    code,
    message,
    remedy,
    ...(candidates && { candidates }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

function usageFailure({ code, message }: CommanderError, command: Command | undefined): JsonFailure {
  const [what = '', ...hints] = message.replace(/^error: /, '').split('\n');
  const remedy = sentences(...hints.map((hint) => hint.replace(/^\((.*)\)$/, '$1')), helpHint(command));
  const isUnknown = code === 'commander.unknownCommand';
  const known = isUnknown && command ? command.commands.map((each) => ({ name: each.name() })) : undefined;
  return { code: 'usage', message: what, remedy, ...(known && { candidates: known }) };
}

function helpHint(command: Command | undefined): string {
  return `\`${command ? pathOf(command) : 'causeway'} --help\` shows how it is used.`;
}

/** The refusal of a name that is none of a group's commands; it has them all. */
export function noSuchCommand(name: string, group: Command): CausewayError {
  const known = group.commands.map((command) => command.name());
  return new CausewayError('usage', `"${name}" is no command of ${pathOf(group)}.`, {
    ...(known.length > 0 ? { remedy: `It has ${known.join(', ')}.` } : {}),
    candidates: known.map((each) => ({ name: each })),
  });
}

/** A command's whole name, such as `causeway warehouse set`. */
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
