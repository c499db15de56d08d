import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { exportLines } from '../../warehouses/bulk/csv.ts';
import type { CommandContext } from '../command.ts';
import { write, writeJsonArray, writeLine } from '../print.ts';
import { type CommonOptions, openSession } from './options.ts';

/** `causeway warehouse export [FILE.csv]`: every user's override as CSV (or JSON), to the file or to stdout. */
export async function exportOverrides(context: CommandContext, file: string, options: CommonOptions): Promise<void> {
  const { warehouses } = await openSession(context, options);
  let count = 0;
  const rows = counted(warehouses.admin.all({}, context.signal), () => {
    count += 1;
  });
  const fill = async (output: NodeJS.WritableStream) => {
    if (options.json) await writeJsonArray(output, rows);
    else for await (const lines of exportLines(rows)) await write(output, lines);
  };
  if (file === '') {
    await fill(context.stdout);
    return;
  }
  await intoFile(file, fill);
  await writeLine(context.stderr, `Wrote ${count} overrides to ${file}.`);
}

async function* counted<T>(all: AsyncIterable<T>, each: () => void): AsyncGenerator<T> {
  for await (const one of all) {
    each();
    yield one;
  }
}

/** The file appears whole or not at all: what is under way has another name. */
async function intoFile(file: string, fill: (output: NodeJS.WritableStream) => Promise<void>): Promise<void> {
  const partial = `${file}.partial`;
  const output = createWriteStream(partial, { mode: 0o600 });
  const closed = finished(output);
  closed.catch(() => {});
  try {
    await fill(output);
    output.end();
    await closed;
    await rename(partial, file);
  } catch (error) {
    output.destroy();
    await rm(partial, { force: true });
    throw error;
  }
}
