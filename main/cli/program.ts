import { Command, CommanderError } from 'commander';
import { type Causeway, createCauseway } from '../causeway.ts';
import { CausewayError, type ErrorCode, inOneLine } from '../platform/errors.ts';
import { VERSION } from '../platform/version.ts';
import { registerAccount } from './account/register.ts';
import { registerClients } from './clients/register.ts';
import type { CommandContext, RegisterCommand } from './command.ts';
import { registerServers } from './servers/register.ts';
import { registerWarehouse } from './warehouse/register.ts';
import { registerWarehouses } from './warehouses/register.ts';

const COMMANDS: RegisterCommand[] = [
  registerAccount,
  registerWarehouse,
  registerWarehouses,
  registerServers,
  registerClients,
];

/** Exit codes, as the README lists them: 0 done, 1 failed, 2 wrong usage, 3 signed out, 4 not found, 5 a check could not be made, 130 interrupted. */
const EXIT_CODES: Partial<Record<ErrorCode, number>> = {
  usage: 2,
  profile_not_found: 2,
  profile_unusable: 2,
  ambiguous: 2,
  invalid_argument: 2,
  signed_out: 3,
  cli_unavailable: 3,
  unauthenticated: 3,
  not_found: 4,
  cancelled: 130,
  sign_in_cancelled: 130,
};

/** Where a run of the program prints to and reads from: the process itself, or what a test holds in its place. */
export type ProgramIo = Pick<CommandContext, 'stdout' | 'stderr' | 'stdin' | 'env'>;

/** Runs any command but `proxy` and gives the exit code. */
export async function runProgram(args: string[], io: ProgramIo = process): Promise<number> {
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new CausewayError('cancelled', 'Interrupted.'));
  process.once('SIGINT', interrupt);
  if (io.stdout === process.stdout) process.stdout.on('error', leaveQuietly);

  let exitCode = 0;
  const opened: Causeway[] = [];
  const contextOf = (env: NodeJS.ProcessEnv): CommandContext => {
    let causeway: Causeway | undefined;
    return {
      stdout: io.stdout,
      stderr: io.stderr,
      stdin: io.stdin,
      env,
      signal: interrupted.signal,
      causeway: () => {
        if (!causeway) {
          causeway = createCauseway({ env, notesChanges: true });
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

  const program = new Command('causeway')
    .description("Connects AI clients to a Databricks workspace's managed MCP servers, and steers its SQL warehouse.")
    .version(VERSION)
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) })
    .showHelpAfterError('(causeway --help lists the commands)');
  program.command('proxy', 'bridge one managed MCP server to stdio; AI clients run this (causeway proxy --help)');
  for (const register of COMMANDS) register(program, context);

  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    context.stderr.write(`causeway: ${inOneLine(error)}\n`);
    return error instanceof CausewayError ? (EXIT_CODES[error.code] ?? 1) : 1;
  } finally {
    process.removeListener('SIGINT', interrupt);
    await Promise.all(opened.map((causeway) => causeway.close()));
  }
}

/** Variables that lead into the person's own home, or say who they are. */
const PERSONAL = /^(CAUSEWAY_|DATABRICKS_|XDG_|(LOCAL)?APPDATA$)/i;

/** The environment of somebody whose home folder that is. */
function environmentOf(home: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !PERSONAL.test(name));
  return { ...Object.fromEntries(kept), HOME: home, USERPROFILE: home };
}

/** `causeway … | head` closes our output before we are done: nobody is left to tell. */
function leaveQuietly(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
}
