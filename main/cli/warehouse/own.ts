import { setTimeout as delay } from 'node:timers/promises';
import { formatState, stopQuestion, sureness, warehouseKind } from '../../../preload/contract/words/warehouse.ts';
import type { WorkspaceSession } from '../../app/causeway.ts';
import { CausewayError, sentences } from '../../platform/errors.ts';
import type { CliDefault } from '../../warehouses/cli-default.ts';
import type { WarehouseSummary } from '../../warehouses/directory.ts';
import type { EffectiveStep, EffectiveWarehouse } from '../../warehouses/effective.ts';
import type { WarehouseSurvey } from '../../warehouses/survey.ts';
import { inOneLine } from '../../words/failure.ts';
import type { Answer } from '../answers/answers.ts';
import { inPlace, placeAnswer, placeOf, sayWhere } from '../changed-where.ts';
import type { CommandContext } from '../command.ts';
import { jsonFailure } from '../failure.ts';
import { table } from '../layout.ts';
import { agreeOrCancel } from '../question.ts';
import {
  bold,
  openProgress,
  printable,
  terminalWidth,
  writeAnswer,
  writeDone,
  writeLine,
  writeNotice,
  writeStyledLine,
  writeTable,
} from '../terminal.ts';
import { type CommonOptions, describeWarehouse, findWarehouse, openSession } from './options.ts';
import { pinLines, pinnedServers, visibleIn } from './pins.ts';

const STEP_NAMES = { override: 'override', 'workspace-default': 'workspace default', heuristic: 'fallback' } as const;

/** The effective warehouse and why, in six lines: the answer, for whom, the three steps, and whether queries will run. */
export function describeEffective(
  effective: EffectiveWarehouse,
  pins: readonly string[] = [],
  pinsFail = false,
  width?: number,
): string[] {
  const steps = table(effective.steps.map(stepRow), width);
  return [headline(effective), forWhom(effective), ...pins, ...steps, outlook(effective, pinsFail)];
}

function headline(effective: EffectiveWarehouse): string {
  const { warehouse, decidedBy, certainty, problems } = effective;
  const sure = certainty === 'known' ? '' : `, ${sureness(effective, Date.now())}`;
  if (warehouse) return `${describeWarehouse(warehouse)}${sure}`;
  const gone = problems.find(({ code }) => code === 'warehouse-gone' || code === 'warehouse-unseen');
  if (gone)
    return gone.code === 'warehouse-gone' ? 'A warehouse that no longer exists' : 'A warehouse that you cannot see';
  if (decidedBy === 'override') return 'The last selected warehouse; only the workspace knows which one';
  return certainty === 'known' ? 'No warehouse' : 'Not known';
}

function forWhom({ user, host, profile }: EffectiveWarehouse): string {
  const name =
    user.displayName && user.displayName !== user.userName ? `${user.displayName} <${user.userName}>` : user.userName;
  return printable(`  for ${name || 'the user'} on ${host} (profile ${profile})`);
}

function stepRow(step: EffectiveStep, index: number): string[] {
  const mark = step.outcome === 'decides' ? '→' : ' ';
  return [`${mark} ${index + 1} ${STEP_NAMES[step.source]}`, step.certainty, printable(step.reason)];
}

function outlook({ problems, warehouse }: EffectiveWarehouse, pinsFail: boolean): string {
  if (problems.length > 0) return printable(sentences(...problems.flatMap(({ message, remedy }) => [message, remedy])));
  if (warehouse === null) return 'Causeway cannot tell whether your queries will run.';
  return warehouse.canUse === 'unknown'
    ? 'Causeway could not check whether you may use it.'
    : `Your ${pinsFail ? 'other ' : ''}queries can run.`;
}

export interface ShowCommandOptions extends CommonOptions {
  compare?: boolean;
}

/** `causeway warehouse`: the effective warehouse, and why. */
export async function show(context: CommandContext, options: ShowCommandOptions): Promise<void> {
  const { profile, warehouses } = await openSession(context, options);
  const [survey, cli, found] = await Promise.all([
    warehouses.survey(context.signal),
    options.compare ? orError(warehouses.cliDefault(context.signal)) : undefined,
    pinnedServers(context, profile.name),
  ]);
  const { effective } = survey;
  const { judgedPins } = await import('../../app/pins.ts');
  const pins = judgedPins(found.pins, visibleIn(survey));
  if (options.json) {
    return writeAnswer(context, 'warehouse', {
      ...effectiveAnswer(survey),
      pins,
      databricksCli: cli === undefined ? null : cliAnswer(cli),
    });
  }
  const doPinsFail = pins.some(({ problem }) => problem !== null);
  const [headline = '', ...rest] = describeEffective(
    effective,
    await pinLines(pins, survey),
    doPinsFail,
    terminalWidth(context.stdout),
  );
  await writeStyledLine(context.stdout, bold(headline, context));
  for (const line of rest) await writeLine(context.stdout, line);
  if (cli !== undefined) await writeLine(context.stdout, compared(cli, effective));
}

