import type { Command } from 'commander';
import type { Causeway } from '../causeway.ts';

/** The context of every command: where to print, what to read, and the application itself, built on first use. */
export interface CommandContext {
  stdout: NodeJS.WritableStream & { isTTY?: boolean };
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  env: NodeJS.ProcessEnv;
  /** Aborted by Ctrl-C: commands pass it down so that nothing is left half done unsaid. */
  signal: AbortSignal;
  causeway(): Causeway;
  /** The same for another home folder: its configuration, its profiles, its servers, nothing of the user's own. */
  inHome(folder: string): CommandContext;
  /** For a command that is done and has something other than success to say; an error that is thrown has its own code. */
  setExitCode(code: number): void;
}

/** The exit code if a check could not be made, and none has failed. */
export const EXIT_UNKNOWN = 5;

/** Adds one command (with its arguments, options and action) to the program. One file in this folder for each. */
export type RegisterCommand = (program: Command, context: CommandContext) => void;
