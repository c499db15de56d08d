#!/usr/bin/env node
/**
 * The `causeway` executable. `proxy` is what AI clients spawn, often several times within a second: it must not pay for
 * the command line's library, so it branches off before that is loaded. Nothing is awaited at the top: the single-file
 * executable runs this as CommonJS.
 */

import { leadingFlags } from './global-flags.ts';
import { startWithoutLoaderVariables } from './loader-variables.ts';

/** The oldest Node that runs it: `engines` in package.json. An older one would fail anywhere, with words about our code. */
const OLDEST_NODE = [22, 19] as const;

async function run(args: string[]): Promise<void> {
  const {
    flags,
    rest: [command, ...rest],
  } = leadingFlags(args);
  await startWithoutLoaderVariables();
  if (isTooOld(process.versions)) {
    process.stderr.write(
      `causeway: Causeway needs Node ${OLDEST_NODE.join('.')} or newer. This is Node ${process.versions.node}: ${process.execPath}\n${await besideWords()}`,
    );
    process.exitCode = 1;
  } else if (command === 'proxy') {
    const { runProxy } = await import('./proxy.ts');
    await runProxy([...flags, ...rest]);
  } else if (args[0] === '__complete') {
    const { printCompletion } = await import('./completion/complete.ts');
    await printCompletion(rest);
  } else {
    const { runProgram } = await import('./program.ts');
    const code = await runProgram(args);
    // The process exits explicitly: a keychain that waits for its password would hold it forever.
    // Later than the error of an output that could not be written, which ends the process in another way.
    process.stdout.write('', () => setImmediate(() => process.stderr.write('', () => process.exit(code))));
  }
}

/** Where a checkout has the Node that it installs, with what starts the command on it; nothing elsewhere. */
async function besideWords(): Promise<string> {
  const [{ existsSync }, { join, resolve }] = await Promise.all([import('node:fs'), import('node:path')]);
  const script = resolve(process.argv[1] ?? '');
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const node = join(script, '..', '..', '..', 'node_modules', 'node', 'bin', name);
  if (!existsSync(node)) return '';
  return `The Node beside it works: "${node}" "${script}". \`npm run install:command\` makes that the command \`causeway\`.\n`;
}

/** Electron brings its own Node, with which the application was tested, and runs the command too. */
function isTooOld({ node, electron }: NodeJS.ProcessVersions): boolean {
  if (electron !== undefined) return false;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

// With too many files open, the program's own code cannot be read either, nor what would put that into words.
run(process.argv.slice(2)).catch((error: unknown) => {
  const why = error instanceof Error ? error.message : String(error);
  process.stderr.write(
    `causeway: Could not start: ${why.split('\n')[0]}. Try again. If that does not help, reinstall it.\n`,
  );
  process.exitCode = 1;
});
