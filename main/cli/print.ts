import { once } from 'node:events';
import { styleText } from 'node:util';
import { withoutControls } from '../platform/display.ts';
import { jsonArrayLines } from '../platform/json-array.ts';
import type { CommandContext } from './command.ts';

type Output = CommandContext['stdout'];

/** Writes a text and waits while the reader is slow, so that a long list does not pile up in memory. */
export async function write(output: Output, text: string): Promise<void> {
  if (!output.write(text)) await once(output, 'drain');
}

/** Writes one line. */
export async function writeLine(output: Output, line: string): Promise<void> {
  await write(output, `${line}\n`);
}

/** Writes a value as indented JSON. */
export async function writeJson(output: Output, value: unknown): Promise<void> {
  await writeLine(output, JSON.stringify(value, null, 2));
}

/** Writes a JSON array one element at a time. */
export async function writeJsonArray(output: Output, values: AsyncIterable<unknown>): Promise<void> {
  for await (const some of jsonArrayLines(values)) await write(output, some);
}

/** A line as it may be shown in a terminal: without the control characters that a terminal obeys. */
export function printable(text: string): string {
  return withoutControls(text);
}

/** Rows in columns, the last one as wide as it likes. */
export function columns(rows: readonly string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** A bold text where there is a terminal that shows it (https://no-color.org). */
export function bold(text: string, { stdout, env }: Pick<CommandContext, 'stdout' | 'env'>): string {
  return stdout.isTTY === true && !env.NO_COLOR ? styleText('bold', text) : text;
}
