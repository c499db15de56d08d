import type { WarehouseSummary } from '../../warehouses/effective.ts';
import type { CommandContext } from '../command.ts';
import { columns, printable, writeJson, writeLine } from '../print.ts';
import { type CommonOptions, openSession } from './options.ts';

export interface ListOptions extends CommonOptions {
  usable?: boolean;
}

/** `causeway warehouse list [FILTER]`: the warehouses that can be seen, running ones first. */
export async function list(context: CommandContext, filter: string, options: ListOptions): Promise<void> {
  const [{ warehouses }, { filterByName }] = await Promise.all([
    openSession(context, options),
    import('../../warehouses/names.ts'),
  ]);
  const all = (await warehouses.list(context.signal)).filter(({ canUse }) => !options.usable || canUse === true);
  const shown = filterByName(all, filter).sort(byStateAndName);
  if (options.json) return writeJson(context.stdout, shown);
  const header = ['', 'NAME', 'STATE', 'SIZE', 'KIND', 'CAN USE', 'ID'];
  for (const line of columns([header, ...shown.map(row)])) await writeLine(context.stdout, line);
}

function row({ name, state, size, type, serverless, canUse, id }: WarehouseSummary): string[] {
  const kind = [type, serverless ? 'serverless' : ''].filter(Boolean).join(' ');
  const use = canUse === 'unknown' ? '?' : canUse ? 'yes' : 'no';
  return [state === 'RUNNING' ? '●' : '○', name, state.toLowerCase(), size, kind, use, id].map(printable);
}

function byStateAndName(a: WarehouseSummary, b: WarehouseSummary): number {
  const running = Number(b.state === 'RUNNING') - Number(a.state === 'RUNNING');
  return running || a.name.localeCompare(b.name);
}
