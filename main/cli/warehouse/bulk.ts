import type { WarehouseService, WorkspaceSession } from '../../app/causeway.ts';
import { readOverridesFile } from '../../app/overrides-file.ts';
import { readBytes } from '../../platform/bounded-file.ts';
import { asCausewayError, CausewayError, sentences } from '../../platform/errors.ts';
import { startGrowingFile } from '../../platform/growing-file.ts';
import { jsonArrayLines } from '../../platform/json-array.ts';
import { isDevice, writePieces } from '../../platform/replace-file.ts';
import { applyImport, type LineResult, REPORT_HEADER, reportLine } from '../../warehouses/bulk/apply.ts';
import { exportLines } from '../../warehouses/bulk/files.ts';
import { isChange, type PlannedLine } from '../../warehouses/bulk/plan.ts';
import { whereAndAsWhom } from '../changed-where.ts';
import type { CommandContext } from '../command.ts';
import { askToReplace } from '../output-file.ts';
import { agreeOrCancel, openProgress, write, writeJson, writeLine } from '../terminal.ts';
import { type CommonOptions, openSession } from './options.ts';

/** `causeway warehouse export [FILE.csv]`: every user's override as CSV (or JSON), to the file or to stdout. */
export async function exportOverrides(
  context: CommandContext,
  file: string,
  options: CommonOptions & { force?: boolean },
): Promise<void> {
  if (file !== '') await askToReplace(context, file, options.force);
  const { warehouses } = await openSession(context, options);
  let count = 0;
  const rows = counted(warehouses.allOverrides({}, context.signal), () => {
    count += 1;
  });
  const lines = options.json ? jsonArrayLines(rows) : exportLines(rows);
  if (file === '') {
    for await (const some of lines) await write(context.stdout, some);
    return;
  }
  await writePieces(file, lines, context.signal);
  await writeLine(context.stderr, `Wrote ${count} overrides to ${file}.`);
}

async function* counted<T>(all: AsyncIterable<T>, each: () => void): AsyncGenerator<T> {
  for await (const one of all) {
    each();
    yield one;
  }
}

export interface ImportOptions extends CommonOptions {
  dryRun?: boolean;
  yes?: boolean;
  results?: string;
}

/**
 * `causeway warehouse import FILE`: shows what would change, asks, and does it. Every line of the file gets a line in
 * the results file; running the same import again continues where it ended. Exit code 1 if any line was not carried out.
 */
export async function importOverrides(context: CommandContext, file: string, options: ImportOptions): Promise<void> {
  const { signal } = context;
  const lines = await readOverridesFile(file, file);
  const resultsFile = options.results ?? `${file}.results.csv`;
  if (!options.dryRun) await checkResultsFile(resultsFile);
  const session = await openSession(context, options);
  const { warehouses } = session;
  const plan = await warehouses.planImport(lines, signal);
  if (!options.json) for (const planned of plan) await showPlanned(context, planned);
  await writeLine(context.stderr, summary(plan.map(({ action }) => action)));
  if (options.dryRun) return finish(context, options, plan, undefined);
  if (!plan.some(isChange)) {
    return finish(context, options, plan, await applyImport(warehouses, plan, { signal }));
  }
  await carryOut(context, session, plan, resultsFile, options);
}

/** Asks, makes the changes, and says what became of them. */
async function carryOut(
  context: CommandContext,
  session: WorkspaceSession,
  plan: PlannedLine[],
  resultsFile: string,
  options: ImportOptions,
): Promise<void> {
  const where = await whereAndAsWhom(context, session);
  await agreeOrCancel(context, `Make these changes ${where}?`, options.yes);
  const { results, notKept } = await applyKeepingResults(context, session.warehouses, plan, resultsFile, options);
  const counts = summary(results.map(({ result }) => result));
  if (results.some(({ result }) => result === 'done')) await writeLine(context.stderr, `Changed ${where}.`);
  if (notKept === undefined) await writeLine(context.stderr, `${counts} Each line's result is in ${resultsFile}.`);
  if (!options.json) for (const result of results) await showFailure(context, result);
  await finish(context, options, plan, results);
  if (notKept !== undefined) throw withCounts(asCausewayError(notKept), counts);
  if (context.signal.aborted)
    throw new CausewayError('cancelled', 'Interrupted.', { remedy: 'Run it again to continue.' });
  if (context.stdout.isTTY && results.some(({ result }) => result === 'not-tried')) {
    await writeLine(context.stderr, 'Run it again to continue where it stopped.');
  }
}

/** Applies a plan, and appends each result to the results file. `notKept` is why that could not be written; nothing is changed after. */
async function applyKeepingResults(
  context: CommandContext,
  warehouses: WarehouseService,
  plan: readonly PlannedLine[],
  resultsFile: string,
  { json }: ImportOptions,
): Promise<{ results: LineResult[]; notKept: unknown }> {
  const kept = await startGrowingFile(resultsFile, REPORT_HEADER);
  const progress = openProgress(context, json);
  let ended = 0;
  let notKept: unknown;
  const keep = (work: Promise<void>) =>
    work.catch((error: unknown) => {
      notKept ??= error;
    });
  const results = await applyImport(warehouses, plan, {
    signal: context.signal,
    whyHalted: () => (notKept === undefined ? undefined : 'the results could not be written'),
    onResult: async (result) => {
      ended += 1;
      progress.update(ended, plan.length);
      if (notKept === undefined) await keep(kept.append(reportLine(result)));
    },
  }).finally(() => keep(kept.close()));
  progress.end();
  return { results, notKept };
}

/** The results of an earlier import are replaced; anything else of that name is the user's. @throws {CausewayError} `already_exists` */
async function checkResultsFile(path: string): Promise<void> {
  if (await isDevice(path)) return;
  const before = await readBytes(path, 'given');
  if (!before?.length || before.toString('utf8').startsWith(REPORT_HEADER)) return;
  throw new CausewayError('already_exists', `${path} exists and does not hold the results of an import.`, {
    remedy: 'Nothing was changed. Name another file with --results.',
  });
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
  options: ImportOptions,
  plan: PlannedLine[],
  results: LineResult[] | undefined,
): Promise<void> {
  if (options.json) {
    const flat = results?.map(({ planned, result, message }) => ({ ...planned, result, message }));
    await writeJson(context.stdout, flat ?? plan);
  }
  const failed = results
    ? results.some(({ result }) => result !== 'done' && result !== 'unchanged')
    : plan.some(({ action }) => action === 'invalid');
  if (failed) context.setExitCode(1);
}

const SIGNS = { create: '+', update: '~', delete: '-', unchanged: '=', invalid: '!' } as const;

async function showPlanned({ stdout }: CommandContext, planned: PlannedLine): Promise<void> {
  if (planned.action === 'unchanged') return;
  const what = planned.action === 'invalid' ? planned.problem : `${planned.before} → ${planned.after}`;
  const warning = 'warning' in planned ? `  (${planned.warning})` : '';
  const who = planned.userName || planned.userId;
  await writeLine(stdout, `${SIGNS[planned.action]} line ${planned.line}  ${who}  ${what}${warning}`);
}

async function showFailure({ stderr }: CommandContext, { planned, result, message }: LineResult): Promise<void> {
  if (result !== 'failed') return;
  await writeLine(stderr, `! line ${planned.line}  ${planned.userName || planned.userId}  ${message}`);
}

/** The number of each word, such as `3 create, 1 invalid.` */
function summary(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return `${[...counts].map(([word, count]) => `${count} ${word}`).join(', ') || 'The file has no lines'}.`;
}
