import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configFolder } from '../../main/platform/paths.ts';
import { measureInTurns, type PlainFigures } from './calls.ts';
import { quantile } from './clock.ts';
import { type Contender, openSession } from './contender.ts';

const START_ROUNDS = 15;
const CALL_ROUNDS = 3;

/** The servers beside the one that is called; the floor server lists another tool at each. */
const OTHERS = ['other-1', 'other-2', 'other-3'];

/** Puts four servers into the list that `causeway proxy --all` reads. */
export async function writeServers(env: NodeJS.ProcessEnv, path: string): Promise<void> {
  const paths = [path, ...OTHERS.map((name) => `/api/2.0/mcp/${name}`)];
  const servers = paths.map((each) => ({
    name: each.slice(each.lastIndexOf('/') + 1),
    profile: 'DEFAULT',
    kind: 'other',
    path: each,
  }));
  const folder = configFolder(env);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'servers.json'), JSON.stringify({ version: 1, servers }));
}

/** `causeway proxy --all` where another contender has one server. */
export function allInOne(name: string, command: string, { env, helper }: Contender): Contender {
  return { name, env, helper, arguments: () => [command, 'proxy', '--all'] };
}

/** Milliseconds from the spawn to the answers of `initialize` and, asked right behind it, of `tools/list`. */
export interface StartFigures {
  initialize: number;
  tools: number;
}

/** What one server costs, and four as one. */
export interface AllFigures {
  start: { one: StartFigures; all: StartFigures };
  calls: { one: PlainFigures; other: PlainFigures };
}

/** Measures four servers as one in turns with one of them alone, so that whatever else the machine does falls on both. */
export async function measureAllInOne(one: Contender, all: Contender, path: string): Promise<AllFigures> {
  const starts: { one: StartFigures; all: StartFigures }[] = [];
  while (starts.length < START_ROUNDS) starts.push({ one: await start(one, path), all: await start(all, path) });
  const of = (which: 'one' | 'all') => ({
    initialize: quantile(
      starts.map((round) => round[which].initialize),
      0.5,
    ),
    tools: quantile(
      starts.map((round) => round[which].tools),
      0.5,
    ),
  });
  return { start: { one: of('one'), all: of('all') }, calls: await measureInTurns(one, all, path, CALL_ROUNDS) };
}

/** What permissions add to the calls of four servers as one. */
export function measurePermissionsOfAll(all: Contender, restricted: Contender, path: string) {
  return measureInTurns(all, restricted, path, CALL_ROUNDS);
}

async function start(contender: Contender, path: string): Promise<StartFigures> {
  const began = performance.now();
  const client = await openSession(contender, path);
  const initialize = performance.now() - began;
  await client.request('tools/list', {});
  const tools = performance.now() - began;
  await client.close();
  return { initialize, tools };
}
