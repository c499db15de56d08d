import { sentences } from '../../platform/sentences.ts';
import type { EffectiveWarehouse, WarehouseSummary } from '../../warehouses/effective.ts';
import type { CommandContext } from '../command.ts';
import { columns, printable, writeJson, writeLine } from '../print.ts';
import { type CommonOptions, openSession } from './options.ts';

export interface ListOptions extends CommonOptions {
  usable?: boolean;
}

/** A warehouse and whether the user's queries run on it, as surely as that is known. */
interface Listed extends WarehouseSummary {
  effective: boolean | 'predicted' | 'unknown';
}

/** `causeway warehouse list [FILTER]`: the warehouses that can be seen, running ones first, the effective one marked. */
export async function list(context: CommandContext, filter: string, options: ListOptions): Promise<void> {
  const [{ warehouses }, { filterByName }] = await Promise.all([
    openSession(context, options),
    import('../../warehouses/names.ts'),
  ]);
  const survey = await warehouses.survey(context.signal);
  const all = survey.list().filter(({ canUse }) => !options.usable || canUse === true);
  const shown = filterByName(all, filter)
    .map((warehouse): Listed => ({ ...warehouse, effective: isEffective(warehouse, survey.effective) }))
    .sort(byStateAndName);
  if (options.json) return writeJson(context.stdout, shown);
  if (shown.length === 0) return writeLine(context.stderr, nothingToList(filter, all.length, options));
  const header = ['', 'NAME', 'STATE', 'SIZE', 'KIND', 'CAN USE', 'ID'];
  for (const line of columns([header, ...shown.map(row)])) await writeLine(context.stdout, line);
  const note = noteOn(shown, survey.effective);
  if (note !== undefined) await writeLine(context.stdout, note);
}

function isEffective({ id }: WarehouseSummary, { warehouse, certainty, decidedBy }: EffectiveWarehouse) {
  if (certainty === 'unknown') return 'unknown';
  if (warehouse?.id !== id) return false;
  return decidedBy === 'heuristic' ? 'predicted' : true;
}

function nothingToList(filter: string, count: number, { usable = false }: ListOptions): string {
  if (count === 0) return `There is no warehouse that you ${usable ? 'may use' : 'can see'}.`;
  const which = usable ? 'warehouses that you may use' : 'warehouses that you can see';
  return printable(`"${filter}" fits none of the ${count} ${which}.`);
}

/** What the mark means, or why there is none; nothing where the effective one is only filtered out. */
function noteOn(shown: readonly Listed[], { decidedBy, certainty, warehouse, problems }: EffectiveWarehouse) {
  if (certainty === 'unknown') {
    return decidedBy === 'override'
      ? 'Which of them your queries run on, only the workspace knows: your override names none.'
      : 'Which of them your queries run on could not be read.';
  }
  if (warehouse === null) return printable(sentences(...problems.map(({ message }) => message)));
  if (!shown.some(({ effective }) => effective !== false)) return undefined;
  if (decidedBy === 'heuristic') return '→ is where your queries probably run: nothing is set, so the workspace picks.';
  return `→ is where your queries run, by ${decidedBy === 'override' ? 'your override' : 'the workspace default'}.`;
}

function row({ name, state, size, type, serverless, canUse, id, effective }: Listed): string[] {
  const kind = [type, serverless ? 'serverless' : ''].filter(Boolean).join(' ');
  const use = canUse === 'unknown' ? '?' : canUse ? 'yes' : 'no';
  const mark = `${effective === true || effective === 'predicted' ? '→' : ' '} ${state === 'RUNNING' ? '●' : '○'}`;
  return [mark, name, state.toLowerCase(), size, kind, use, id].map(printable);
}

function byStateAndName(a: WarehouseSummary, b: WarehouseSummary): number {
  const running = Number(b.state === 'RUNNING') - Number(a.state === 'RUNNING');
  return running || a.name.localeCompare(b.name);
}
