/**
 * `node test/bench/endless.ts`: the most memory that the proxy, alone and in the hub, and the running application take before a
 * server whose answer never ends, in each way there is; beside what they take while idle, and what the client is told. The
 * application is measured in a desktop session only.
 */
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startApplication, whyNotHere } from '../desktop/application.ts';
import { copyCommand } from './contender.ts';
import { ENDLESS_ANSWERS, type EndlessAnswer, startEndlessServer } from './endless-server.ts';
import { forgetPeak, peakMiB, residentMiB } from './memory.ts';
import { startProgram } from './program.ts';
import { StdioClient } from './stdio-client.ts';
import { table } from './table.ts';

/** How long an answer may continue for, in milliseconds: where the client is told, it is told long before. */
const LONGEST_MS = 20_000;

const server = await startEndlessServer();
const profile = (name: string) => `[${name}]\nhost = ${server.origin}\ntoken = dapi-endless\n`;
const home = await mkdtemp(join(tmpdir(), 'causeway-endless-'));
await writeFile(join(home, '.databrickscfg'), profile('DEFAULT'), { mode: 0o600 });
const command = await copyCommand(home);
const own = { HOME: home, USERPROFILE: home, PATH: process.env.PATH };

const reason = whyNotHere(process.env);
const application = reason === undefined ? await startApplication({ flags: ['--hidden'] }) : undefined;
if (application) await appendFile(join(application.home, '.databrickscfg'), `\n${profile('endless')}`);
else console.log(`The application is left out. ${reason}`);

/** Idle and peak of the process that carries the answer, and what became of the request. */
async function measure(
  answer: EndlessAnswer,
  env: NodeJS.ProcessEnv,
  hubPid?: number,
  more: string[] = [],
): Promise<string> {
  server.answer = answer;
  const client = new StdioClient(process.execPath, [command, 'proxy', '--path', '/api/2.0/mcp/sql', ...more], env);
  await client.open();
  await sleep(200);
  const pid = hubPid ?? client.pid;
  await forgetPeak(pid);
  const idle = await residentMiB(pid);
  const call = client.request('tools/call', { name: 'x', arguments: {} }).then(() => 'told');
  call.catch(() => {});
  if (answer.isUnread) client.pause();
  const ended = await Promise.race([call, sleep(LONGEST_MS, 'goes on')]);
  const peak = await peakMiB(pid);
  await client.kill();
  server.answer = undefined;
  return `${idle.toFixed(0)} → ${peak.toFixed(0)} MiB, ${ended}`;
}

const rows = [['an endless', 'alone', 'the hub', ...(application ? ['the application'] : [])]];
for (const [name, answer] of Object.entries(ENDLESS_ANSWERS)) {
  const row = [name, await measure(answer, own)];
  // Its own hub for each, which begins with as little memory.
  const hub = await startProgram('hub-program.ts', [home]);
  row.push(await measure(answer, { ...own, CAUSEWAY_HOME: home }, hub.pid));
  await hub.end();
  const pid = application?.electron.process().pid;
  if (application) row.push(await measure(answer, application.env, pid, ['--profile', 'endless']));
  rows.push(row);
}
console.log(table(rows));
await application?.close();
server.close();
await rm(home, { recursive: true });
