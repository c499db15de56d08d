import { CausewayError, inOneLine } from '../platform/errors.ts';
import type { RetryClock } from '../platform/retry.ts';
import { sentences } from '../platform/sentences.ts';
import type { RestClient } from '../workspace/client.ts';
import { WorkspaceError } from '../workspace/errors.ts';
import { gather } from '../workspace/paging.ts';
import type { Warehouse } from '../workspace/warehouses.ts';
import type { Finding } from './finding.ts';
import { runStatement, type SqlServer, statementTool } from './statement.ts';

export interface EndToEndOptions {
  client: Pick<RestClient, 'warehouses'>;
  /** A session with the SQL server that nobody else uses; it is closed here. */
  openSqlServer(): Promise<SqlServer>;
  targetId: string | undefined;
  /** Why a query could not run on the target in any case, as a sentence. */
  hopelessBecause: string | undefined;
  /** Nothing but these is ever stopped. */
  mayStop: ReadonlySet<string>;
  progress(message: string): void;
  clock: Pick<RetryClock, 'now' | 'sleep'>;
  signal: AbortSignal | undefined;
}

const ACTIVE = new Set(['RUNNING', 'STARTING']);
const STOPPING_MILLIS = 10 * 60_000;
/** A serverless warehouse stops within a second or two, another one takes minutes. */
const POLL_MILLIS = { first: 250, last: 3000 };
const RESTORE_MILLIS = 60_000;

/** The warehouses that would have to be stopped for the third check: the target and every other one that runs. */
export async function warehousesToStop(
  client: Pick<RestClient, 'warehouses'>,
  signal?: AbortSignal,
): Promise<Warehouse[]> {
  return (await gather(client.warehouses.list({}, signal))).filter(({ state }) => ACTIVE.has(state));
}

/**
 * Check 3 (spec/default-warehouse-override.md › Verification layers): with everything stopped, a query through the SQL
 * server starts the target and nothing else. Nothing is stopped before the session that will carry the query is open.
 * Whatever it stopped is started again, also when it fails or is cancelled; what could not be started again is named in
 * the evidence.
 */
export async function runEndToEnd(options: EndToEndOptions): Promise<Finding> {
  const { client, targetId, hopelessBecause, mayStop, signal } = options;
  if (targetId === undefined) {
    return untouched('It cannot be told which warehouse is meant to run: name one.');
  }
  if (hopelessBecause !== undefined) return untouched(hopelessBecause);
  const running = await warehousesToStop(client, signal);
  const refused = running.filter(({ id }) => !mayStop.has(id));
  if (refused.length > 0) {
    return { verdict: 'unknown', evidence: `Nothing was stopped: ${names(refused)} would have to be stopped first.` };
  }
  const server = await options.openSqlServer();
  try {
    options.progress('Opening a session with the SQL server.');
    const tool = await statementTool(server, signal).catch(untouchedBecause);
    return typeof tool === 'string' ? await queryWithAllStopped(options, targetId, running, server, tool) : tool;
  } finally {
    await server.close();
  }
}

function untouchedBecause(error: unknown): Finding {
  if (!(error instanceof CausewayError)) throw error;
  const why = error.code === 'cancelled' ? undefined : 'The SQL server cannot be used just now.';
  return untouched(sentences(why, inOneLine(error)));
}

function untouched(why: string): Finding {
  return { verdict: 'unknown', evidence: sentences('Nothing was stopped.', why) };
}

async function queryWithAllStopped(
  options: EndToEndOptions,
  targetId: string,
  running: Warehouse[],
  server: SqlServer,
  tool: string,
): Promise<Finding> {
  const { client, progress, signal } = options;
  const stopped: Warehouse[] = [];
  let finding: Finding;
  try {
    await stopAll(options, running, stopped);
    progress('Sending a query through the SQL server.');
    const { sleep } = options.clock;
    const outcome = await runStatement(server, tool, 'SELECT 1', { sleep, signal });
    const said = outcome.succeeded ? '' : ` The query failed: ${outcome.explanation}`;
    finding = judge(await gather(client.warehouses.list({}, signal)), targetId, said);
  } catch (error) {
    if (!(error instanceof CausewayError)) throw error;
    finding = { verdict: 'unknown', evidence: inOneLine(error) };
  }
  const restored = await restore(options, stopped);
  return { ...finding, evidence: `${finding.evidence}${restored}` };
}

