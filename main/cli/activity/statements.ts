import { setTimeout as sleep } from 'node:timers/promises';
import type { StatementRecord } from '../../../preload/contract/activity.ts';
import {
  isRunningState,
  phasesOf,
  recordFacts,
  statementWords,
  stateText,
  statusText,
} from '../../../preload/contract/words/statements.ts';
import { clockTime } from '../../../preload/contract/words/times.ts';
import type { WorkspaceSession } from '../../app/causeway.ts';
import { isStatementId } from '../../hub/answered-statement.ts';
import { CausewayError } from '../../platform/errors.ts';
import { recordOn } from '../../warehouses/most-dbus.ts';
import { WorkspaceError } from '../../workspace/errors.ts';
import { statementPage } from '../../workspace/pages.ts';
import type { RecordedStatement } from '../../workspace/query-history.ts';
import type { CommandContext } from '../command.ts';
import { writeAnswer, writeDone, writeNotice, writeTable } from '../terminal.ts';
import { LAST, readAll } from './activity.ts';
import { EVERY_CALL } from './stored.ts';

interface StatementOptions {
  profile?: string;
  json?: boolean;
}

/** How often a canceled statement is looked at until it has ended, and how long, in milliseconds. */
const CANCELED = { everyMs: 500, forMs: 10_000 };

/** `causeway activity statement ID`: what the workspace knows of a statement. */
export async function showStatement(context: CommandContext, id: string, options: StatementOptions): Promise<void> {
  const { profile, client } = await sessionOf(context, id, options);
  const { signal } = context;
  const [[found], state] = await Promise.all([
    client.queryHistory.statements([id], signal),
    stateOf(client, id, signal),
  ]);
  if (!found && state === null) throw unknown(id, profile.name);
  const record = found ? await recordOf(client, found, signal) : null;
  const url = statementPage(profile, id, record?.startedAt ?? null);
  if (options.json) {
    const { name, host } = profile;
    return writeAnswer(context, 'activity statement', { id, profile: name, host, state, record, url });
  }
  const rows: [string, string | null][] = [
    [statementWords.status, statusText({ state, record })],
    ...(record ? recordFacts(record, (at) => clockTime(at, Date.now())) : []),
    ...(record ? phasesOf(record).map(({ name, text }): [string, string] => [name, text]) : []),
    [statementWords.page, url],
  ];
  await writeTable(
    context,
    rows.flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
  if (!record) await writeNotice(context, statementWords.waiting);
}

/** `causeway activity cancel ID`. */
export async function cancelStatement(context: CommandContext, id: string, options: StatementOptions): Promise<void> {
  const { profile, client } = await sessionOf(context, id, options);
  const { signal } = context;
  const before = await stateOf(client, id, signal);
  if (before === null) throw unknown(id, profile.name);
  const wasRunning = isRunningState(before);
  if (wasRunning) await client.statements.cancel(id, signal);
  const state = wasRunning ? await endOf(client, id, signal) : before;
  const { name, host } = profile;
  if (options.json) return writeAnswer(context, 'activity cancel', { id, profile: name, host, state });
  const words = stateText(state).toLowerCase();
  if (!wasRunning) return writeDone(context, `Statement ${id} had ended before: ${words}. Nothing was canceled.`);
  const isOver = !isRunningState(state);
  await writeDone(
    context,
    isOver ? `Statement ${id} of ${name} at ${host}: ${words}.` : `${statementWords.cancelAsked}. It still runs.`,
  );
}

type Client = WorkspaceSession['client'];

/** The account that ran a statement: the one that is named, or else that of the call, if it is known. */
async function sessionOf(
  context: CommandContext,
  id: string,
  { profile }: StatementOptions,
): Promise<WorkspaceSession> {
  if (!isStatementId(id)) {
    throw new CausewayError('usage', `"${id}" is not the id of a statement.`, {
      remedy: '`causeway activity --json` shows the ids of statements.',
    });
  }
  if (profile !== undefined) return context.causeway().open(profile);
  const { calls } = await readAll(context, { ...EVERY_CALL, count: LAST.most });
  const call = calls.findLast(({ statement }) => statement?.id === id);
  return context.causeway().open(call?.profile ?? undefined);
}

/** Null if the workspace does not know the statement, or not as one of its own API. */
async function stateOf({ statements }: Client, id: string, signal: AbortSignal): Promise<string | null> {
  try {
    return await statements.state(id, signal);
  } catch (error) {
    if (error instanceof WorkspaceError && (error.status === 404 || error.status === 400)) return null;
    throw error;
  }
}

async function endOf(client: Client, id: string, signal: AbortSignal): Promise<string> {
  const until = Date.now() + CANCELED.forMs;
  for (;;) {
    const state = (await stateOf(client, id, signal)) ?? 'CANCELED';
    if (!isRunningState(state) || Date.now() > until) return state;
    await sleep(CANCELED.everyMs, undefined, { signal });
  }
}

async function recordOf(
  { warehouses }: Client,
  found: RecordedStatement,
  signal: AbortSignal,
): Promise<StatementRecord> {
  const { warehouseId } = found;
  if (warehouseId === undefined) return recordOn(found, null);
  return recordOn(found, await warehouses.get(warehouseId, signal).catch(() => null));
}

function unknown(id: string, profile: string): CausewayError {
  return new CausewayError('not_found', `Profile "${profile}" has no statement ${id} that the workspace knows.`, {
    remedy: 'Give --profile if another account ran it. The workspace keeps statements for about a month.',
  });
}
