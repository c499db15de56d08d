import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { HubFinder } from '../hub/hub-finder.ts';
import { adoptEnvironment } from '../platform/entry-environment.ts';
import { CausewayError } from '../platform/errors.ts';
import { explainUnexpected } from '../platform/file-errors.ts';
import { watchRemoval } from '../platform/removal.ts';
import { uninterruptedEnded } from '../platform/uninterrupted.ts';
import { inOneLine } from '../words/failure.ts';
import { callerOf } from './caller.ts';
import {
  type AllRequest,
  asksForAll,
  completedBy,
  environmentArgument,
  PROXY_HELP,
  type ProxyRequest,
  parseAllArguments,
  parseProxyArguments,
  refusedRequest,
} from './proxy-arguments.ts';

/** When the process keeps the rest of its own code, in milliseconds after its start: its first answers are out by then. */
const KEEP_AFTER_MS = 1_500;

/** The exit code if the client is still there and nothing can be written to it. */
const EXIT_UNWRITABLE = 1;

/** For a user who starts it by hand and would wait for something to happen. */
const AT_A_TERMINAL =
  'Waiting for an AI client on stdin. AI clients start this command themselves: `causeway clients add` sets them up. Press Ctrl-C to stop.';

/**
 * `causeway proxy`: what AI clients spawn, once for each server. Exits 0 when the client is done; with one line on stderr, 1 when
 * stdout cannot be written, and 2 when it was called wrongly. Nothing but frames ever goes to stdout.
 */
export async function runProxy(args: string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) {
    const { flowedIn } = await import('./terminal.ts');
    process.stdout.write(flowedIn(process.stdout, PROXY_HELP));
    return;
  }
  let refusal: CausewayError | undefined;
  let request: ProxyRequest;
  let isOwn: boolean;
  try {
    refusal = refusalOfEnvironment(args);
    if (!refusal && asksForAll(args)) return runAll(args);
    ({ request, isOwn } = completedBy(
      process.env,
      refusal ? refusedRequest(args, refusal) : parseProxyArguments(args),
    ));
    request = { ...request, caller: callerOf(process.env, complain) };
  } catch (error) {
    return calledWrongly(error);
  }
  const hub = new HubFinder(request, isOwn);
  const connecting = request.refusal ? Promise.resolve(undefined) : hub.attach();
  // The first line to the hub leaves in the next turn; the rest of the code loads while the hub answers it.
  await nextTurn();
  if (process.stdin.isTTY) process.stderr.write(`causeway proxy: ${AT_A_TERMINAL}\n`);
  const { serveClient } = await import('./proxy-session.ts').catch(calledWrongly);
  keepSoon();
  const unwritable = await serveClient(
    request,
    hub,
    connecting,
    { failed: cannotServe, unused: exitUnused },
    untilRemoved(),
  );
  await uninterruptedEnded();
  endAfter(unwritable);
}

function complain(words: string): void {
  process.stderr.write(`causeway proxy: ${words}\n`);
}

/** `causeway proxy --all`: all servers in the list as one. */
async function runAll(args: string[]): Promise<void> {
  let request: AllRequest;
  try {
    request = parseAllArguments(args);
  } catch (error) {
    return calledWrongly(error);
  }
  if (process.stdin.isTTY) process.stderr.write(`causeway proxy: ${AT_A_TERMINAL}\n`);
  const { serveAll } = await import('./proxy-all.ts').catch(calledWrongly);
  keepSoon();
  const unwritable = await serveAll(request, untilRemoved());
  await uninterruptedEnded();
  endAfter(unwritable);
}

/** Resolves once Causeway is removed while this process runs; it then says so on stderr. */
async function untilRemoved(): Promise<Error> {
  const file = fileURLToPath(import.meta.url);
  const [, script = file] = process.argv;
  const reason = await watchRemoval(process.env, file.endsWith('.js') ? script : process.execPath);
  process.stderr.write(`causeway proxy: ${inOneLine(reason)}\n`);
  return reason;
}

/**
 * Ends the process after its client; connections and timers that are still open must not keep it alive.
 * @param unwritable why stdout could not be written, if the client has not gone
 */
function endAfter(unwritable: Error | undefined): never {
  if (unwritable) {
    process.stderr.on('error', () => {});
    process.stderr.write(
      `causeway proxy: No answer reaches the client, because stdout cannot be written. ${inOneLine(unwritable)}\n`,
    );
  }
  process.exit(unwritable ? EXIT_UNWRITABLE : 0);
}

/** Adopts the environment that the entry was written in. Returns why nothing may run, if it is not known which permissions apply. */
function refusalOfEnvironment(args: string[]): CausewayError | undefined {
  try {
    adoptEnvironment(process.env, environmentArgument(args));
    return undefined;
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'invalid_file') return error;
    throw error;
  }
}

/** No bridge can be built for the entry. A client is answered all the same; a user at a terminal reads why, and is not kept waiting. */
function cannotServe(error: unknown): void {
  if (process.stdin.isTTY || !(error instanceof CausewayError)) calledWrongly(error);
  process.stderr.write(`causeway proxy: ${inOneLine(error)}\n`);
}

/** The same, if there was no client: the reason is printed already. */
function exitUnused(error: unknown): never {
  process.exit(exitCodeOf(error));
}

/** Keeps files that may be needed later before an update removes them, at a time when nothing waits for this process. */
function keepSoon(): void {
  setTimeout(() => void import('./kept-chunks.ts').then(keepAll).catch(() => {}), KEEP_AFTER_MS).unref();
}

function keepAll({ keepChunks }: typeof import('./kept-chunks.ts')): void {
  keepChunks(fileURLToPath(import.meta.url));
}

function calledWrongly(error: unknown): never {
  process.stderr.write(`causeway proxy: ${inOneLine(explainUnexpected(error))}\n`);
  process.exit(exitCodeOf(error));
}

/** Another failure, such as too many open files, is not a usage error. */
function exitCodeOf(error: unknown): 1 | 2 {
  return error instanceof CausewayError ? 2 : 1;
}
