import { createInterface } from 'node:readline/promises';
import { CausewayError } from '../platform/errors.ts';
import type { CommandContext } from './command.ts';

/**
 * Asks a yes-or-no question in the terminal; anything but yes is no.
 * @throws {CausewayError} `usage` where nobody can answer, naming the flag that answers beforehand
 */
export async function confirm(context: CommandContext, question: string, flag: string): Promise<boolean> {
  const { stdin, stderr, signal } = context;
  if (stdin.isTTY !== true) {
    throw new CausewayError('usage', `${question} Nobody is there to answer.`, { remedy: `Pass ${flag} to agree.` });
  }
  const terminal = createInterface({ input: stdin, output: stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `, { signal });
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    terminal.close();
  }
}
