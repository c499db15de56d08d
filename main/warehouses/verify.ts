import { isGone, whyQueriesFail } from '../../preload/contract/words/warehouse.ts';
import type { Check } from '../../preload/contract.ts';
import { CausewayError, sentences } from '../platform/errors.ts';
import { inOneLine } from '../words/failure.ts';
import type { RestClient } from '../workspace/client.ts';
import type { OverrideRecord } from '../workspace/overrides.ts';
import { type CliDefault, cliDefault } from './cli-default.ts';
import { type AskCli, askCliDefault, type CliAnswer } from './cli-lookup.ts';
import { explainEffective, findTarget, nameOf, whyGone } from './effective.ts';
import { type EndToEndOptions, runEndToEnd, type VerifyFinding } from './end-to-end.ts';
import { describeOverride } from './override-changes.ts';
import { inOverrideWords } from './override-operations.ts';
import type { Readings } from './readings.ts';
import { runSeenQuery } from './seen-query.ts';
import { rememberSeen, situationOf } from './seen-warehouse.ts';
import { SQL_SERVER_PATH } from './statement.ts';
import type { WarehouseSurvey } from './survey.ts';

/**
 * The three layers of spec/default-warehouse-override.md › Verification layers, and between the second and the third what the
 * query history says of a query, for which nothing is stopped.
 */
type CheckName = Check['name'];

/** The result of one check. */
export interface CheckResult extends VerifyFinding {
  check: CheckName;
  /** When it ended, ISO 8601. */
  at: string;
  /** How long it took, in milliseconds. */
  tookMillis: number;
}

type CheckEvent =
  | { kind: 'started'; check: CheckName }
  | { kind: 'progress'; check: CheckName; message: string }
  | { kind: 'finished'; result: CheckResult };

/**
 * How a check sends its query: `pin` is the warehouse that it names in `_meta`, as the calls of a pinned entry do; `path` is the
 * SQL server of that entry, or `SQL_SERVER_PATH` if left out.
 */
export interface QueryToSend {
  pin?: string | undefined;
  path?: string | undefined;
}

export interface VerifyOptions {
  /** The warehouse that is intended; what the override or else the workspace default names if left out. */
  targetId?: string | undefined;
  /** What was just read, if the target was chosen from it; read again if left out. */
  survey?: Pick<WarehouseSurvey, 'readings'> | undefined;
  /** Sends a query, and looks up where it ran. Nothing is stopped. */
  prove?: QueryToSend | undefined;
  /**
   * Runs the third check too. `mayStop` are the warehouses that the user has agreed to have stopped.
   */
  endToEnd?: (QueryToSend & { mayStop: ReadonlySet<string> }) | undefined;
  onEvent?: (event: CheckEvent) => void;
  signal?: AbortSignal | undefined;
}

export interface VerifyContext extends Pick<EndToEndOptions, 'clock' | 'openSqlServer'> {
  client: RestClient;
  env: NodeJS.ProcessEnv;
  askCli: AskCli;
  /** What the intention is read from, and what is known about the warehouses. */
  readings: Readings;
}

/** The warehouse that queries are meant to run on, and what says so. A prediction says nothing of the kind. */
interface Intention {
  id: string;
  from: 'caller' | 'override' | 'workspace-default';
}

/** Runs the checks one after the other. A check that cannot be made is `unknown`, and never keeps the next from running. */
export async function verifyWarehouse(context: VerifyContext, options: VerifyOptions = {}): Promise<CheckResult[]> {
  const { client, readings, clock, openSqlServer } = context;
  const { prove, endToEnd, signal, onEvent = () => {} } = options;
  const intention = intentionOf(readings, options.targetId);
  const progressOf = (check: CheckName) => (message: string) => onEvent({ kind: 'progress', check, message });

  const checks: [CheckName, () => Promise<VerifyFinding>][] = [
    ['record', async () => recordCheck(recordIn(readings), intention, readings)],
    ['resolver', () => resolverCheck(context, intention, signal)],
  ];
  if (prove) {
    const progress = progressOf('query');
    checks.push(['query', () => proofCheck(context, { ...prove, progress, signal }, intention)]);
  }
  if (endToEnd) {
    const progress = progressOf('end-to-end');
    const { mayStop, pin, path = SQL_SERVER_PATH } = endToEnd;
    const targetId = pin ?? intention?.id;
    const hopelessBecause = targetId === undefined ? undefined : whyUnusable(readings, targetId);
    checks.push([
      'end-to-end',
      () =>
        runEndToEnd({ client, openSqlServer, targetId, hopelessBecause, mayStop, pin, path, progress, clock, signal }),
    ]);
  }

  const results: CheckResult[] = [];
  for (const [check, run] of checks) {
    onEvent({ kind: 'started', check });
    const startedAt = clock.now();
    const finding = await run().catch(unknownBecause);
    const now = clock.now();
    const result = { check, ...finding, at: new Date(now).toISOString(), tookMillis: now - startedAt };
    results.push(result);
    onEvent({ kind: 'finished', result });
    if (signal?.aborted) break;
  }
  return results;
}

