import { parentPort, workerData } from 'node:worker_threads';
import { asCausewayError } from '../platform/errors.ts';
import { ServedStore } from './served-store.ts';
import { StoreFault } from './store-fault.ts';
import type { StoreAnswer, StoreCall } from './threaded-store.ts';

/** What runs in a thread of its own for `ThreadedStore`: all work on the store, each of whose calls holds up its thread. */
const store = new ServedStore(String(workerData));

function run(call: StoreCall): Promise<unknown> {
  switch (call.do) {
    case 'add':
      return store.add(...call.with);
    case 'learn':
      return store.learn(...call.with);
    case 'addEvents':
      return store.addEvents(...call.with);
    case 'page':
      return store.page(...call.with);
    case 'find':
      return store.find(...call.with);
    case 'summary':
      return store.summary();
    case 'latency':
      return store.latency(...call.with);
    case 'day':
      return store.day(...call.with);
    case 'delete':
      return store.delete(...call.with);
    case 'expire':
      return store.expire(...call.with);
    case 'close':
      return store.close();
  }
}

async function answer(call: StoreCall): Promise<StoreAnswer> {
  try {
    return { value: await run(call) };
  } catch (error) {
    if (error instanceof StoreFault) return { fault: error.kind };
    const { code, message, remedy } = asCausewayError(error);
    return { error: { code, message, remedy } };
  }
}

// What is asked while a long deletion has its steps is answered between them.
parentPort?.on('message', async ({ id, call }: { id: number; call: StoreCall }) => {
  parentPort?.postMessage({ id, ...(await answer(call)) });
});
