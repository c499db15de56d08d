/**
 * The application without Electron, in its own process. Each line of its input is a request as the window makes it,
 * or names the file that the heap is to be written to; each is answered by one line.
 */
import { createInterface } from 'node:readline';
import { writeHeapSnapshot } from 'node:v8';
import { z } from 'zod';
import { createCauseway } from '../../../main/app/causeway.ts';
import { createDesktop } from '../../../main/desktop/desktop.ts';
import { openLog, takeOverConsole } from '../../../main/desktop/log.ts';
import { answer } from '../../../main/desktop/requests.ts';
import { type RequestName, requests } from '../../../preload/contract.ts';
import { plainSettings, plainShell } from '../../plain-desktop.ts';

const isRequest = (name: string): name is RequestName => name in requests;
const Line = z.union([
  z.object({ request: z.string().refine(isRequest), input: z.unknown().optional() }),
  z.object({ heapTo: z.string() }),
]);

const { env } = process;
const lines = createInterface({ input: process.stdin });
takeOverConsole(openLog(env, 'debug', { terminal: false }));
const causeway = createCauseway({ env });
const desktop = createDesktop({
  causeway,
  env,
  settings: plainSettings(env),
  shell: { ...plainShell(), quit: () => lines.close() },
  onEvent: () => {},
});
await desktop.start(undefined);
const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);
say('ready');
for await (const text of lines) {
  const line = Line.parse(JSON.parse(text));
  if ('heapTo' in line) say(writeHeapSnapshot(line.heapTo));
  else say(await answer(desktop.handlers, line.request, line.input));
}
await desktop.close();
await causeway.close();
