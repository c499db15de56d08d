import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireLock } from '../../../main/platform/lock.ts';

/** Takes the lock, writes down when it held it, and lets go; or, told to `keep`, holds it until it is killed. */
const [folder = '', journal = '', keep] = process.argv.slice(2);
process.stdout.write('ready\n');
for await (const _ of process.stdin) break;
const lock = await acquireLock(folder);
const note = (word: string) => appendFileSync(journal, `${process.hrtime.bigint()} ${word}\n`);
note('in');
process.stdout.write('held\n');
if (keep) await sleep(1_000_000);
await sleep(2);
note('out');
await lock.release();
process.exit(0);
