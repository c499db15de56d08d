import { setTimeout as sleep } from 'node:timers/promises';
import { formatRefusal } from '../../../preload/contract/refusals.ts';
import { formatDuration } from '../../../preload/contract/words/figures.ts';
import { goesOn } from '../../../preload/contract/words/statements.ts';
import { clockTime } from '../../../preload/contract/words/times.ts';
import { ANY_TIME } from '../../activity/call-filter.ts';
import { openServers } from '../../clients/servers.ts';
import { displayNameOf } from '../../clients/table.ts';
import { askHub } from '../../hub/attach.ts';
import { shownByPoll } from '../../hub/calls.ts';
import { hubFolder, lookUpHub } from '../../hub/rendezvous.ts';
import { isFailed } from '../../hub/session-record.ts';
import type { WireCall } from '../../hub/wire.ts';
import { readCalls } from '../../hub/wire-schemas.ts';
import { CausewayError } from '../../platform/errors.ts';
import { didYouMean, similarNames } from '../../platform/similar-names.ts';
import type { Answer } from '../answers/answers.ts';
import type { CommandContext } from '../command.ts';
import { padded } from '../layout.ts';
import { printable, writeAnswer, writeAnswerLine, writeNotice, writeStyledLine, writeTable } from '../terminal.ts';
import { sinceIn } from './choice.ts';
import { readStored, type Wanted } from './stored.ts';

export interface ActivityOptions {
  follow?: boolean;
  failed?: boolean;
  last?: string;
  since?: string;
  client?: string;
  server?: string;
  json?: boolean;
}

type ShownCall = Answer<'activity'>['calls'][number];

/** How many calls are shown unless another number is given, and the most that can be. */
export const LAST = { usual: 50, most: 10_000 };
/** How long after its end a call may be kept at the latest, in milliseconds. */
const LATE_MS = 60_000;
/** How often calls are read while they are followed, in milliseconds. */
const LOOK_MS = 1_000;

/** `causeway activity`: the last calls of AI clients, and with `--follow` each further one. */
export async function showActivity(context: CommandContext, options: ActivityOptions): Promise<void> {
  const count = countOf(options);
  const wanted = await wantedIn(context, options, options.follow ? LAST.most : count);
  const found = await readAll(context, wanted);
  if (options.follow) return follow(context, options, wanted, found);
  const shown = await namedCalls(context, found.calls.slice(-wanted.count));
  for (const problem of found.problems) await writeNotice(context, problem);
  if (options.json) {
    const { application, problems } = found;
    return writeAnswer(context, 'activity', { application, calls: shown, problems });
  }
  if (shown.length === 0) return writeNotice(context, nothing(wanted));
  const rows = shown.map(rowOf);
  // Most tools run no statement.
  const isPlain = rows.every((cells) => cells.at(-1) === '');
  await writeTable(
    context,
    isPlain ? rows.map((cells) => cells.slice(0, -1)) : rows,
    isPlain ? HEADS.slice(0, -1) : HEADS,
  );
}

/** @throws {CausewayError} `usage` */
function countOf({ last }: ActivityOptions): number {
  if (last === undefined) return LAST.usual;
  const count = /^\d+$/.test(last) ? Number(last) : 0;
  if (count >= 1 && count <= LAST.most) return count;
  throw new CausewayError('usage', `--last "${last}" is not a number of calls.`, {
    remedy: `Give 1 to ${LAST.most}.`,
  });
}

/** @throws {CausewayError} `usage` */
async function wantedIn({ env }: CommandContext, options: ActivityOptions, count: number): Promise<Wanted> {
  const { failed = false, since, client, server } = options;
  return {
    count,
    failed,
    since: sinceIn(since, Date.now()),
    client: client === undefined ? null : displayNameOf(client),
    path: server === undefined ? null : await pathOf(env, server),
  };
}

/** The path of a server by its name, or as it is given. @throws {CausewayError} `usage` */
async function pathOf(env: NodeJS.ProcessEnv, text: string): Promise<string> {
  const { servers } = (await openServers(env)).initial;
  const found = servers.find(({ name, path }) => name === text || path === text)?.path;
  if (found !== undefined || text.startsWith('/')) return (found ?? text).split('?')[0] ?? '';
  const names = servers.map(({ name }) => name);
  throw new CausewayError('usage', `There is no server "${text}".`, {
    remedy: didYouMean(similarNames(text, names)) ?? 'Give a name that `causeway servers` shows, or a path.',
    candidates: names.map((name) => ({ name })),
  });
}

function nothing({ failed, since, client, path }: Wanted): string {
  if (since !== ANY_TIME.from || client !== null || path !== null) return 'No such calls.';
  return failed
    ? 'No failed calls. Without --failed, all calls are shown.'
    : 'No calls yet. They appear once an AI client uses a server. `causeway clients` shows which clients have one.';
}

/** Prints calls as they end. Ends with Ctrl+C, which is not a failure. */
async function follow(context: CommandContext, options: ActivityOptions, wanted: Wanted, first: Found): Promise<void> {
  const { signal } = context;
  const seen = new Set<string>();
  const said = new Set<string>();
  let found = first;
  let isFirst = true;
  if (!options.json) await writeNotice(context, 'Waiting for calls. Ctrl+C ends this.');
  while (!signal.aborted) {
    for (const problem of found.problems.filter((each) => !said.has(each))) {
      said.add(problem);
      await writeNotice(context, problem);
    }
    const fresh = found.calls.filter((call) => !seen.has(keyOf(call)));
    for (const call of fresh) seen.add(keyOf(call));
    const shown = await namedCalls(context, isFirst ? fresh.slice(-countOf(options)) : fresh);
    for (const call of shown) await print(context, call, options.json === true);
    isFirst = false;
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    const since = Math.max(wanted.since, Date.now() - LATE_MS);
    if (!signal.aborted) found = await readAll(context, { ...wanted, since });
  }
}