/**
 * A query through the SQL server runs where it should, by the query history. Without a setting there is nothing that it should be:
 * then it has been seen where queries run. A statement that the history does not show says nothing.
 */
async function proofCheck(
  { client, env, openSqlServer, readings, clock }: VerifyContext,
  { pin, path = SQL_SERVER_PATH, progress, signal }: QueryToSend & Pick<EndToEndOptions, 'progress' | 'signal'>,
  intention: Intention | undefined,
): Promise<VerifyFinding> {
  progress('Sending a query through the SQL server. A stopped warehouse starts first.');
  const server = { path, warehouseId: pin };
  const sentAt = clock.now();
  const { warehouse, id, succeeded, explanation } = await runSeenQuery({
    client,
    openSqlServer,
    server,
    clock,
    signal,
  });
  const failed = succeeded ? undefined : `The query failed: ${explanation}`;
  if (!warehouse) {
    const missing =
      id === undefined ? 'The SQL server named no statement' : `The query history does not show statement ${id}`;
    const unproven = `${missing}: it is not known where the query ran.`;
    return { verdict: succeeded ? 'unknown' : 'fail', evidence: sentences(failed, unproven) };
  }
  if (pin === undefined) await remember(env, readings, warehouse, sentAt);
  const how = pin === undefined ? '' : ', named in _meta';
  const ran = `By the query history, the query ran on ${warehouse.name} (${warehouse.id})${how}. Nothing was stopped.`;
  const targetId = pin ?? intention?.id;
  const isThere = targetId === undefined || targetId === warehouse.id;
  const expected = isThere ? contradicted(readings, warehouse.id) : `Expected: ${nameOf(readings, targetId)}.`;
  return { verdict: isThere && succeeded ? 'pass' : 'fail', evidence: sentences(failed, ran, expected) };
}

/** Keeps where the query ran for whoever asks next. */
async function remember(
  env: NodeJS.ProcessEnv,
  readings: Readings,
  { id, name }: { id: string; name: string },
  at: number,
): Promise<void> {
  const effective = explainEffective(readings);
  await rememberSeen(env, effective, { id, name, at, situation: situationOf(effective) });
}

/** What a prediction said otherwise. */
function contradicted(readings: Readings, seenId: string): string | undefined {
  const { warehouse, certainty } = explainEffective({ ...readings, seen: undefined });
  if (certainty !== 'predicted' || !warehouse || warehouse.id === seenId) return undefined;
  return `The prediction, ${warehouse.name}, was wrong.`;
}

function intentionOf({ override, workspaceDefault }: Readings, named: string | undefined): Intention | undefined {
  if (named !== undefined) return { id: named, from: 'caller' };
  if (override.kind === 'known') {
    const { type, warehouse_id: id } = override.value;
    return type === 'CUSTOM' && id ? { id, from: 'override' } : undefined;
  }
  if (override.kind === 'unreadable' && override.error.code !== 'feature_unavailable') return undefined;
  return workspaceDefault.kind === 'known' ? { id: workspaceDefault.value.id, from: 'workspace-default' } : undefined;
}

/** Why queries of this user will not run on a warehouse, as a sentence; undefined if nothing is known against it. */
function whyUnusable(readings: Readings, id: string): string | undefined {
  const target = findTarget(readings, id);
  const name = nameOf(readings, id);
  const why = target.kind === 'gone' ? `${name} ${whyGone(target)}` : whyQueriesFail({ ...target.warehouse, name });
  return why && `${why.charAt(0).toUpperCase()}${why.slice(1)}. Queries will fail.`;
}

/** A check that has come to the target has passed only if the user may run queries there. */
function ifPermitted(evidence: string, id: string, readings: Readings): VerifyFinding {
  const target = findTarget(readings, id);
  if (target.kind === 'gone' || isGone(target.warehouse.state)) return { verdict: 'pass', evidence };
  switch (target.warehouse.canUse) {
    case true:
      return { verdict: 'pass', evidence };
    case false:
      return { verdict: 'fail', evidence: sentences(evidence, whyUnusable(readings, id)) };
    case 'unknown': {
      const doubt = `Your permission on ${nameOf(readings, id)} could not be read.`;
      return { verdict: 'unknown', evidence: sentences(evidence, doubt) };
    }
  }
}

/** The record as it was read for this run. @throws {CausewayError} why it could not be read */
function recordIn({ override }: Readings): OverrideRecord | null {
  if (override.kind === 'unreadable') throw inOverrideWords(override.error, { operation: 'get', id: 'me' });
  return override.kind === 'known' ? override.value : null;
}