async function stopAll(options: EndToEndOptions, running: Warehouse[], stopped: Warehouse[]): Promise<void> {
  const { client, progress, clock, signal } = options;
  for (const warehouse of running) {
    progress(`Stopping ${warehouse.name}.`);
    try {
      await client.warehouses.stop(warehouse.id, signal);
      stopped.push(warehouse);
    } catch (error) {
      if (error instanceof WorkspaceError && error.mayHaveRun) stopped.push(warehouse);
      throw error;
    }
  }
  const deadline = clock.now() + STOPPING_MILLIS;
  for (let waitMillis = POLL_MILLIS.first; ; waitMillis = Math.min(waitMillis * 1.5, POLL_MILLIS.last)) {
    const all = await gather(client.warehouses.list({}, signal));
    const busy = all.filter(({ state }) => ACTIVE.has(state) || state === 'STOPPING');
    if (busy.length === 0) return;
    const restarted = busy.filter(({ id, state }) => ACTIVE.has(state) && !stopped.some((one) => one.id === id));
    if (restarted.length > 0) {
      throw new CausewayError('conflict', `${names(restarted)} was started by someone else meanwhile.`);
    }
    if (clock.now() > deadline) throw new CausewayError('timeout', `${names(busy)} did not stop within ten minutes.`);
    progress(`Waiting for ${names(busy)} to stop.`);
    await clock.sleep(waitMillis, signal);
  }
}

function judge(all: Warehouse[], targetId: string, said: string): Finding {
  const running = all.filter(({ state }) => ACTIVE.has(state));
  const others = running.filter(({ id }) => id !== targetId);
  const target = all.find(({ id }) => id === targetId)?.name ?? targetId;
  const targetRuns = others.length < running.length;
  if (targetRuns && others.length === 0 && said === '') {
    return { verdict: 'pass', evidence: `The query started ${target}, and nothing else runs.` };
  }
  if (targetRuns && others.length > 0) {
    const evidence = `${target} runs, but so does ${names(others)}; someone else may have started it.${said}`;
    return { verdict: 'unknown', evidence };
  }
  if (targetRuns) return { verdict: 'unknown', evidence: `${target} was started.${said}` };
  const instead = others.length === 0 ? 'nothing' : names(others);
  return { verdict: 'fail', evidence: `The query did not start ${target}; running is ${instead}.${said}` };
}

/** Starts again what was stopped, on a time limit of its own: the caller's signal may be what ended the check. */
async function restore(options: EndToEndOptions, stopped: Warehouse[]): Promise<string> {
  const signal = AbortSignal.timeout(RESTORE_MILLIS);
  const started: Warehouse[] = [];
  const failed: Warehouse[] = [];
  const reasons = new Set<string>();
  for (const warehouse of stopped) {
    options.progress(`Starting ${warehouse.name} again.`);
    try {
      await startWhenPossible(options, warehouse.id, signal);
      started.push(warehouse);
    } catch (error) {
      if (!(error instanceof CausewayError)) throw error;
      failed.push(warehouse);
      reasons.add(inOneLine(error));
    }
  }
  const again = started.length === 0 ? '' : ` Started again: ${names(started)}.`;
  if (failed.length === 0) return again;
  return `${again} You have to start ${names(failed)} yourself, because that failed: ${[...reasons].join(' ')}`;
}

/** A warehouse that is still stopping may refuse to start. */
async function startWhenPossible({ client, clock }: EndToEndOptions, id: string, signal: AbortSignal): Promise<void> {
  for (let waitMillis = POLL_MILLIS.first; ; waitMillis = Math.min(waitMillis * 1.5, POLL_MILLIS.last)) {
    try {
      return await client.warehouses.start(id, signal);
    } catch (error) {
      const { state } = await client.warehouses.get(id, signal);
      if (state === 'RUNNING' || state === 'STARTING') return;
      if (state !== 'STOPPING') throw error;
      await clock.sleep(waitMillis, signal);
    }
  }
}

function names(warehouses: readonly Warehouse[]): string {
  return warehouses.map(({ name, id }) => name || id).join(', ');
}
