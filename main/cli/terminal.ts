import { once } from 'node:events';
import { styleText } from 'node:util';
import { withoutControls } from '../platform/display.ts';
import type { Answer, AnswerName } from './answers/answers.ts';
import type { CommandContext } from './command.ts';
import { flowed, hanging, MOST_HELP, table, widthOf, wrapped } from './layout.ts';

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

/** Writes one line, as it may be shown in a terminal. In a terminal that is narrower, it is broken between words. */
export async function writeLine(output: Output, line: string): Promise<void> {
  await writeStyledLine(output, printable(line));
}

/**
 * Writes a line that is in `bold` in part; the rest of it has to be printable.
 * @param column where further lines begin, if a narrow terminal needs any; by default a little further than the first one
 */
export async function writeStyledLine(output: Output, line: string, column?: number): Promise<void> {
  await write(output, fitted(output, line, column));
}

/** Writes rows in columns that fit the terminal. */
export async function writeTable(
  { stdout }: Pick<CommandContext, 'stdout'>,
  rows: readonly string[][],
  heads?: readonly string[],
): Promise<void> {
  const cells = rows.map((row) => row.map(printable));
  for (const line of table(cells, terminalWidth(stdout), heads)) await writeStyledLine(stdout, line);
}

/** The columns of help that no terminal shows. */
const PIPED_WIDTH = 80;

/** How wide a page of help is. */
export function helpWidth(output: Output): number {
  return Math.min(terminalWidth(output) ?? PIPED_WIDTH, MOST_HELP);
}

/** A page of help, or a part of one, as it fits an output. */
export function flowedIn(output: Output, page: string): string {
  const width = terminalWidth(output);
  return width === undefined ? page : flowed(page, width);
}

/** A line, with its end, as it fits an output. */
export function fitted(output: Output, line: string, column?: number): string {
  const width = terminalWidth(output);
  return width === undefined ? `${line}\n` : `${hanging(line, width, column).join('\n')}\n`;
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
  stderr.write(fitted(stderr, `causeway: ${printable(host)} has not responded for 5 seconds. Still waiting…`));
}

/** Progress on stderr, so that the output itself can go into a file. Without a terminal only words are printed. */
export function openProgress({ stderr }: Pick<CommandContext, 'stderr'>, quiet = false): ProgressLine {
  const live = stderr.isTTY === true && !quiet;
  let shown = '';
  const show = (line: string) => {
    if (line === shown) return;
    shown = line;
    // Of a line that is broken by the terminal, only the last part would be overwritten.
    stderr.write(`${CLEAR_LINE}${beginning(line, terminalWidth(stderr, 1))}`);
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

function beginning(line: string, width: number | undefined): string {
  if (width === undefined || widthOf(line) <= width) return line;
  const [first = ''] = wrapped(line, width - 1);
  return `${first}…`;
}

/** An identifier of `--json`, such as `would-add`, as people read it. */
export function identifierText(identifier: string): string {
  return identifier.replaceAll('-', ' ');
}