/** The effective warehouse as commands print it: the override has its warehouse's name. */
export function effectiveAnswer({ effective, readings }: WarehouseSurvey): EffectiveAnswer {
  const visible = readings.visible.kind === 'known' ? readings.visible.value : [];
  const { override } = effective;
  if (override === null) return { ...effective, override };
  const warehouseName = visible.find(({ id }) => id === override.warehouseId)?.name ?? null;
  return { ...effective, override: { ...override, warehouseName } };
}

export type EffectiveAnswer = Exclude<Answer<'status'>['warehouse'], { error: unknown }>;

type CliAnswer = CliDefault | { error: CausewayError };

async function orError(request: Promise<CliDefault>): Promise<CliAnswer> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof CausewayError && error.code !== 'cancelled') return { error };
    throw error;
  }
}

function cliAnswer(cli: CliAnswer): Answer<'warehouse'>['databricksCli'] {
  if ('error' in cli) return { warehouse: null, rule: null, passedOver: null, error: jsonFailure(cli.error) };
  const { id, name, state, rule, passedOver = null } = cli;
  return { warehouse: { id, name, state }, rule, passedOver, error: null };
}

function compared(cli: CliAnswer, { warehouse }: EffectiveWarehouse): string {
  if ('error' in cli) return `The Databricks CLI finds none: ${printable(inOneLine(cli.error))}`;
  const same = cli.id === warehouse?.id ? 'the same' : 'a different one';
  return `By the Databricks CLI's rules: ${printable(cli.name)} (${cli.rule}): ${same}.`;
}

export interface WarehouseListOptions extends CommonOptions {
  usable?: boolean;
}

/** A warehouse and whether the user's queries run on it, as surely as that is known. */
interface Listed extends WarehouseSummary {
  effective: boolean | 'seen' | 'predicted' | 'unknown';
}

/** `causeway warehouse list [FILTER]`: the warehouses that can be seen, running ones first, the effective one marked. */
export async function listWarehouses(
  context: CommandContext,
  filter: string,
  options: WarehouseListOptions,
): Promise<void> {
  const [{ warehouses }, { filterByName }] = await Promise.all([
    openSession(context, options),
    import('../../platform/names.ts'),
  ]);
  const survey = await warehouses.survey(context.signal);
  const all = survey.list().filter(({ canUse }) => !options.usable || canUse === true);
  const shown = filterByName(all, filter)
    .map((warehouse): Listed => ({ ...warehouse, effective: isEffective(warehouse, survey.effective) }))
    .sort(byStateAndName);
  if (options.json) return writeAnswer(context, 'warehouse list', { warehouses: shown });
  if (shown.length === 0) return writeNotice(context, nothingToList(filter, all.length, options));
  const header = ['', 'NAME', 'STATE', 'SIZE', 'KIND', 'CAN USE', 'ID'];
  await writeTable(context, shown.map(row), header);
  const note = noteOn(shown, survey.effective);
  if (note !== undefined) await writeDone(context, note);
}

function isEffective({ id }: WarehouseSummary, { warehouse, certainty }: EffectiveWarehouse) {
  if (certainty === 'unknown') return 'unknown';
  if (warehouse?.id !== id) return false;
  return certainty === 'predicted' || certainty === 'seen' ? certainty : true;
}

function nothingToList(filter: string, count: number, { usable = false }: WarehouseListOptions): string {
  if (count === 0) return `There are no warehouses that you ${usable ? 'may use' : 'can see'}.`;
  const which = usable ? 'warehouses that you may use' : 'warehouses that you can see';
  return printable(`"${filter}" matches none of the ${count} ${which}.`);
}

