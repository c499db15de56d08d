import { type Command, CommanderError } from 'commander';
import { keepEvents } from '../activity/record-events.ts';
import { type Causeway, createCauseway } from '../app/causeway.ts';
import { auditEvents } from '../audit/event-audit.ts';
import { askHub } from '../hub/attach.ts';
import { hubFolder, readRendezvous } from '../hub/rendezvous.ts';
import { hubProxies } from '../hub/system-proxies.ts';
import { CausewayError } from '../platform/errors.ts';
import { explainUnexpected, fileError } from '../platform/file-errors.ts';
import { uninterruptedEnded } from '../platform/uninterrupted.ts';
import { inOneLine } from '../words/failure.ts';
import type { CommandContext } from './command.ts';
import { buildProgram, commandFirst } from './commands.ts';
import { plainSwitches } from './drop-in/group.ts';
import { exitCodeOf, jsonFailure, wantsJson } from './failure.ts';
import { interruptOnSignals } from './signals.ts';
import { fitted, hasBegun, printable, sayStillWaiting, writeJson } from './terminal.ts';

/** The input and output of the program: those of the process, or those of a test. */
export type ProgramIo = Pick<CommandContext, 'stdout' | 'stderr' | 'stdin' | 'env'>;

/** Runs any command but `proxy` and gives the exit code. */
export async function runProgram(args: string[], io: ProgramIo = process): Promise<number> {
  const interrupted = new AbortController();
  const endSignals = interruptOnSignals(() => interrupted.abort(new CausewayError('cancelled', 'Interrupted.')));
  if (io.stdout === process.stdout) process.stdout.on('error', leave);

  let exitCode = 0;
  const audited = auditEvents('command', (words) => {
    io.stderr.write(fitted(io.stderr, `causeway: ${printable(words)}`));
  });
  const opened: Causeway[] = [];
  let isQuiet = false;
  const onSilence = (host: string) => {
    if (!isQuiet) sayStillWaiting(io, host);
  };
  const changedAt = new Set<string>();
  const onOverrideChange = (host: string) => void changedAt.add(host);
  const contextOf = (env: NodeJS.ProcessEnv): CommandContext => {
    audited.of(env);
    let causeway: Causeway | undefined;
    return {
      stdout: io.stdout,
      stderr: io.stderr,
      stdin: io.stdin,
      env,
      get quiet() {
        return isQuiet;
      },
      signal: interrupted.signal,
      causeway: () => {
        if (!causeway) {
          // Where it asks, as on a terminal, the CLI takes a file's only profile too.
          const takesOnlyProfile = io.stdin.isTTY === true && io.stderr.isTTY === true;
          const systemProxies = hubProxies(env);
          causeway = createCauseway({ env, onSilence, onOverrideChange, systemProxies, takesOnlyProfile });
          opened.push(causeway);
        }
        return causeway;
      },
      inHome: (folder) => contextOf(environmentOf(folder, env)),
      setExitCode: (code) => {
        exitCode = code;
      },
    };
  };
  const context = contextOf(io.env);
  const keep = keepEvents(io.env);

  // The command that runs; a failure is put into words for it.
  let running: Command | undefined;
  const program = buildProgram(context, (command) => {
    running = command;
    isQuiet = command.optsWithGlobals().quiet === true;
  });

  try {
    await program.parseAsync(plainSwitches(commandFirst(program, args)), { from: 'user' });
    return exitCode;
  } catch (thrown) {
    const error = explainUnexpected(thrown);
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    // Commander has already reported errors in the arguments.
    if (!(error instanceof CommanderError))
      context.stderr.write(fitted(io.stderr, `causeway: ${printable(inOneLine(error))}`));
    if (wantsJson(args, running ?? program) && !hasBegun(io.stdout))
      await writeJson(context.stdout, { error: jsonFailure(error, running) });
    return error instanceof CommanderError ? 2 : exitCodeOf(error);
  } finally {
    await Promise.all([...opened.map((causeway) => causeway.close()), tellApplication(io.env, changedAt)]);
    await Promise.all([audited.close(), keep()]);
    endSignals();
  }
}

/** Lets the running application read its user's override again where this command has changed any. */
async function tellApplication(env: NodeJS.ProcessEnv, hosts: ReadonlySet<string>): Promise<void> {
  const rendezvous = hosts.size > 0 ? readRendezvous(hubFolder(env)) : undefined;
  if (rendezvous)
    await Promise.all([...hosts].map((host) => askHub(rendezvous, { question: 'override-changed', host })));
}

/** Variables that lead to the user's own files, or identify the user. */
const PERSONAL = /^(CAUSEWAY_|DATABRICKS_|XDG_|(LOCAL)?APPDATA$)/i;

/** The environment of a user with that home folder. */
function environmentOf(home: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !PERSONAL.test(name));
  return { ...Object.fromEntries(kept), HOME: home, USERPROFILE: home };
}

/** `causeway … | head` closes our output before we are done: no one is left to notify. A file on a full disk is different. */
function leave(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') {
    void uninterruptedEnded().then(() => process.exit(0));
    return;
  }
  const why = fileError('The output', error, 'It is incomplete.');
  process.stderr.write(`causeway: ${printable(inOneLine(why))}\n`, () => process.exit(exitCodeOf(why)));
}
