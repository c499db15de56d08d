import type { WorkspaceSession } from '../../app/causeway.ts';
import { readOverridesFile } from '../../app/overrides-file.ts';
import { asCausewayError, CausewayError, sentences } from '../../platform/errors.ts';
import { type LineResult, reportLine } from '../../warehouses/bulk/apply.ts';
import type { CarriedOut, ImportSource } from '../../warehouses/bulk/carry-out.ts';
import { isChange, type PlannedLine } from '../../warehouses/bulk/plan.ts';
import { inPlace, placeOf } from '../changed-where.ts';
import { type CommandContext, EXIT_CHANGES } from '../command.ts';
import { type ExitCode, exitCodeOfAll } from '../failure.ts';
import { agreeOrCancel } from '../question.ts';
import { openProgress, printable, writeLine, writeNotice } from '../terminal.ts';
import { type Outcome, writeBulk } from './bulk-answer.ts';
import { type CommonOptions, findWarehouse, openSession } from './options.ts';
import { checkResultsFile, openResultsFile } from './results-file.ts';

/** The options of every command that changes many overrides. */
export interface BulkOptions extends CommonOptions {
  dryRun?: boolean;
  failOnChange?: boolean;
  yes?: boolean;
  only?: boolean;
  results?: string;
}

export interface ImportOptions extends BulkOptions {
  skipInvalid?: boolean;
  undo?: string;
}

/** What is to be carried out, and what of it may be left. */
interface Task {
  plan: PlannedLine[];
  source: ImportSource;
  /** Where each line's result is written; nowhere if left out. */
  resultsFile?: string | undefined;
  /** Whether the other lines are carried out where some cannot be. */
  skipsInvalid: boolean;
  /** Whether lines have numbers that are those of a file. */
  isOfFile: boolean;
}

/**
 * `causeway warehouse import FILE`: shows what would change, asks, and does it. Nothing is done while a line has a problem.
 * Every line of the file gets a line in the results file; running the same import again continues where it ended.
 */
export async function importOverrides(context: CommandContext, file: string, options: ImportOptions): Promise<void> {
  checkOptions(options);
  if (options.undo !== undefined) return undo(context, file, options, options.undo);
  if (file === '') throw new CausewayError('usage', 'No file was named.', { remedy: 'Name a CSV or JSON file.' });
  const { origin, ...read } = await readOverridesFile(file, file);
  if (options.only && read.lines.length === 0 && read.faults.length === 0) throw nobodyLeft(`${file} has no lines`);
  const resultsFile = options.results ?? `${file}.results.csv`;
  if (!options.dryRun) await checkResultsFile(resultsFile);
  const session = await openSession(context, options);
  const plan = await session.warehouses.planImport(read, options, context.signal);
  const task = { plan, source: origin, resultsFile, skipsInvalid: options.skipInvalid === true, isOfFile: true };
  await carryOut(context, session, task, options);
}

/** `causeway warehouse import --undo JOURNAL`: restores the state before, where nobody has changed it since. */
async function undo(context: CommandContext, file: string, options: ImportOptions, text: string): Promise<void> {
  if (file !== '') throw new CausewayError('usage', 'Use either a file or --undo.');
  const { openJournal } = await import('../../warehouses/bulk/journal-file.ts');
  const journal = await openJournal(context.env, text);
  if (options.results && !options.dryRun) await checkResultsFile(options.results);
  const session = await openSession(context, options);
  const plan = await session.warehouses.planUndo(journal, context.signal);
  const source: ImportSource = { kind: 'undo', source: journal.id, sha256: null };
  const isOfFile = journal.kind === 'import';
  await carryOut(
    context,
    session,
    { plan, source, resultsFile: options.results, skipsInvalid: true, isOfFile },
    options,
  );
}

export interface AssignOptions extends BulkOptions {
  group: string;
  lastSelected?: boolean;
  clear?: boolean;
}

