/** `npm run demo [-- --json]`: exit code 0 when every step did what it says, 1 when one did not. */
import { parseArgs } from 'node:util';
import { inOneLine } from '../../main/platform/errors.ts';
import { leftOut } from '../left-out.ts';
import { openAccount } from './account.ts';
import { tellStory } from './story.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const account = openAccount({ json: values.json, stream: process.stdout });
const began = performance.now();
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort(new Error('Interrupted.')));
// A reader that has seen enough (`| head`) does not keep the demo from putting away what it started.
process.stdout.on('error', () => {});

try {
  await tellStory(account, interrupted.signal);
  account.end(`Done in ${((performance.now() - began) / 1000).toFixed(1)} s. Nothing of it is left behind.`);
  const line = leftOut('The desktop application (npm start) is');
  if (line !== undefined) account.note(line);
} catch (error) {
  account.failed(inOneLine(error));
  process.exitCode = 1;
}
