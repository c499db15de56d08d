/** Starts the hub of an application, says so, and ends it when its input ends. `FREE_FILES` says how many more files it may open. */
import { closeSync, openSync } from 'node:fs';
import { hubFolder } from '../../../main/hub/rendezvous.ts';
import { startHub } from '../../../main/hub/server.ts';
import { inOneLine } from '../../../main/words/failure.ts';

const held: number[] = [];
const { FREE_FILES } = process.env;
if (FREE_FILES !== undefined) {
  try {
    for (;;) held.push(openSync('/dev/null', 'r'));
  } catch {
    for (const file of held.splice(-Number(FREE_FILES), Number(FREE_FILES))) closeSync(file);
  }
}
const start = () =>
  startHub({ folder: hubFolder(process.env), env: {}, serve: () => Promise.reject(new Error('There is no bridge.')) });
try {
  const hub = await start().catch(async (error: unknown) => {
    if (FREE_FILES === undefined) throw error;
    process.stderr.write(`causeway: ${inOneLine(error)}\n`);
    // Without a restart, as soon as files are closed.
    held.forEach(closeSync);
    return start();
  });
  process.stdout.write('ready\n');
  process.stdin.resume().once('end', () => void hub.close().then(() => process.exit(0)));
} catch (error) {
  process.stderr.write(`causeway: ${inOneLine(error)}\n`);
  process.exitCode = 1;
}
