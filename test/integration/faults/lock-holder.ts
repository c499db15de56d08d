/** Holds Causeway's lock of a client's file until its input ends: `lock-holder.ts FILE LOCKS`. */
import { once } from 'node:events';
import { withFileLock } from '../../../main/clients/file-lock.ts';

const [file = '', locks = ''] = process.argv.slice(2);
await withFileLock(file, { locks }, async () => {
  process.stdout.write('held\n');
  await once(process.stdin.resume(), 'end');
});
