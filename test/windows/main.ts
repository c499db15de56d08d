/**
 * `npm run test:windows`: what differs on Windows, tried there. On another system the tests run in the Node for Windows that
 * `CAUSEWAY_WINDOWS_NODE` names (a program that takes a script, such as one that starts Node under Wine), or are left out.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const runner = process.env.CAUSEWAY_WINDOWS_NODE;
if (process.platform === 'win32') {
  await import('./files.ts');
  await import('./hub.ts');
  await import('./policy.ts');
  await import('./uninstall.ts');
} else if (runner) {
  const { status, error } = spawnSync(runner, [fileURLToPath(import.meta.url)], { stdio: 'inherit' });
  if (error) throw error;
  process.exitCode = status ?? 1;
} else {
  console.log(
    'The tests for Windows are left out: this is another system, and CAUSEWAY_WINDOWS_NODE names no Node for Windows.',
  );
}
