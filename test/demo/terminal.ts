import { fileURLToPath } from 'node:url';
import type { Account } from './account.ts';
import { commandLine, type Done, runCommand, SIGN_IN_PAGE } from './command-run.ts';

/** The command as it is built; `npm run demo` builds it first. */
export const CAUSEWAY = fileURLToPath(new URL('../../out/cli/causeway.js', import.meta.url));

/** How many lines of a command's output are shown. */
const SHOWN_LINES = 12;

/** A user's terminal in that home: it runs the shipped command, and shows what was typed and what came of it. */
export class Terminal {
  readonly #account: Account;
  readonly #env: NodeJS.ProcessEnv;
  readonly #signal: AbortSignal;

  constructor(account: Account, env: NodeJS.ProcessEnv, signal: AbortSignal) {
    this.#account = account;
    this.#env = env;
    this.#signal = signal;
  }

  /** Runs `causeway ARGS`, which has to succeed. @returns what it printed to stdout */
  async run(...args: string[]): Promise<string> {
    return (await this.#run(args)).out;
  }

  /** Runs a command that signs in; the demo opens the address that it prints, and clicks Allow as that user. */
  async signIn(userName: string, ...args: string[]): Promise<void> {
    await this.#run([...args, '--no-browser'], userName);
  }

  async #run(args: string[], signsIn?: string): Promise<Done> {
    this.#signal.throwIfAborted();
    const command = [process.execPath, CAUSEWAY];
    const done = await runCommand({ command, args, env: this.#env, signal: this.#signal, signsIn });
    this.#account.command(commandLine(args), shown(done.said));
    if (done.code !== 0) throw new Error(`${commandLine(args)} ended with ${done.code}: ${done.said.trim()}`);
    return done;
  }
}

function shown(text: string): string[] {
  const whole = text.replace(SIGN_IN_PAGE, (address) => `${address.split('?')[0]}?…`);
  const lines = whole.split('\n').filter(Boolean);
  return lines.length > SHOWN_LINES ? [...lines.slice(0, SHOWN_LINES), `… ${lines.length - SHOWN_LINES} more`] : lines;
}