/** Check 1: the record names the intended target. */
function recordCheck(
  record: OverrideRecord | null,
  intention: Intention | undefined,
  readings: Readings,
): VerifyFinding {
  const stored = `The workspace stores ${describeOverride(record, (id) => nameOf(readings, id))}.`;
  if (record === null && !contradictsNoOverride(intention, readings)) {
    return { verdict: 'not-applicable', evidence: `${stored} There is no record to check.` };
  }
  const targetId = intention?.id ?? (record?.type === 'CUSTOM' ? record.warehouse_id : undefined);
  if (targetId === undefined) return { verdict: 'unknown', evidence: `${stored} It names no warehouse.` };
  if (record?.type === 'CUSTOM' && record.warehouse_id === targetId) return ifPermitted(stored, targetId, readings);
  return { verdict: 'fail', evidence: `${stored} Expected: ${nameOf(readings, targetId)}.` };
}

/** Having no override is not a contradiction if nothing asks for one, or if the workspace default is the target. */
function contradictsNoOverride(intention: Intention | undefined, { workspaceDefault }: Readings): boolean {
  if (intention === undefined || intention.from === 'workspace-default') return false;
  return (
    intention.from === 'override' || workspaceDefault.kind !== 'known' || workspaceDefault.value.id !== intention.id
  );
}

const RULES = {
  environment: 'set by DATABRICKS_WAREHOUSE_ID',
  override: 'your override',
  'workspace-default': 'the workspace default',
  'first-usable': 'the first warehouse available to you',
} as const;

/**
 * Check 2: the command-line client's own lookup comes to the same warehouse. DATABRICKS_WAREHOUSE_ID comes before
 * everything that the workspace holds, so it is checked separately: it says nothing about the override.
 */
async function resolverCheck(
  { client, env, readings, askCli }: VerifyContext,
  intention: Intention | undefined,
  signal: AbortSignal | undefined,
): Promise<VerifyFinding> {
  const { DATABRICKS_WAREHOUSE_ID: fromEnvironment, ...rest } = env;
  const [byRules, answer] = await Promise.all([cliDefault(client, rest, signal), askCliDefault(askCli, rest)]);
  const finding = lookUpFinding(byRules, answer, intention, readings);
  if (!fromEnvironment) return finding;
  const named = nameOf(readings, fromEnvironment);
  if (fromEnvironment === intention?.id) {
    return { ...finding, evidence: sentences(finding.evidence, `DATABRICKS_WAREHOUSE_ID is also set to ${named}.`) };
  }
  const first = `DATABRICKS_WAREHOUSE_ID is set to ${named}. The Databricks CLI uses only that.`;
  const verdict = intention === undefined ? finding.verdict : 'fail';
  const remedy = 'Unset it to let the Databricks CLI follow the workspace.';
  return { verdict, evidence: sentences(first, `Without it: ${finding.evidence}`, remedy) };
}

function lookUpFinding(
  byRules: CliDefault,
  answer: CliAnswer,
  intention: Intention | undefined,
  readings: Readings,
): VerifyFinding {
  const { id } = answer.kind === 'resolved' ? answer : byRules;
  const seen = seenBy(answer, byRules);
  if (intention === undefined) {
    const nothing =
      readings.override.kind === 'none' && readings.workspaceDefault.kind === 'none'
        ? 'No override and no workspace default is set. There is nothing to compare it with.'
        : 'There is nothing to compare it with.';
    return { verdict: 'unknown', evidence: sentences(seen, nothing) };
  }
  if (id === intention.id) return ifPermitted(seen, id, readings);
  const isRecorded = readings.override.kind === 'known' && readings.override.value.warehouse_id === intention.id;
  const target = nameOf(readings, intention.id);
  const why = whyUnusable(readings, intention.id) ?? (isRecorded ? byRules.passedOver : undefined);
  const stored = isRecorded ? 'It is stored, but the lookup passed over it.' : undefined;
  return { verdict: 'fail', evidence: sentences(`${seen} Expected: ${target}.`, stored, why) };
}

/** The version whose source the rules were read from. */
const RULES_VERSION = '1.13';

/** What the lookup came to, and whether the Databricks CLI itself says so. */
function seenBy(answer: CliAnswer, { id, name, rule }: CliDefault): string {
  const byRules = `${name} (${id}): ${RULES[rule]}.`;
  switch (answer.kind) {
    case 'not-installed':
      return `The Databricks CLI is not installed here. By the rules of its version ${RULES_VERSION}, the default is ${byRules}`;
    case 'failed':
      return `The Databricks CLI gave no answer (${answer.complaint}). By the rules of its version ${RULES_VERSION}, the default is ${byRules}`;
    case 'resolved':
      if (answer.id === id) return `The Databricks CLI resolves to ${byRules}`;
      return sentences(
        `The Databricks CLI resolves to ${answer.name} (${answer.id}).`,
        `By its rules as of version ${RULES_VERSION}, this profile's default is ${byRules}`,
        'It may act as another user or in another workspace: `databricks auth describe` shows that.',
      );
  }
}

function unknownBecause(error: unknown): VerifyFinding {
  if (!(error instanceof CausewayError)) throw error;
  return { verdict: 'unknown', evidence: inOneLine(error) };
}
