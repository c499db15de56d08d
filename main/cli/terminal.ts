import { once } from 'node:events';
import { styleText } from 'node:util';
import { withoutControls } from '../platform/display.ts';
import type { Answer, AnswerName } from './answers/answers.ts';
import type { CommandContext } from './command.ts';

type Output = CommandContext['stdout'];

/** The outputs that have content. */
const begun = new WeakSet<Output>();

/** Whether an output already has content: begun JSON must not be followed by other JSON. */
export function hasBegun(output: Output): boolean {
  return begun.has(output);
}

/** Writes a text and waits while the reader is slow, so that a long list does not pile up in memory. */
export async function write(output: Output, text: string): Promise<void> {
  begun.add(output);
  if (!output.write(text)) await once(output, 'drain');
}

/** Writes one line, as it may be shown in a terminal. */
export async function writeLine(output: Output, line: string): Promise<void> {
  await write(output, `${printable(line)}\n`);
}

/** Writes a line that is in `bold` in part; the rest of it has to be printable. */
export async function writeStyledLine(output: Output, line: string): Promise<void> {
  await write(output, `${line}\n`);
}

/** Writes what a command has done, or how to go on, to stdout. Nothing with `--quiet`. */
export async function writeDone({ stdout, quiet }: CommandContext, line: string): Promise<void> {
  if (!quiet) await writeLine(stdout, line);
}

/** Writes what is worth knowing beside the result to stderr. Nothing with `--quiet`. */
export async function writeNotice({ stderr, quiet }: CommandContext, line: string): Promise<void> {
  if (!quiet) await writeLine(stderr, line);
}

/** Writes a value as indented JSON. What a command prints with `--json` goes through `writeAnswer`. */
export async function writeJson(output: Output, value: unknown): Promise<void> {
  await write(output, `${JSON.stringify(value, null, 2)}\n`);
}

/** Writes what a command prints with `--json`. The name is that of its row in `main/cli/answers/answers.ts`, which gives the shape. */
export async function writeAnswer<Name extends AnswerName>(
  { stdout }: Pick<CommandContext, 'stdout'>,
  _name: Name,
  answer: Answer<Name>,
): Promise<void> {
  await writeJson(stdout, answer);
}

/** Writes one line of a command that prints such an answer for each change. */
export async function writeAnswerLine<Name extends AnswerName>(
  { stdout }: Pick<CommandContext, 'stdout'>,
  _name: Name,
  answer: Answer<Name>,
): Promise<void> {
  await write(stdout, `${JSON.stringify(answer)}\n`);
}

/** A line as it may be shown in a terminal: without the control characters that a terminal obeys. */
export function printable(text: string): string {
  return withoutControls(text);
}

/**
 * How many columns a terminal has, less some that stay free. None for what is no terminal: there, lines stay whole for the
 * programs that read them.
 */
export function terminalWidth({ isTTY, columns }: Output, free = 0): number | undefined {
  return isTTY === true && columns !== undefined && columns > 0 ? Math.max(LEAST_WIDTH, columns - free) : undefined;
}

/** A terminal that is narrower is treated as if it were not. */
const LEAST_WIDTH = 20;

/** Bold text if the terminal can show it (https://no-color.org). */
export function bold(text: string, { stdout, env }: Pick<CommandContext, 'stdout' | 'env'>): string {
  return stdout.isTTY === true && !env.NO_COLOR ? styleText('bold', text) : text;
}

/** A line of progress that is overwritten in place in a terminal, and stays out of the way anywhere else. */
export interface ProgressLine {
  update(done: number, total: number): void;
  /** Shows a message about the progress. */
  say(message: string): void;
  end(): void;
}

const BAR_WIDTH = 24;
const CLEAR_LINE = '\r\u001b[K';

/** The message once a host has been silent for five seconds. */
export function sayStillWaiting({ stderr }: Pick<CommandContext, 'stderr'>, host: string): void {
  stderr.write(`causeway: ${printable(host)} has not responded for 5 seconds. Still waiting…\n`);
}

/** Progress on stderr, so that the output itself can go into a file. Without a terminal only words are printed. */
export function openProgress({ stderr }: Pick<CommandContext, 'stderr'>, quiet = false): ProgressLine {
  const live = stderr.isTTY === true && !quiet;
  let shown = '';
  const show = (line: string) => {
    if (line === shown) return;
    shown = line;
    stderr.write(`${CLEAR_LINE}${line}`);
  };
  return {
    update: (done, total) => {
      if (!live || total === 0) return;
      const filled = Math.round((done / total) * BAR_WIDTH);
      show(`${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${done} of ${total}`);
    },
    say: (message) => {
      if (live) show(message);
      else if (!quiet) stderr.write(`${message}\n`);
    },
    end: () => {
      if (live && shown !== '') stderr.write(CLEAR_LINE);
    },
  };
}

/** An identifier of `--json`, such as `would-add`, as people read it. */
export function identifierText(identifier: string): string {
  return identifier.replaceAll('-', ' ');
}
