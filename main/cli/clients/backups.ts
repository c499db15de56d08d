import { listBackups } from '../../clients/backups.ts';
import type { CommandContext } from '../command.ts';
import { columns, printable, writeJson, writeLine } from '../print.ts';
import { type CommonOptions, openClients } from './options.ts';

/** `causeway clients backups`: the files as they were, the newest first. */
export async function backups(context: CommandContext, options: CommonOptions): Promise<void> {
  const all = await listBackups(context.env);
  if (options.json) return writeJson(context.stdout, all);
  if (all.length === 0) return writeLine(context.stderr, 'There are no backups: nothing has been changed yet.');
  const rows = all.map(({ id, client, at, file, missing }) =>
    [id, client, new Date(at).toISOString(), missing ? `${file} (was not there)` : file].map(printable),
  );
  for (const line of columns([['BACKUP', 'CLIENT', 'WHEN', 'FILE'], ...rows])) await writeLine(context.stdout, line);
}

/** `causeway clients restore BACKUP`. */
export async function restore(
  context: CommandContext,
  id: string,
  options: CommonOptions & { dryRun?: boolean; force?: boolean },
): Promise<void> {
  const { dryRun, force } = options;
  const restored = await openClients(context, options).restore(id, { dryRun, whileRunning: force });
  const { file, kept, result, diff } = restored;
  if (options.json) return writeJson(context.stdout, { ...restored, kept: kept ?? null });
  if (result === 'would restore') {
    await writeLine(context.stdout, printable(`would restore ${file}`));
    for (const line of (diff ?? '').trimEnd().split('\n')) await writeLine(context.stdout, printable(line));
    return;
  }
  await writeLine(context.stdout, printable(`${file} is as it was.`));
  if (kept !== undefined) await writeLine(context.stdout, `What it held until now: causeway clients restore ${kept}`);
}
