import { CausewayError, sentences } from '../platform/errors.ts';
import type { RetryClock } from '../platform/retry.ts';
import { inOneLine } from '../words/failure.ts';
import type { RestClient } from '../workspace/client.ts';
import { WorkspaceError } from '../workspace/errors.ts';
import { gather } from '../workspace/paging.ts';
import type { Warehouse } from '../workspace/warehouses.ts';
import { runStatement, type SqlServer, type SqlServerChoice, statementTool } from './statement.ts';

/** The finding of a check, without its name and time. */
export interface VerifyFinding {
  /** `not-applicable` if there is nothing to check. This is neither a failure nor a doubt. */
  verdict: 'pass' | 'fail' | 'unknown' | 'not-applicable';
  /** What was seen, as sentences. */
  evidence: string;
}

export interface EndToEndOptions {
  client: Pick<RestClient, 'warehouses'>;
  /** An exclusive session with a SQL server; closed here. */
  openSqlServer(server: SqlServerChoice): Promise<SqlServer>;
  /** The warehouse that the query names itself, in `_meta`; the workspace chooses if left out. */
  pin?: string | undefined;
  /** The SQL server's path on the workspace. */
  path: string;
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
/** How long the warehouses have to stop. */
const STOP_TIMEOUT_MS = 10 * 60_000;
/** A serverless warehouse stops within a second or two, another one takes minutes. */
const WAREHOUSE_POLL_MS = { first: 250, last: 3000 };
/** How long starting the stopped warehouses again may take. */
const RESTART_TIMEOUT_MS = 60_000;

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
 * Whatever it stopped is started again, even if it fails or is canceled, and a target that was stopped is stopped again; what
 * could not be put back is named in the evidence.
 */
export async function runEndToEnd(options: EndToEndOptions): Promise<VerifyFinding> {
  const { client, targetId, hopelessBecause, mayStop, signal } = options;
  if (targetId === undefined) {
    return untouched('No warehouse is set to check. Name one.');
  }
  if (hopelessBecause !== undefined) return untouched(hopelessBecause);
  const running = await warehousesToStop(client, signal);
  const refused = running.filter(({ id }) => !mayStop.has(id));
  if (refused.length > 0) {
    return { verdict: 'unknown', evidence: `Nothing was stopped. You did not agree to stop ${names(refused)}.` };
  }
  const server = await options.openSqlServer({ path: options.path, warehouseId: options.pin });
  try {
    options.progress('Opening a session with the SQL server.');
    const tool = await statementTool(server, signal).catch(untouchedBecause);
    return typeof tool === 'string' ? await queryWithAllStopped(options, targetId, running, server, tool) : tool;
  } finally {
    await server.close();
  }
}

function untouchedBecause(error: unknown): VerifyFinding {
  if (!(error instanceof CausewayError)) throw error;
  const why = error.code === 'cancelled' ? undefined : 'The SQL server is not available.';
  return untouched(sentences(why, inOneLine(error)));
}

function untouched(why: string): VerifyFinding {
  return { verdict: 'unknown', evidence: sentences('Nothing was stopped.', why) };
}

async function queryWithAllStopped(
  options: EndToEndOptions,
  targetId: string,
  running: Warehouse[],
  server: SqlServer,
  tool: string,
): Promise<VerifyFinding> {
  const { client, progress, signal } = options;
  const stopped: Warehouse[] = [];
  let finding: VerifyFinding;
  try {
    await stopAll(options, running, stopped);
    progress('Sending a query through the SQL server.');
    const { sleep } = options.clock;
    const outcome = await runStatement(server, tool, 'SELECT 1', { sleep, signal });
    const said = outcome.succeeded ? '' : ` The query failed: ${outcome.explanation}`;
    const pinned = options.pin === undefined ? '' : ' The query named its warehouse in _meta.';
    finding = judge(await gather(client.warehouses.list({}, signal)), targetId, said);
    finding = { ...finding, evidence: `${finding.evidence}${pinned} It went through ${options.path}.` };
  } catch (error) {
    if (!(error instanceof CausewayError)) throw error;
    finding = { verdict: 'unknown', evidence: inOneLine(error) };
  }
  const restored = await restore(options, stopped);
  const wasRunning = running.some(({ id }) => id === targetId);
  const again = wasRunning || finding.verdict !== 'pass' ? '' : await stopTarget(options, targetId);
  return { ...finding, evidence: `${finding.evidence}${restored}${again}` };
}

/** The query alone has started it: nobody else needs it. */
async function stopTarget({ client }: EndToEndOptions, id: string): Promise<string> {
  const signal = AbortSignal.timeout(RESTART_TIMEOUT_MS);
  try {
    const { name } = await client.warehouses.get(id, signal);
    await client.warehouses.stop(id, signal);
    return ` Stopped again: ${name || id}.`;
  } catch (error) {
    if (!(error instanceof CausewayError)) throw error;
    return ` It was stopped before and runs now. Stopping it failed: ${inOneLine(error)}`;
  }
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
  const deadline = clock.now() + STOP_TIMEOUT_MS;
  for (let waitMs = WAREHOUSE_POLL_MS.first; ; waitMs = Math.min(waitMs * 1.5, WAREHOUSE_POLL_MS.last)) {
    const all = await gather(client.warehouses.list({}, signal));
    const busy = all.filter(({ state }) => ACTIVE.has(state) || state === 'STOPPING');
    if (busy.length === 0) return;
    const restarted = busy.filter(({ id, state }) => ACTIVE.has(state) && !stopped.some((one) => one.id === id));
    if (restarted.length > 0) {
      throw new CausewayError('conflict', `Someone else started ${names(restarted)} during the check.`);
    }
    if (clock.now() > deadline) throw new CausewayError('timeout', `${names(busy)} did not stop within ten minutes.`);
    progress(`Waiting for ${names(busy)} to stop.`);
    await clock.sleep(waitMs, signal);
  }
}

function judge(all: Warehouse[], targetId: string, said: string): VerifyFinding {
  const running = all.filter(({ state }) => ACTIVE.has(state));
  const others = running.filter(({ id }) => id !== targetId);
  const target = all.find(({ id }) => id === targetId)?.name ?? targetId;
  const targetRuns = others.length < running.length;
  if (targetRuns && others.length === 0 && said === '') {
    return { verdict: 'pass', evidence: `The query started ${target} and nothing else.` };
  }
  if (targetRuns && others.length > 0) {
    const evidence = `${target} is running, but so is ${names(others)}. Someone else may have started it.${said}`;
    return { verdict: 'unknown', evidence };
  }
  if (targetRuns) return { verdict: 'unknown', evidence: `The query started ${target}.${said}` };
  const instead = others.length === 0 ? 'nothing' : names(others);
  return { verdict: 'fail', evidence: `The query did not start ${target}. Running: ${instead}.${said}` };
}

/** Starts again what was stopped, on its own time limit: the caller's signal may be what ended the check. */
async function restore(options: EndToEndOptions, stopped: Warehouse[]): Promise<string> {
  const signal = AbortSignal.timeout(RESTART_TIMEOUT_MS);
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
  return `${again} Start ${names(failed)} yourself. Restarting failed: ${[...reasons].join(' ')}`;
}

/** A warehouse that is still stopping may refuse to start. */
async function startWhenPossible({ client, clock }: EndToEndOptions, id: string, signal: AbortSignal): Promise<void> {
  for (let waitMs = WAREHOUSE_POLL_MS.first; ; waitMs = Math.min(waitMs * 1.5, WAREHOUSE_POLL_MS.last)) {
    try {
      return await client.warehouses.start(id, signal);
    } catch (error) {
      const { state } = await client.warehouses.get(id, signal);
      if (state === 'RUNNING' || state === 'STARTING') return;
      if (state !== 'STOPPING') throw error;
      await clock.sleep(waitMs, signal);
    }
  }
}

function names(warehouses: readonly Warehouse[]): string {
  return warehouses.map(({ name, id }) => name || id).join(', ');
}
