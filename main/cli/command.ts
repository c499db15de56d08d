import type { Command } from 'commander';
import type { Causeway } from '../app/causeway.ts';

/** The context of every command: where to print, what to read, and the application itself, built on first use. */
export interface CommandContext {
  stdout: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  stderr: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  env: NodeJS.ProcessEnv;
  /** Whether only results and errors are to be printed. */
  readonly quiet: boolean;
  /** Aborted by Ctrl+C. Commands pass it on, so that nothing is left half done without a message. */
  signal: AbortSignal;
  causeway(): Causeway;
  /** The context for another home folder, with its configuration, profiles and servers, and nothing of the user's own. */
  inHome(folder: string): CommandContext;
  /** For a command that ends without success, but without an error. A thrown error has its own code, which `main/cli/failure.ts` gives. */
  setExitCode(code: number): void;
}

/** The exit code if a check could not run, and none has failed. */
export const EXIT_UNKNOWN = 5;

/** The exit code of a dry run that would change something, if that is asked for. */
export const EXIT_CHANGES = 6;

/** Adds a command, with its arguments, options and action, to the program. */
export type RegisterCommand = (program: Command, context: CommandContext) => void;
