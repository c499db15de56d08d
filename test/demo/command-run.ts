import { spawn } from 'node:child_process';
import type { EmbeddedWorkspace } from '../workspace/workspace.ts';
import { clickThrough } from './person.ts';

/** What a command printed and how it ended. */
export interface Done {
  code: number | null;
  out: string;
  /** Both outputs, as a terminal shows them. */
  said: string;
}

interface CommandRun {
  /** The command and what comes before its arguments. */
  command: readonly string[];
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Kills it. */
  signal: AbortSignal;
  /** The user who clicks Allow on the page whose address is printed; without one, nobody opens it. */
  signsIn?: string | undefined;
}

/** The address that `login --no-browser` prints; what follows shows that it is whole. */
export const SIGN_IN_PAGE = /http:\S+\/oidc\S+response_type=\S+(?=\s)/;

/** Runs a command to its end, whatever its exit code. @throws if it cannot be started, or is killed by the signal */
export async function runCommand({ command, args, env, signal, signsIn }: CommandRun): Promise<Done> {
  const [file = '', ...first] = command;
  const child = spawn(file, [...first, ...args], {
    env,
    signal,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const done: Done = { code: null, out: '', said: '' };
  let clicked: Promise<void> | undefined;
  const hear = (text: string) => {
    done.said += text;
    const [address] = SIGN_IN_PAGE.exec(done.said) ?? [];
    // What fails is seen in how the command ends.
    if (signsIn !== undefined && address !== undefined) {
      clicked ??= clickThrough(address, signsIn).catch(() => undefined);
    }
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    done.out += text;
    hear(text);
  });
  child.stderr.setEncoding('utf8').on('data', hear);
  done.code = await new Promise((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  await clicked;
  if (signsIn !== undefined && clicked === undefined) {
    throw new Error(`${commandLine(args)} named no address to sign in at: ${done.said.trim()}`);
  }
  return done;
}

/** As a user types it. */
export function commandLine(args: readonly string[]): string {
  return `$ causeway ${args.map((arg) => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg}'`)).join(' ')}`;
}

/** The name of the warehouse that the last query was sent to. */
export function lastRanOn({ state, statements }: EmbeddedWorkspace): string {
  const choice = statements.at(-1)?.choice;
  const id = choice && 'warehouseId' in choice ? choice.warehouseId : undefined;
  return state.warehouses.find((warehouse) => warehouse.id === id)?.name ?? 'no warehouse';
}
