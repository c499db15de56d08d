import { writePieces } from '../../platform/replace-file.ts';
import { exportLines, overrideLines } from '../../warehouses/bulk/files.ts';
import type { CommandContext } from '../command.ts';
import { askToReplace } from '../output-file.ts';
import { write, writeNotice } from '../terminal.ts';
import { type CommonOptions, openSession } from './options.ts';

/** `causeway warehouse export [FILE.csv]`: every user's override as CSV (or JSON), to the file, or to stdout without one or for `-`. */
export async function exportOverrides(
  context: CommandContext,
  file: string,
  options: CommonOptions & { force?: boolean },
): Promise<void> {
  const isPrinted = file === '' || file === '-';
  if (!isPrinted) await askToReplace(context, file, options.force);
  const { warehouses } = await openSession(context, options);
  let count = 0;
  const rows = counted(warehouses.allOverrides({}, context.signal), () => {
    count += 1;
  });
  const lines = options.json ? overrideLines(rows) : exportLines(rows);
  if (isPrinted) {
    for await (const some of lines) await write(context.stdout, some);
    return;
  }
  await writePieces(file, lines, context.signal);
  await writeNotice(context, `Wrote ${count} overrides to ${file}.`);
}

async function* counted<T>(all: AsyncIterable<T>, each: () => void): AsyncGenerator<T> {
  for await (const one of all) {
    each();
    yield one;
  }
}
