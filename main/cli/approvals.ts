import { setTimeout as sleep } from 'node:timers/promises';
import { clockTime } from '../../preload/contract/words/times.ts';
import { openServers } from '../clients/servers.ts';
import { displayNameOf } from '../clients/table.ts';
import { askHub } from '../hub/attach.ts';
import { hubFolder, lookUpHub } from '../hub/rendezvous.ts';
import type { ApprovalAnswer, ApprovalsAnswer, HubQuestion, WireApproval } from '../hub/wire.ts';
import { readApproval, readApprovals, readDone } from '../hub/wire-schemas.ts';
import { noLongerWaits } from '../permissions/approvals.ts';
import { tooLongToAllow } from '../permissions/shown-call.ts';
import { CausewayError } from '../platform/errors.ts';
import type { Answer } from './answers/answers.ts';
import type { CommandContext } from './command.ts';
import { askWord, canAsk } from './question.ts';
import {
  bold,
  writeAnswer,
  writeAnswerLine,
  writeDone,
  writeLine,
  writeNotice,
  writeStyledLine,
  writeTable,
} from './terminal.ts';

interface JsonOption {
  json?: boolean;
}

interface ApprovalsOptions extends JsonOption {
  watch?: boolean;
}

/** How often the calls are read while they are watched, in milliseconds. */
const LOOK_MS = 1_000;

type Names = (at: { profile: string; path: string }) => string;

/** `causeway approvals`: the calls that wait for the user. */
export async function listApprovals(context: CommandContext, { json, watch }: ApprovalsOptions): Promise<void> {
  if (watch) return watchApprovals(context, json === true);
  const found = await readAll(context);
  const names = await serverNames(context);
  if (json) return writeAnswer(context, 'approvals', dataOf(found, names));
  const { approvals, allowances } = found;
  if (approvals.length === 0) await writeDone(context, 'No calls are waiting.');
  const rows = approvals.map((waiting) => [
    String(waiting.id),
    clientOf(waiting),
    waiting.tool,
    names(waiting),
    waiting.readsOnly ? 'only reads' : 'may change data',
    `expires in ${secondsLeft(waiting)} s`,
  ]);
  await writeTable(context, rows);
  for (const each of allowances) {
    const what = each.tool ?? 'tools that only read';
    const until = clockTime(each.until, Date.now());
    await writeLine(
      context.stdout,
      `${displayNameOf(each.client)} can use ${what} on ${names(each)} until ${until}. \`causeway approvals revoke\` ends that.`,
    );
  }
}

/** `causeway approvals allow ID`: shows the call and asks. */
export async function allowCall(context: CommandContext, id: string, { json }: JsonOption): Promise<void> {
  refuseWithoutTerminal(context, id);
  const waiting = await find(context, id);
  await show(context, waiting, await serverNames(context), json ? context.stderr : context.stdout);
  const isAllowed = await askToAllow(context, waiting, context.signal);
  if (!isAllowed && json) return writeAnswer(context, 'approvals allow', stillWaits(waiting, 'waiting'));
  if (!isAllowed) return writeLine(context.stdout, 'Not allowed. The call still waits.');
  await tell(context, { question: 'answer-approval', id: waiting.id, askedAt: waiting.askedAt, answer: 'allow' });
  if (json) return writeAnswer(context, 'approvals allow', { id: waiting.id, state: 'allowed', expiresAt: null });
  await writeDone(context, 'Allowed.');
}

/** `causeway approvals block ID`. */
export async function blockCall(context: CommandContext, text: string, { json }: JsonOption): Promise<void> {
  const { askedAt, id } = await find(context, text);
  await tell(context, { question: 'answer-approval', id, askedAt, answer: 'block' });
  if (json) return writeAnswer(context, 'approvals block', { id, state: 'blocked', expiresAt: null });
  await writeDone(context, 'Blocked.');
}

/** `causeway approvals extend ID`. */
export async function extendCall(context: CommandContext, text: string, { json }: JsonOption): Promise<void> {
  const { askedAt, id } = await find(context, text);
  await tell(context, { question: 'answer-approval', id, askedAt, answer: 'extend' });
  const extended = await find(context, text);
  if (json) return writeAnswer(context, 'approvals extend', stillWaits(extended, 'extended'));
  await writeDone(context, `This call now expires in ${secondsLeft(extended)} s.`);
}

function stillWaits({ id, expiresAt }: WireApproval, state: 'extended' | 'waiting'): Answer<'approvals allow'> {
  return { id, state, expiresAt: new Date(expiresAt).toISOString() };
}