async function print(context: CommandContext, call: ShownCall, json: boolean): Promise<void> {
  if (json) return writeAnswerLine(context, 'activity --follow', call);
  const cells = rowOf(call).map(printable);
  const line = cells.map((cell, column) => padded(cell, FOLLOWED_WIDTHS[column] ?? 0)).join('  ');
  await writeStyledLine(context.stdout, line.trimEnd(), 2);
}

const HEADS = ['TIME', 'CLIENT', 'SERVER', 'CALL', 'OUTCOME', 'TOOK', 'WAREHOUSE'];
/** Of rows that are printed before the next ones are known. */
const FOLLOWED_WIDTHS = [5, 14, 18, 22, 10, 8];

const OUTCOMES: Record<WireCall['outcome'], string> = {
  answered: 'done',
  'tool-error': 'failed',
  error: 'error',
  cancelled: 'canceled',
  lost: 'no answer',
};

function rowOf(call: ShownCall): string[] {
  const { at, client, server, path, method, tool, durationMs, statement } = call;
  return [
    clockTime(Date.parse(at), Date.now()),
    client ?? '-',
    server ?? path,
    tool ?? method,
    outcomeOf(call),
    formatDuration(statement && statement.polls > 0 ? statement.seenAt - Date.parse(at) : durationMs),
    statement?.record?.warehouse ? (statement.record.warehouse.name ?? statement.record.warehouse.id) : '',
  ];
}

function outcomeOf(call: ShownCall): string {
  const { outcome, errorCode, refusal } = call;
  if (goesOn(call)) return 'running';
  if (refusal !== null) return formatRefusal(refusal).toLowerCase();
  return outcome === 'error' && errorCode !== null ? `${OUTCOMES.error} ${errorCode}` : OUTCOMES[outcome];
}

interface Found {
  /** Whether the application runs and has answered. */
  application: boolean;
  /** The oldest first. */
  calls: WireCall[];
  /** What could not be read, as sentences. */
  problems: string[];
}

/** The kept calls, and those that the application has in memory only. */
export async function readAll({ env }: Pick<CommandContext, 'env'>, wanted: Wanted): Promise<Found> {
  // In this order: a call that is kept meanwhile is in both, and not in neither.
  const running = await askApplication(env, wanted);
  const stored = await readStored(env, wanted);
  const kept = withoutPolls(stored.calls);
  const own = running.calls.filter((call) => isWanted(call, wanted));
  const all = new Map([...kept, ...own].map((call) => [keyOf(call), call]));
  const calls = [...all.values()].sort((a, b) => endOf(a) - endOf(b));
  const { application } = running;
  return { application, calls: calls.slice(-wanted.count), problems: [...running.problems, ...stored.problems] };
}

function isWanted({ client, path, ...call }: WireCall, { failed, since, ...wanted }: Wanted): boolean {
  if (wanted.client !== null && (client === null || displayNameOf(client) !== wanted.client)) return false;
  if (wanted.path !== null && path !== wanted.path) return false;
  return (!failed || isFailed(call)) && endOf({ ...call, client, path }) >= since;
}

async function askApplication(env: NodeJS.ProcessEnv, { count, failed }: Wanted): Promise<Found> {
  const found = lookUpHub(hubFolder(env));
  if (found.kind !== 'found') return { application: false, calls: [], problems: [] };
  const line = await askHub(found.rendezvous, { question: 'calls', count, failed });
  const answer = line === null ? undefined : readCalls(line);
  if (answer) return { application: true, calls: answer.calls, problems: [] };
  const problem = 'The application did not report its calls. It has ended, or is an older version.';
  return { application: false, calls: [], problems: [problem] };
}

/** Polls stand with the call that ran their statement, as in the application. */
function withoutPolls(calls: readonly WireCall[]): WireCall[] {
  const shown: WireCall[] = [];
  const at = new Map<string, number>();
  for (const call of calls) {
    const { statement, isPoll } = call;
    const key = statement && JSON.stringify([call.profile, statement.id]);
    const index = key === null ? undefined : at.get(key);
    const next = isPoll && index !== undefined ? shownByPoll(shown[index], call) : undefined;
    if (next && index !== undefined) shown[index] = next;
    else {
      shown.push(call);
      if (key !== null && !isPoll) at.set(key, shown.length - 1);
    }
  }
  return shown;
}

function endOf({ at, durationMs }: WireCall): number {
  return Date.parse(at) + durationMs;
}

/** More may become known of a call that was shown. */
function keyOf({ statement, outcome: _, ...call }: WireCall): string {
  return JSON.stringify([...Object.values(call), statement?.id]);
}

/** Calls with the names of their servers and clients. */
async function namedCalls({ env }: CommandContext, calls: readonly WireCall[]): Promise<ShownCall[]> {
  const servers = await openServers(env).then(
    ({ initial }) => initial.servers,
    () => [],
  );
  return calls.map(({ client, isPoll: _, ...call }) => {
    const { profile, path } = call;
    const server = servers.find((each) => each.path === path && (profile === null || each.profile === profile));
    return { ...call, client: client === null ? null : displayNameOf(client), server: server?.name ?? null };
  });
}
