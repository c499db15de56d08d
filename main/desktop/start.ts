/**
 * `npm start`: runs the built application. Arguments go to Electron (`npm start -- --hidden`). A tool for this checkout;
 * the packaged application does not contain it.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { electronFlags, findElectron, NO_ELECTRON } from './electron-binary.ts';

const electron = findElectron(process.env);
if (electron === undefined) {
  console.error(NO_ELECTRON);
  process.exitCode = 1;
} else {
  const application = spawn(
    electron,
    [...electronFlags(), join(import.meta.dirname, '..', '..'), ...process.argv.slice(2)],
    {
      stdio: 'inherit',
    },
  );
  application.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => application.kill(signal));
}
