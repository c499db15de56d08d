import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { asCausewayError } from '../platform/errors.ts';
import { LocalFiles } from './files.ts';
import { CLIENTS } from './table.ts';
import type { Answer, FilesCall, FilesRequest } from './threaded-files.ts';

/** What runs in a thread of its own for `ThreadedFiles`: all work on the content of clients' files. */
const files = new LocalFiles();

function run(call: FilesCall): Promise<unknown> {
  switch (call.do) {
    case 'read':
      return files.read(clientOf(call.client), call.file);
    case 'readManaged':
      return files.readManaged(call.file);
    case 'plan':
      return files.plan(clientOf(call.client), call.file, call.wanted, call.options);
    case 'backUp':
      return files.backUp(clientOf(call.client), call.file, call.options);
    case 'write':
      return files.write(call.file, call.removes);
    case 'forget':
      return files.forget(call.file);
    case 'putBack':
      return files.putBack(call.id, call.options);
  }
}

function clientOf(id: string) {
  const found = CLIENTS.find((client) => client.id === id);
  if (found) return found;
  throw new Error(`There is no client "${id}".`);
}

/** An error without its cause and stack, which need not be plain data. */
function failure(error: unknown): Answer<never> {
  const { code, message, remedy, action, candidates } = asCausewayError(error);
  return { error: { code, message, options: { remedy, action, candidates } } };
}

async function answer(call: FilesCall): Promise<Answer<unknown>> {
  try {
    return { value: await run(call) };
  } catch (error) {
    return failure(error);
  }
}

// On Linux, this is the priority of the thread, and elsewhere of the whole process. A call comes before a file.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);

parentPort?.on('message', async ({ call, port }: FilesRequest) => {
  port.postMessage(await answer(call));
  port.close();
});
