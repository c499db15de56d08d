import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { CausewayError, sentences } from '../platform/errors.ts';
import type { CommandContext } from './command.ts';
import { wrapped } from './layout.ts';
import { printable, terminalWidth } from './terminal.ts';

const UNCHANGED = 'Nothing was changed.';

interface Asking {
  /** Ends the question too; its reason is thrown. The command's own signal is always heard. */
  signal?: AbortSignal | undefined;
  /** What Ctrl+C and Ctrl+D leave as it is, in a sentence. */
  unchanged?: string | undefined;
  /** Whether what is typed is not shown. */
  isHidden?: boolean | undefined;
}

/**
 * Asks a question in the terminal, and gives what was typed. All questions of the command come through here. Ctrl+C and
 * Ctrl+D end it alike: neither is an answer, and what was asked about is not done.
 * @throws {CausewayError} `cancelled` if it ends without an answer; the reason of `signal`
 */
async function ask(
  { stdin, stderr, signal: interrupted }: Pick<CommandContext, 'stdin' | 'stderr' | 'signal'>,
  question: string,
  { signal, unchanged, isHidden = false }: Asking = {},
): Promise<string> {
  // A question that is broken by the terminal is broken within a word. One column is left for the answer.
  const lines = wrapped(question.trimEnd(), terminalWidth(stderr, 1) ?? Number.POSITIVE_INFINITY);
  const last = `${lines.pop() ?? ''} `;
  for (const line of lines) stderr.write(`${line}\n`);
  if (isHidden) stderr.write(last);
  const terminal = isHidden
    ? createInterface({ input: stdin, output: nowhere(), terminal: true, historySize: 0 })
    : createInterface({ input: stdin, output: stderr });
  const closed = new AbortController();
  const leave = () => closed.abort();
  // In raw mode, Ctrl+C is a key and no signal. Ctrl+D, and an input that ends, close the interface.
  terminal.once('SIGINT', leave).once('close', leave);
  // An input that has ended before does not say so again.
  if ('readableEnded' in stdin && stdin.readableEnded === true) leave();
  try {
    const ends = [interrupted, closed.signal, ...(signal ? [signal] : [])];
    const answer = (await terminal.question(isHidden ? '' : last, { signal: AbortSignal.any(ends) })).trim();
    if (isHidden) stderr.write('\n');
    return answer;
  } catch (error) {
    stderr.write('\n');
    if (interrupted.aborted || closed.signal.aborted) throw left(unchanged);
    signal?.throwIfAborted();
    throw error;
  } finally {
    terminal.close();
  }
}

/** An output that shows nothing. */
function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

function left(unchanged = UNCHANGED): CausewayError {
  return new CausewayError('cancelled', sentences('Interrupted.', unchanged));
}

/** Whether a user can be asked: what is written to a file is not seen, and what is read from one is no answer. */
export function canAsk({ stdin, stderr }: Pick<CommandContext, 'stdin' | 'stderr'>): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Asks for a line in the terminal. @throws {CausewayError} `cancelled` on Ctrl+C and Ctrl+D */
export function askLine(context: CommandContext, question: string): Promise<string> {
  return ask(context, printable(question));
}

/**
 * Asks for a line that is not shown while it is typed or pasted.
 * @throws {CausewayError} `cancelled` on Ctrl+C and Ctrl+D; the reason of `signal`
 */
export function askHidden(context: CommandContext, question: string, asking: Asking): Promise<string> {
  return ask(context, printable(question), { ...asking, isHidden: true });
}

/**
 * Asks a yes-or-no question in the terminal; anything but yes is no.
 * @param unchanged what stays as it is if the question is left with Ctrl+C
 * @throws {CausewayError} `usage` if nobody can answer, naming the flag that answers beforehand; `cancelled` on Ctrl+C and Ctrl+D
 */
export async function confirm(
  context: CommandContext,
  question: string,
  flag: string,
  unchanged?: string,
): Promise<boolean> {
  if (!canAsk(context)) {
    throw new CausewayError('usage', `This needs confirmation: ${question}`, {
      remedy: `Run it again with ${flag}.`,
    });
  }
  return /^y(es)?$/i.test(await ask(context, `${printable(question)} [y/N]`, { unchanged }));
}

/**
 * Asks before something is done, unless the flag has answered.
 * @throws {CausewayError} `cancelled` if the answer is no, `usage` if nobody can answer
 */
export async function agreeOrCancel(context: CommandContext, question: string, yes = false): Promise<void> {
  if (yes || (await confirm(context, question, '--yes'))) return;
  throw new CausewayError('cancelled', UNCHANGED);
}

/**
 * Asks for a word in the terminal. What was typed before the question is thrown away: it was meant for something else.
 * @throws {CausewayError} `cancelled` on Ctrl+C and Ctrl+D; the reason of `signal`
 */
export async function askWord(
  context: Pick<CommandContext, 'stdin' | 'stderr' | 'signal'>,
  question: string,
  asking: Asking & { signal: AbortSignal },
): Promise<string> {
  const { stdin, signal: interrupted } = context;
  const { signal, unchanged } = asking;
  const discard = () => {};
  stdin.on('data', discard);
  stdin.resume();
  try {
    await sleep(INERT_MS, undefined, { signal });
  } catch {
    throw interrupted.aborted ? left(unchanged) : signal.reason;
  } finally {
    stdin.off('data', discard);
  }
  return (await ask(context, question, asking)).toLowerCase();
}

/** How long a question is there before it takes an answer, in milliseconds. */
const INERT_MS = 600;
