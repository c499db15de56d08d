import { ActivityStore } from '../../../main/activity/store.ts';
import { StoreFault } from '../../../main/activity/store-fault.ts';
import { storedCall } from '../../../main/activity/stored-call.ts';
import { endedCall } from '../../ended-call.ts';

/** Writes calls into a store until it has written so many, and says each batch that is written: `node store-writer.ts FILE CALLS`. */
const [path = '', count = '0'] = process.argv.slice(2);
const store = await ActivityStore.open(path, { busyMs: 20 });
const CALLS_AT_ONCE = 10;

for (let number = 0; number < Number(count); ) {
  const calls = Array.from({ length: CALLS_AT_ONCE }, (_, at) =>
    storedCall({ ...endedCall({ startedAt: Date.now(), pid: process.pid }), id: number + at + 1 }, null),
  );
  try {
    store.add(calls, 90);
    number += CALLS_AT_ONCE;
    process.stdout.write(`${number}\n`);
  } catch (error) {
    if (!(error instanceof StoreFault && error.passes)) throw error;
  }
  await new Promise(setImmediate);
}
store.close();