/** `causeway warehouse assign [WAREHOUSE] --group GROUP`: the same override for all members of a group. */
export async function assign(context: CommandContext, name: string, options: AssignOptions): Promise<void> {
  checkOptions(options);
  if ([name !== '', options.lastSelected, options.clear].filter(Boolean).length !== 1) {
    const remedy = 'Name a warehouse, or pass --last-selected or --clear.';
    throw new CausewayError('usage', 'Exactly one override can be assigned.', { remedy });
  }
  if (options.results && !options.dryRun) await checkResultsFile(options.results);
  const session = await openSession(context, options);
  const { warehouses } = session;
  const wanted =
    name === ''
      ? ({ type: options.clear ? 'NONE' : 'LAST_SELECTED' } as const)
      : ({ type: 'CUSTOM', warehouseId: (await findWarehouse(warehouses, name, context.signal)).id } as const);
  const { group, plan } = await warehouses.planForGroup(options.group, wanted, options, context.signal);
  if (options.only && group.userIds.length === 0) throw nobodyLeft(`The group ${group.name} has no members`);
  const nested = group.nested.length === 0 ? '' : `, with those of ${group.nested.join(', ')}`;
  const members = `${group.userIds.length} ${group.userIds.length === 1 ? 'member' : 'members'}`;
  await writeNotice(context, printable(`The group ${group.name} has ${members}${nested}.`));
  const source: ImportSource = { kind: 'assignment', source: `group ${group.name}`, sha256: null };
  const task = { plan, source, resultsFile: options.results, skipsInvalid: true, isOfFile: false };
  await carryOut(context, session, task, options);
}

function checkOptions({ dryRun, failOnChange, only, skipInvalid, undo }: ImportOptions): void {
  const refuse = (message: string, remedy?: string) => {
    throw new CausewayError('usage', message, { remedy });
  };
  if (failOnChange && !dryRun) refuse('--fail-on-change needs --dry-run.');
  if (only && skipInvalid) {
    refuse('--only and --skip-invalid do not go together.', 'An invalid line does not say whose override to keep.');
  }
  if (undo !== undefined && (only || skipInvalid)) refuse('--undo takes neither --only nor --skip-invalid.');
}

/** The refusal to clear the overrides of everybody by way of an empty list. */
function nobodyLeft(why: string): CausewayError {
  return new CausewayError('usage', `${why}: --only would clear every override.`, { remedy: 'Nothing was changed.' });
}

async function carryOut(
  context: CommandContext,
  session: WorkspaceSession,
  task: Task,
  options: BulkOptions,
): Promise<void> {
  const { plan, skipsInvalid, isOfFile } = task;
  if (!options.json) for (const planned of plan) await showPlanned(context, planned, isOfFile);
  await writeNotice(context, planSummary(plan));
  const invalid = plan.filter(({ action }) => action === 'invalid').length;
  const isRefused = invalid > 0 && !skipsInvalid;
  if (options.dryRun || isRefused) {
    if (isRefused) await writeLine(context.stderr, refusal(invalid, plan));
    if (options.failOnChange && plan.some(isChange)) context.setExitCode(EXIT_CHANGES);
    return finish(context, session, { plan }, options);
  }
  if (!plan.some(isChange)) {
    const { results } = await session.warehouses.carryOut(plan, task.source, { signal: context.signal });
    return finish(context, session, { plan, results }, options);
  }
  await makeChanges(context, session, task, options);
}

function refusal(invalid: number, plan: readonly PlannedLine[]): string {
  const lines = invalid === 1 ? '1 line has a problem' : `${invalid} lines have problems`;
  const others = plan.length > invalid ? ', or pass --skip-invalid to apply the others' : '';
  return `Nothing was changed: ${lines}. Correct ${invalid === 1 ? 'it' : 'them'}${others}.`;
}

/** Asks, makes the changes, and says what became of them. */
async function makeChanges(
  context: CommandContext,
  session: WorkspaceSession,
  task: Task,
  options: BulkOptions,
): Promise<void> {
  const { plan, resultsFile } = task;
  const place = await placeOf(context, session);
  await agreeOrCancel(context, question(plan, inPlace(place)), options.yes);
  const { results, journal, notKept } = await applyKeepingResults(context, session, task, options);
  const counts = summary(results.map(({ result }) => result));
  if (results.some(({ result }) => result === 'done')) {
    await writeNotice(context, `Changed ${inPlace(place)}.`);
    if (journal) await writeNotice(context, `To undo: causeway warehouse import --undo ${journal.id}`);
  }
  if (notKept === undefined) {
    const kept = resultsFile === undefined ? '' : ` Each line's result is in ${resultsFile}.`;
    await writeNotice(context, `${counts}${kept}`);
  }
  if (!options.json) for (const result of results) await showFailure(context, result, task.isOfFile);
  await finish(context, session, { plan, results, journal: journal?.id, place }, options);
  if (notKept !== undefined) throw withCounts(asCausewayError(notKept), counts);
  if (context.signal.aborted)
    throw new CausewayError('cancelled', 'Interrupted.', { remedy: 'Run it again to continue.' });
  const stopped = results.find(({ result }) => result === 'not-tried');
  if (stopped) await writeLine(context.stderr, `Stopped: ${printable(stopped.message)} Run it again to continue.`);
}

