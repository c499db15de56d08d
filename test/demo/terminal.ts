import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Account } from './account.ts';
import { clickThrough } from './person.ts';

/** The command as it is built; `npm run demo` builds it first. */
export const CAUSEWAY = fileURLToPath(new URL('../../out/cli/causeway.js', import.meta.url));

/** How many lines of a command's output are shown. */
const SHOWN_LINES = 12;

/** The address that `login --no-browser` prints. */
const SIGN_IN_PAGE = /http:\S+\/oidc\S+response_type=\S+(?=\s|$)/;

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
    return this.#run(args);
  }

  /** Runs a command that signs in; the demo opens the address that it prints, and clicks Allow as that user. */
  async signIn(userName: string, ...args: string[]): Promise<void> {
    let clicked: Promise<void> | undefined;
    const hear = (said: string) => {
      const [address] = SIGN_IN_PAGE.exec(said) ?? [];
      if (address !== undefined) clicked ??= clickThrough(address, userName);
    };
    await this.#run([...args, '--no-browser'], hear);
    await clicked;
  }

  /** @param hear is given all output so far */
  async #run(args: string[], hear = (_said: string): void => undefined): Promise<string> {
    this.#signal.throwIfAborted();
    const child = spawn(process.execPath, [CAUSEWAY, ...args], { env: this.#env, signal: this.#signal });
    child.stdin.end();
    let [out, said] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        hear(said);
      });
    }
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject).on('close', resolve);
    });
    this.#account.command(commandLine(args), shown(said));
    if (code !== 0) throw new Error(`${commandLine(args)} ended with ${code}: ${said.trim()}`);
    return out;
  }
}

function commandLine(args: string[]): string {
  return ['causeway', ...args.map((arg) => (/^[\w./:=@-]+$/.test(arg) ? arg : `"${arg}"`))].join(' ');
}

function shown(text: string): string[] {
  const lines = text
    .trimEnd()
    .replace(SIGN_IN_PAGE, (address) => `${address.split('?')[0]}?…`)
    .split('\n')
    .filter(Boolean);
  return lines.length > SHOWN_LINES ? [...lines.slice(0, SHOWN_LINES), `… ${lines.length - SHOWN_LINES} more`] : lines;
}