/** What the mark means, or why there is none; empty if the effective warehouse is only filtered out. */
function noteOn(shown: readonly Listed[], { decidedBy, certainty, warehouse, problems }: EffectiveWarehouse) {
  if (certainty === 'unknown') {
    return decidedBy === 'override'
      ? 'Your override names no warehouse. Only the workspace knows which one your queries run on.'
      : 'Causeway cannot tell which of them your queries run on.';
  }
  if (warehouse === null) return printable(sentences(...problems.map(({ message }) => message)));
  if (!shown.some(({ effective }) => effective !== false)) return undefined;
  if (certainty === 'seen') return '→ marks where your last query ran, by the query history.';
  if (decidedBy === 'heuristic')
    return '→ marks where your queries probably run. Nothing is set, and the workspace decides.';
  return `→ marks where your queries run, by ${decidedBy === 'override' ? 'your override' : 'the workspace default'}.`;
}

function row(warehouse: Listed): string[] {
  const { name, state, size, canUse, id, effective } = warehouse;
  const use = canUse === 'unknown' ? '?' : canUse ? 'yes' : 'no';
  const isMarked = effective !== false && effective !== 'unknown';
  const mark = `${isMarked ? '→' : ' '} ${state === 'RUNNING' ? '●' : '○'}`;
  return [mark, name, formatState(state).toLowerCase(), size, warehouseKind(warehouse), use, id];
}

function byStateAndName(a: WarehouseSummary, b: WarehouseSummary): number {
  const running = Number(b.state === 'RUNNING') - Number(a.state === 'RUNNING');
  return running || a.name.localeCompare(b.name);
}

export interface PowerOptions extends CommonOptions {
  wait?: boolean;
  /** Do not ask before a warehouse is stopped. */
  yes?: boolean;
}

const AIMS = {
  start: { through: 'STARTING', to: 'RUNNING' },
  stop: { through: 'STOPPING', to: 'STOPPED' },
} as const;

/** The first wait is short, because a serverless warehouse starts within seconds. */
const POLL_MS = { first: 250, last: 3000 };

/** `causeway warehouse start|stop [NAME]`: the effective one if none is named. With `--wait` until it is done. */
export async function power(
  context: CommandContext,
  verb: 'start' | 'stop',
  name: string,
  options: PowerOptions,
): Promise<void> {
  const session = await openSession(context, options);
  const chosen = name
    ? await findWarehouse(session.warehouses, name, context.signal)
    : await effectiveOne(session, context.signal);
  if (verb === 'stop') await askToStop(context, session, chosen, options);
  await session.warehouses[verb](chosen.id, context.signal);
  const place = await placeOf(context, session);
  await sayWhere(context, place);
  const warehouse = await look(session, chosen, context, AIMS[verb], options.wait);
  if (options.json) await writeAnswer(context, `warehouse ${verb}`, { warehouse, place: placeAnswer(place) });
  else await writeDone(context, describeWarehouse(warehouse));
}

/** Asks first: others may have queries on it. */
async function askToStop(
  context: CommandContext,
  session: WorkspaceSession,
  warehouse: WarehouseSummary,
  { yes }: PowerOptions,
): Promise<void> {
  if (yes) return;
  const where = inPlace(await placeOf(context, session));
  const question = `Stop ${describeWarehouse(warehouse)} ${where}? ${stopQuestion.consequence}`;
  await agreeOrCancel(context, question);
}

async function effectiveOne(session: WorkspaceSession, signal: AbortSignal): Promise<WarehouseSummary> {
  const { warehouse } = await session.warehouses.effective(signal);
  if (warehouse) return warehouse;
  throw new CausewayError('usage', 'Causeway cannot tell which warehouse your queries run on.', {
    remedy: 'Name a warehouse.',
  });
}

async function look(
  session: WorkspaceSession,
  { id, canUse }: WarehouseSummary,
  context: CommandContext,
  aim: (typeof AIMS)['start' | 'stop'],
  wait = false,
): Promise<WarehouseSummary> {
  const progress = openProgress(context, !wait || context.quiet);
  for (let waitMs = POLL_MS.first; ; waitMs = Math.min(waitMs * 1.5, POLL_MS.last)) {
    const warehouse = { ...(await session.warehouses.find(id, context.signal)), canUse };
    if (warehouse.state === aim.to || (!wait && warehouse.state === aim.through)) {
      progress.end();
      return warehouse;
    }
    if (warehouse.state !== aim.through) {
      const message = `The workspace accepted the request, but the warehouse is now ${describeWarehouse(warehouse)}.`;
      throw new CausewayError('conflict', message, {
        remedy: 'Someone else may be starting or stopping it. Check again.',
      });
    }
    progress.say(`${describeWarehouse(warehouse)} …`);
    await delay(waitMs, undefined, { signal: context.signal });
  }
}