/** `causeway approvals revoke`. */
export async function revokeAllowances(context: CommandContext, { json }: JsonOption): Promise<void> {
  await tell(context, { question: 'end-allowances' });
  if (json) return writeAnswer(context, 'approvals revoke', { allowances: [] });
  await writeDone(context, 'Causeway asks about each call again.');
}

/** Shows each call as it comes, and takes the answer if there is a terminal. Ends with Ctrl+C, which is not a failure. */
async function watchApprovals(context: CommandContext, json: boolean): Promise<void> {
  const { signal } = context;
  const isInteractive = !json && canAsk(context);
  const seen = new Set<string>();
  if (!json) await writeNotice(context, 'Waiting for calls that need approval. Ctrl+C ends this.');
  while (!signal.aborted) {
    try {
      const names = await serverNames(context);
      const { approvals } = await readAll(context);
      for (const waiting of approvals.filter((each) => !seen.has(keyOf(each)))) {
        seen.add(keyOf(waiting));
        const whole = await find(context, String(waiting.id)).catch(ignoreGone);
        if (!whole) continue;
        if (json) await writeAnswerLine(context, 'approvals --watch', watchedData(whole, names));
        else await show(context, whole, names, context.stdout);
        if (isInteractive) await answerInTerminal(context, whole);
      }
      await sleep(LOOK_MS, undefined, { signal });
    } catch (error) {
      if (isLeft(error)) return;
      if (!signal.aborted) throw error;
    }
  }
}

async function answerInTerminal(context: CommandContext, waiting: Whole): Promise<void> {
  const { id, askedAt } = waiting;
  const answer = (what: 'allow' | 'block' | 'extend') =>
    tell(context, { question: 'answer-approval', id, askedAt, answer: what });
  const gone = new AbortController();
  const looking = setInterval(async () => {
    const { approvals } = await readAll(context).catch(() => ({ approvals: [] }));
    if (!approvals.some((each) => keyOf(each) === keyOf(waiting))) gone.abort(noLongerWaits());
  }, LOOK_MS);
  try {
    const signal = AbortSignal.any([context.signal, gone.signal]);
    for (;;) {
      const allowing = waiting.cut > 0 ? '' : `${allowWord(waiting)} to allow it, `;
      const question = `Type ${allowing}"block" to block it, "more" for two more minutes:`;
      const word = await askWord(context, question, { signal });
      if (word === 'block') return await said(context, answer('block'), 'Blocked.');
      if (word === 'more') await said(context, answer('extend'), 'Two more minutes.');
      else if (isAllowed(waiting, word)) return await said(context, answer('allow'), 'Allowed.');
    }
  } catch (error) {
    if (isLeft(error) || !(error instanceof CausewayError)) throw error;
    await writeLine(context.stdout, error.message);
  } finally {
    clearInterval(looking);
  }
}

/** Whether the user has ended the question, and with it the watching. */
function isLeft(error: unknown): boolean {
  return error instanceof CausewayError && error.code === 'cancelled';
}

async function said(context: CommandContext, done: Promise<void>, text: string): Promise<void> {
  await done;
  await writeLine(context.stdout, text);
}

/** Whether the user agrees. What may change data takes the whole word. */
async function askToAllow(context: CommandContext, waiting: Whole, signal: AbortSignal): Promise<boolean> {
  if (waiting.cut > 0) return false;
  const unchanged = 'The call still waits.';
  return isAllowed(waiting, await askWord(context, `Type ${allowWord(waiting)} to allow it:`, { signal, unchanged }));
}

function allowWord({ readsOnly }: WireApproval): string {
  return readsOnly ? '"y"' : '"allow"';
}

function isAllowed({ readsOnly, cut }: Whole, word: string): boolean {
  return cut === 0 && (word === 'allow' || (readsOnly && (word === 'y' || word === 'yes')));
}

type Whole = NonNullable<ApprovalAnswer['approval']>;

async function show(
  context: CommandContext,
  waiting: Whole,
  names: Names,
  stdout: CommandContext['stdout'],
): Promise<void> {
  const { id, profile, user, tool, readsOnly, statement, rest, cut } = waiting;
  await writeStyledLine(stdout, bold(`● Call ${id}`, context));
  await writeLine(stdout, `${clientOf(waiting)} wants to use ${tool} on ${names(waiting)} as ${user ?? profile}.`);
  await writeLine(
    stdout,
    `${readsOnly ? 'The tool only reads.' : 'The tool may change data.'} Expires in ${secondsLeft(waiting)} s.`,
  );
  for (const text of [statement, rest]) {
    for (const line of text?.split('\n') ?? []) await writeLine(stdout, `  ${line}`);
  }
  const tooLong = tooLongToAllow({ cut });
  if (tooLong !== null) await writeLine(stdout, tooLong);
}

