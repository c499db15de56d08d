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
  process.exitCode = await runProgram(process.argv.slice(2));
}
