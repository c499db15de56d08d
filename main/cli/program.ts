import { Command, CommanderError } from 'commander';
import { type Causeway, createCauseway } from '../causeway.ts';
import { CausewayError, type ErrorCode, inOneLine } from '../platform/errors.ts';
import { VERSION } from '../platform/version.ts';
import type { CommandContext, RegisterCommand } from './command.ts';

const COMMANDS: RegisterCommand[] = [];

/** Exit codes, as the README lists them: 0 done, 1 failed, 2 wrong usage, 3 signed out, 4 not found, 130 interrupted. */
const EXIT_CODES: Partial<Record<ErrorCode, number>> = {
  usage: 2,
  profile_not_found: 2,
  profile_unusable: 2,
  ambiguous: 2,
  invalid_argument: 2,
  signed_out: 3,
  unauthenticated: 3,
  not_found: 4,
  cancelled: 130,
};

/** Runs any command but `proxy` and gives the exit code. */
export async function runProgram(args: string[]): Promise<number> {
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort(new CausewayError('cancelled', 'Interrupted.')));

  let causeway: Causeway | undefined;
  const context: CommandContext = {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: process.stdin,
    env: process.env,
    signal: interrupted.signal,
    causeway: () => {
      causeway ??= createCauseway({ env: process.env });
      return causeway;
    },
  };

  const program = new Command('causeway')
    .description("Connects AI clients to a Databricks workspace's managed MCP servers, and steers its SQL warehouse.")
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('(causeway --help lists the commands)');
  program.command('proxy', 'bridge one managed MCP server to stdio; AI clients run this (causeway proxy --help)');
  for (const register of COMMANDS) register(program, context);

  try {
    await program.parseAsync(args, { from: 'user' });
    return typeof process.exitCode === 'number' ? process.exitCode : 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    context.stderr.write(`causeway: ${inOneLine(error)}\n`);
    return error instanceof CausewayError ? (EXIT_CODES[error.code] ?? 1) : 1;
  } finally {
    await causeway?.close();
  }
}
