import { clockTime } from '../../../preload/contract/words/times.ts';
import type { Pin } from '../../clients/pins.ts';
import { CausewayError } from '../../platform/errors.ts';
import type { WarehouseService } from '../../warehouses/service.ts';
import type { WarehouseSurvey } from '../../warehouses/survey.ts';
import type { CheckResult, QueryToSend, VerifyOptions } from '../../warehouses/verify.ts';
import { type CommandContext, EXIT_UNKNOWN } from '../command.ts';
import { confirm } from '../question.ts';
import { openProgress, printable, writeAnswer, writeLine } from '../terminal.ts';
import { type CommonOptions, openSession, warehouseNamed } from './options.ts';
import { pinnedServers } from './pins.ts';

export interface VerifyCommandOptions extends CommonOptions {
  prove?: boolean;
  cold?: boolean;
  /** An older name of `cold`. */
  endToEnd?: boolean;
  stopWarehouses?: boolean;
  /** A warehouse, or true for the pinned one. */
  pin?: string | true;
}

type Consent = Pick<NonNullable<VerifyOptions['endToEnd']>, 'mayStop'>;

const MARKS = { pass: '✓ pass', fail: '✗ fail', unknown: '? unknown', 'not-applicable': '– n/a' } as const;

/** `causeway warehouse verify [NAME]`: the checks. Exit code 1 if one failed, 5 if one could not be made. */
export async function verify(context: CommandContext, name: string, options: VerifyCommandOptions): Promise<void> {
  const session = await openSession(context, options);
  const survey = await session.warehouses.survey(context.signal);
  const target = name ? await warehouseNamed(survey.list(), name) : undefined;
  const isCold = options.cold || options.endToEnd;
  const isProof = options.prove || (options.pin !== undefined && !isCold);
  const query = isCold || isProof ? await queryToSend(context, session.profile.name, survey, options) : undefined;
  const endToEnd = isCold ? { ...(await consent(context, session.warehouses, options)), ...query } : undefined;
  const progress = openProgress(context, options.json || context.quiet);
  const results = await session.warehouses.verify({
    targetId: target?.id,
    survey,
    prove: isProof ? query : undefined,
    endToEnd,
    signal: context.signal,
    onEvent: (event) => {
      if (event.kind === 'progress') progress.say(printable(event.message));
    },
  });
  progress.end();
  if (options.json) await writeAnswer(context, 'warehouse verify', { checks: results.map(asCheck) });
  else for (const result of results) await writeLine(context.stdout, line(result));
  if (context.signal.aborted) throw new CausewayError('cancelled', 'Interrupted.');
  if (results.some(({ verdict }) => verdict === 'fail')) context.setExitCode(1);
  else if (results.some(({ verdict }) => verdict === 'unknown')) context.setExitCode(EXIT_UNKNOWN);
}

/** What a check sends, and through which SQL server: that of the entries, if the list has one. */
async function queryToSend(
  context: CommandContext,
  profile: string,
  survey: WarehouseSurvey,
  options: VerifyCommandOptions,
): Promise<QueryToSend> {
  const { servers, pins } = await pinnedServers(context, profile);
  const pin = await pinToProve(pins, survey, options);
  const { sqlServerOf } = await import('../../clients/pins.ts');
  return { pin, path: sqlServerOf(servers, pins, pin)?.path };
}

/** The pin that the query is to prove. @throws {CausewayError} `not_found`, `ambiguous` */
async function pinToProve(
  pins: readonly Pin[],
  survey: WarehouseSurvey,
  { pin }: VerifyCommandOptions,
): Promise<string | undefined> {
  if (pin === undefined) return undefined;
  if (pin !== true) return (await warehouseNamed(survey.list(), pin)).id;
  const ids = [...new Set(pins.map(({ warehouseId }) => warehouseId))];
  const [only] = ids;
  if (only !== undefined && ids.length === 1) return only;
  if (only === undefined) {
    throw new CausewayError('not_found', 'No entry of an AI client is pinned to a warehouse.', {
      remedy: 'Name a warehouse with --pin.',
    });
  }
  throw new CausewayError('ambiguous', `Entries of your AI clients are pinned to ${ids.join(' and ')}.`, {
    remedy: 'Name one of them with --pin.',
    candidates: pins.map(({ server, warehouseId }) => ({ name: server, id: warehouseId })),
  });
}

/** Names what would have to be stopped, and asks. Without consent, the check runs only if nothing would. */
async function consent(
  context: CommandContext,
  warehouses: WarehouseService,
  options: VerifyCommandOptions,
): Promise<Consent> {
  const running = await warehouses.wouldStop(context.signal);
  if (running.length === 0) return { mayStop: new Set() };
  const names = printable(running.map((warehouse) => warehouse.name).join(', '));
  await writeLine(
    context.stderr,
    `The check from a cold start stops these warehouses and starts them again: ${names}.`,
  );
  await writeLine(context.stderr, 'Running queries on them are interrupted.');
  const agreed =
    options.stopWarehouses || (await confirm(context, 'Stop them?', '--stop-warehouses', 'Nothing was stopped.'));
  return { mayStop: new Set(agreed ? running.map(({ id }) => id) : []) };
}

const TITLES = {
  record: 'Override',
  resolver: 'Databricks CLI',
  query: 'A query',
  'end-to-end': 'A query from a cold start',
} as const;

function asCheck({ check: id, verdict, evidence: message, at, tookMillis }: CheckResult) {
  const status = verdict === 'not-applicable' ? 'skipped' : verdict;
  return { id, title: TITLES[id], status, message, remedy: null, error: null, at, tookMs: tookMillis } as const;
}

function line({ check, verdict, evidence, at, tookMillis }: CheckResult): string {
  return `${MARKS[verdict].padEnd(9)}  ${check.padEnd(10)}  ${printable(evidence)} (${clockTime(Date.parse(at), Date.now())}, ${tookMillis} ms)`;
}