function question(plan: readonly PlannedLine[], where: string): string {
  const others = plan.filter(({ isOther }) => isOther).length;
  if (others === 0) return `Make these changes ${where}?`;
  const whose = others === 1 ? 'the override of 1 other user' : `the overrides of ${others} other users`;
  return `Make these changes ${where}, and remove ${whose}?`;
}

/** Applies a plan, and appends each result to the results file. `notKept` is why that could not be written; nothing is changed after. */
async function applyKeepingResults(
  context: CommandContext,
  { warehouses }: WorkspaceSession,
  { plan, source, resultsFile }: Task,
  { json }: BulkOptions,
): Promise<CarriedOut & { notKept: unknown }> {
  const kept = resultsFile === undefined ? undefined : await openResultsFile(resultsFile);
  const progress = openProgress(context, json || context.quiet);
  let ended = 0;
  let notKept: unknown;
  const keep = (work: Promise<void> | undefined) =>
    work?.catch((error: unknown) => {
      notKept ??= error;
    });
  const carried = await warehouses
    .carryOut(plan, source, {
      signal: context.signal,
      whyHalted: () => (notKept === undefined ? undefined : 'the results could not be written'),
      onWait: () => void writeNotice(context, 'Waiting for another import on this computer to end.'),
      onResult: async (result) => {
        ended += 1;
        progress.update(ended, plan.length);
        if (notKept === undefined) await keep(kept?.append(reportLine(result)));
      },
    })
    .finally(() => keep(kept?.close()));
  progress.end();
  return { ...carried, notKept };
}

/** The results file's own error, with what was done before it and how to continue. */
function withCounts(error: CausewayError, counts: string): CausewayError {
  return new CausewayError(error.code, `${error.message} ${counts}`, {
    cause: error,
    action: error.action,
    remedy: sentences(error.remedy, 'The same import continues where this one stopped.'),
  });
}

async function finish(
  context: CommandContext,
  session: WorkspaceSession,
  outcome: Outcome,
  options: BulkOptions,
): Promise<void> {
  if (options.json) await writeBulk(context, session, outcome, options.dryRun === true);
  const { plan, results } = outcome;
  if (results) context.setExitCode(exitCodeOfResults(results));
  else if (plan.some(({ action }) => action === 'invalid')) context.setExitCode(1);
}

/** That of the failures if they agree. A line that is invalid, or was not tried for another reason, has code 1. */
function exitCodeOfResults(results: readonly LineResult[]): ExitCode {
  const failures = results.filter(({ result }) => result !== 'done' && result !== 'unchanged');
  const errors = failures.flatMap(({ error }) => error ?? []);
  const isInvalid = failures.some(({ result }) => result === 'invalid');
  if (errors.length > 0 && !isInvalid) return exitCodeOfAll(errors);
  return failures.length > 0 ? 1 : 0;
}

const SIGNS = { create: '+', update: '~', delete: '-', unchanged: '=', invalid: '!' } as const;

async function showPlanned({ stdout }: CommandContext, planned: PlannedLine, isOfFile: boolean): Promise<void> {
  if (planned.action === 'unchanged') return;
  const what = planned.action === 'invalid' ? planned.problem : `${planned.before} → ${planned.after}`;
  const warning = 'warning' in planned ? `  (${planned.warning})` : '';
  await writeLine(stdout, printable(`${SIGNS[planned.action]} ${placeAndUser(planned, isOfFile)}  ${what}${warning}`));
}

async function showFailure({ stderr }: CommandContext, { planned, result, message }: LineResult, isOfFile: boolean) {
  if (result !== 'failed') return;
  await writeLine(stderr, `! ${placeAndUser(planned, isOfFile)}  ${message}`);
}

function placeAndUser({ line, userId, userName, isOther }: PlannedLine, isOfFile: boolean): string {
  const place = isOther ? 'other user' : isOfFile && `line ${line}`;
  return [place, userName || userId].filter(Boolean).join('  ');
}

function planSummary(plan: readonly PlannedLine[]): string {
  const isAsItWas = plan.length > 0 && plan.every(({ action }) => action === 'unchanged');
  return `${isAsItWas ? '0 changes, ' : ''}${summary(plan.map(({ action }) => action))}`;
}

/** The number of each word, such as `3 create, 1 invalid.` */
function summary(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return `${[...counts].map(([word, count]) => `${count} ${word}`).join(', ') || 'There is nothing to change'}.`;
}
