import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { EXPORT_HEADER, exportLine } from '../../warehouses/bulk/csv.ts';
import type { CommandContext } from '../command.ts';
import { write, writeJsonArray, writeLine } from '../print.ts';
import { type CommonOptions, openSession } from './options.ts';

/** `causeway warehouse export [FILE.csv]`: every user's override as CSV (or JSON), to the file or to stdout. */
export async function exportOverrides(context: CommandContext, file: string, options: CommonOptions): Promise<void> {
  const { warehouses } = await openSession(context, options);
  const rows = warehouses.admin.all(context.signal);
  const writeRows = async (output: NodeJS.WritableStream) => {
    if (options.json) return writeJsonArray(output, rows);
    let count = 0;
    await write(output, EXPORT_HEADER);
    for await (const row of rows) {
      await write(output, exportLine(row));
      count += 1;
    }
    return count;
  };
  if (file === '') {
    await writeRows(context.stdout);
    return;
  }
  const count = await intoFile(file, writeRows);
  await writeLine(context.stderr, `Wrote ${count} overrides to ${file}.`);
}

/** The file appears whole or not at all: what is under way has another name. */
async function intoFile(file: string, fill: (output: NodeJS.WritableStream) => Promise<number>): Promise<number> {
  const partial = `${file}.partial`;
  const output = createWriteStream(partial, { mode: 0o600 });
  const closed = finished(output);
  closed.catch(() => {});
  try {
    const count = await fill(output);
    output.end();
    await closed;
    await rename(partial, file);
    return count;
  } catch (error) {
    output.destroy();
    await rm(partial, { force: true });
    throw error;
  }
}