/** @throws {CausewayError} `usage` */
function refuseWithoutTerminal(context: CommandContext, id: string): void {
  if (canAsk(context)) return;
  throw new CausewayError('usage', 'Only a person can allow a call, and there is no terminal to answer on.', {
    remedy: `Run \`causeway approvals allow ${id}\` in a terminal, or answer in Causeway's window.`,
  });
}

/** @throws {CausewayError} `usage`, `not_found` */
async function find(context: CommandContext, id: string): Promise<Whole> {
  if (!/^\d{1,15}$/.test(id)) {
    throw new CausewayError('usage', `"${id}" is not the number of a call.`, {
      remedy: '`causeway approvals` lists the calls with their numbers.',
    });
  }
  const { approvals } = await readAll(context);
  const found = approvals.find((waiting) => waiting.id === Number(id));
  if (!found) {
    throw new CausewayError('not_found', `No call ${id} is waiting.`, {
      remedy: '`causeway approvals` lists the calls that wait.',
    });
  }
  const whole = await ask(context, { question: 'approval', id: found.id, askedAt: found.askedAt }, readApproval);
  if (whole.approval) return whole.approval;
  throw noLongerWaits();
}

function ignoreGone(error: unknown): undefined {
  if (!(error instanceof CausewayError && error.code === 'not_found')) throw error;
}

function readAll(context: CommandContext): Promise<ApprovalsAnswer> {
  return ask(context, { question: 'approvals' }, readApprovals);
}

/** @throws {CausewayError} what the application says */
async function tell(context: CommandContext, question: HubQuestion): Promise<void> {
  const { refused } = await ask(context, question, readDone);
  if (!refused) return;
  throw new CausewayError(refused.code, refused.message, { remedy: refused.remedy ?? undefined });
}

/** @throws {CausewayError} `not_found` */
async function ask<Answer>(
  { env }: CommandContext,
  question: HubQuestion,
  read: (line: string) => Answer | undefined,
): Promise<Answer> {
  const found = lookUpHub(hubFolder(env));
  const line = found.kind === 'found' ? await askHub(found.rendezvous, question) : null;
  const answer = line === null ? undefined : read(line);
  if (answer) return answer;
  throw new CausewayError('not_found', 'Causeway is not running, or it is an older version.', {
    remedy: 'Open Causeway. Only the running application can have calls wait.',
  });
}

async function serverNames(context: CommandContext): Promise<Names> {
  const servers = await openServers(context.env).then(
    ({ initial }) => initial.servers,
    () => [],
  );
  return ({ profile, path }) =>
    servers.find((server) => server.profile === profile && server.path === path)?.name ?? path;
}

function dataOf({ approvals, allowances }: ApprovalsAnswer, names: Names): Answer<'approvals'> {
  return {
    approvals: approvals.map((waiting) => dataOfOne(waiting, names)),
    allowances: allowances.map(({ client, profile, path, tool, until }) => ({
      client: displayNameOf(client),
      server: names({ profile, path }),
      profile,
      tool,
      until: new Date(until).toISOString(),
    })),
  };
}

function dataOfOne(waiting: WireApproval, names: Names): Answer<'approvals'>['approvals'][number] {
  const { id, client, profile, path, user: userName, tool, readsOnly, askedAt, expiresAt, canExtend } = waiting;
  return {
    id,
    client: client === null ? null : displayNameOf(client),
    server: names(waiting),
    profile,
    path,
    userName,
    tool,
    readsOnly,
    askedAt: new Date(askedAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    canExtend,
  };
}

function watchedData(waiting: Whole, names: Names): Answer<'approvals --watch'> {
  const { statement, rest, cut } = waiting;
  return { ...dataOfOne(waiting, names), statement, rest, cut };
}

function keyOf({ id, askedAt }: WireApproval): string {
  return `${id} ${askedAt}`;
}

function clientOf({ client }: WireApproval): string {
  return client === null ? 'An AI client' : displayNameOf(client);
}

function secondsLeft({ expiresAt }: WireApproval): number {
  return Math.max(0, Math.ceil((expiresAt - Date.now()) / 1000));
}
