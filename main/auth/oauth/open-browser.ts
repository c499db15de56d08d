import { spawn } from 'node:child_process';
import { CausewayError } from '../../platform/errors.ts';
import { systemProgram } from '../../platform/system-program.ts';
import { isLoopback } from '../profiles/host.ts';

/** How long the system's opener may take to fail, in milliseconds. Some run for as long as the browser does. */
const FAILS_WITHIN_MS = 2_000;

/**
 * Shows an address in the user's browser. Only web addresses: an authorization server must not be able to start a
 * program here. The address is one argument of a program, never part of a command line that a shell reads.
 * @throws {CausewayError} `sign_in_failed` when the browser cannot be opened
 */
export async function openSystemBrowser(address: string, env: NodeJS.ProcessEnv): Promise<void> {
  const url = new URL(address);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new CausewayError('sign_in_failed', `The sign-in page's address is not a web address (${url.protocol}).`);
  }
  const [program, ...args] = opener(url.href, env);
  const child = spawn(program, args, { env, stdio: 'ignore', detached: true, windowsHide: true });
  await new Promise<void>((resolve, reject) => {
    const fail = (cause: unknown) =>
      reject(new CausewayError('sign_in_failed', 'The browser could not be opened.', { cause }));
    const timer = setTimeout(resolve, FAILS_WITHIN_MS);
    child.once('error', fail);
    child.once('exit', (code) => (code === 0 ? resolve() : fail(new Error(`${program} ended with ${code}`))));
    child.once('exit', () => clearTimeout(timer));
    child.once('error', () => clearTimeout(timer));
  });
  child.unref();
}

function opener(url: string, env: NodeJS.ProcessEnv): [string, ...string[]] {
  switch (process.platform) {
    case 'darwin':
      return ['/usr/bin/open', url];
    case 'win32':
      return [systemProgram(env, 'rundll32.exe'), 'url.dll,FileProtocolHandler', url];
    default:
      return ['xdg-open', url];
  }
}
