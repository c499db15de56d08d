import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** Run instead of `causeway`: does the same, and notes each message of `causeway proxy` with its time. */
const [log = '', causeway = '', ...args] = process.argv.slice(2);
const listens = args[0] === 'proxy';
const child = spawn(process.execPath, [causeway, ...args], {
  stdio: listens ? ['pipe', 'pipe', 'inherit'] : 'inherit',
});
const note = (event: object) =>
  appendFileSync(log, `${JSON.stringify({ at: Date.now(), pid: process.pid, ...event })}\n`);
if (listens && child.stdin && child.stdout) {
  note({ from: 'system', started: true });
  process.stdin.pipe(child.stdin);
  child.stdout.pipe(process.stdout);
  for (const [from, stream] of [
    ['client', process.stdin],
    ['causeway', child.stdout],
  ] as const)
    createInterface({ input: stream }).on('line', (line) => note({ from, line }));
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => {
  if (listens) note({ from: 'system', ended: true });
  process.exitCode = code ?? 1;
  process.stdin.destroy();
});
