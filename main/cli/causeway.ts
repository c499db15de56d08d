#!/usr/bin/env node
/**
 * The `causeway` executable. `proxy` is what AI clients spawn, often several times within a second: it must not pay for
 * the command line's library, so it branches off before that is loaded.
 */
const [command, ...rest] = process.argv.slice(2);

if (command === 'proxy') {
  const { runProxy } = await import('./proxy.ts');
  await runProxy(rest);
} else {
  const { runProgram } = await import('./program.ts');
  const code = await runProgram(process.argv.slice(2));
  // Not left to happen by itself: a keychain that waits for its password would hold the process for ever.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}
