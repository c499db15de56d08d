import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { CausewayError } from '../../platform/errors.ts';
import { systemProgram } from '../../platform/system-program.ts';
import { isLoopback } from '../profiles/host.ts';
import { startAddress } from './start-address.ts';

/** How long the system's opener may take to fail, in milliseconds. Some run for as long as the browser does. */
const FAILS_WITHIN_MS = 2_000;

/**
 * Shows an address in the user's browser. Only web addresses: an authorization server must not be able to start a
 * program here. The address is never part of a command line that a shell reads.
 * @throws {CausewayError} `sign_in_failed` when the browser cannot be opened
 */
export async function openSystemBrowser(address: string, env: NodeJS.ProcessEnv): Promise<void> {
  const url = new URL(address);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new CausewayError('sign_in_failed', `The sign-in page's address is not a web address (${url.protocol}).`);
  }
  const { program, args, input } = browserOpener(url.href, process.platform, env);
  const child = spawn(program, args, { env, stdio: ['pipe', 'ignore', 'ignore'], detached: true, windowsHide: true });
  const opened = new Promise<void>((resolve, reject) => {
    const fail = (cause: unknown) =>
      reject(new CausewayError('sign_in_failed', 'The browser could not be opened.', { cause }));
    const timer = setTimeout(resolve, FAILS_WITHIN_MS);
    child.once('error', fail);
    child.once('exit', (code) => (code === 0 ? resolve() : fail(new Error(`${program} ended with ${code}`))));
    child.once('exit', () => clearTimeout(timer));
    child.once('error', () => clearTimeout(timer));
  });
  // Where no more files can be opened, nothing was started and there is no input; the error comes as an event.
  const stdin: Writable | undefined = child.stdin;
  // A program that takes nothing from there has closed it.
  stdin?.on('error', () => undefined);
  stdin?.end(input);
  await opened;
  child.unref();
}

/** How a system is asked to open an address. */
export interface BrowserOpener {
  program: string;
  args: string[];
  /** What it reads from its standard input. */
  input: string;
}

/**
 * The system's program that opens an address. Where other users of the computer can read arguments, the address of a sign-in
 * page is in none: macOS gets it as input, and Linux the address on this computer that leads there. On Windows, other users
 * cannot read them.
 */
export function browserOpener(address: string, platform: NodeJS.Platform, env: NodeJS.ProcessEnv): BrowserOpener {
  switch (platform) {
    case 'darwin': {
      const quoted = address.replace(/["\\]/g, '\\$&');
      return { program: '/usr/bin/osascript', args: ['-'], input: `open location "${quoted}"\n` };
    }
    case 'win32':
      return {
        program: systemProgram(env, 'rundll32.exe'),
        args: ['url.dll,FileProtocolHandler', address],
        input: '',
      };
    default:
      return { program: 'xdg-open', args: [startAddress(address)], input: '' };
  }
}
