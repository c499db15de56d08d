import { type Contender, openSession } from './contender.ts';
import { peaksMiB, residentMiB } from './memory.ts';

const WARM_UP = 200;
const ANSWERS = 300;

/** MiB that a contender's process, and the one behind it, grow by while 300 answers of 1 MiB find a client that does not read. */
export async function measurePausedReader(contender: Contender): Promise<number[]> {
  const client = await openSession(contender, '/api/2.0/mcp/json');
  for (let at = 0; at < WARM_UP; at += 1) await client.request('tools/call', { name: 'echo', arguments: {} });
  const pids = contender.helper === undefined ? [client.pid] : [client.pid, contender.helper];
  const before = await Promise.all(pids.map(residentMiB));
  client.pause();
  // They are never read: the process is ended with them.
  for (let at = 0; at < ANSWERS; at += 1) client.send('tools/call', { name: 'echo', arguments: { size: 1024 * 1024 } });
  const peaks = await peaksMiB(pids);
  await client.kill();
  return peaks.map((peak, at) => peak - (before[at] ?? 0));
}
