/**
 * `npm run bench`: what the bridge costs, beside a direct HTTP call to the same server and the least of relays in the same
 * run.
 * `npm run bench -- --peers` installs the proxies that people use today outside the project and measures them too.
 */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allInOne, measureAllInOne, measurePermissionsOfAll, writeServers } from './all-in-one.ts';
import type { DirectFigures } from './caller.ts';
import { bareNodeMemory, measureCalls, measureDirectCalls, measureInTurns, medianOf } from './calls.ts';
import { measureColdStarts } from './cold-start.ts';
import { bareRelay, type Contender, causeway, copyCommand } from './contender.ts';
import { measurePausedReader } from './paused-reader.ts';
import { installPeers } from './peers.ts';
import { writePermissions } from './permissions.ts';
import { startProgram } from './program.ts';
import { allInOneTable, figuresTable, permissionsTable } from './report.ts';
import { table } from './table.ts';
import { type Figures, type Floor, FORMS, verdicts } from './targets.ts';

const JSON_PATH = '/api/2.0/mcp/json';
const EVENTS_PATH = '/api/2.0/mcp/events';
/** How often Causeway's calls are measured; the peers, which are far off, once. */
const ROUNDS = 7;

const server = await startProgram('floor-server.ts', []);
const origin = server.firstLine;
const home = await mkdtemp(join(tmpdir(), 'causeway-bench-'));
await writeFile(join(home, '.databrickscfg'), `[DEFAULT]\nhost = ${origin}\ntoken = dapi-bench\n`, { mode: 0o600 });
const env = { HOME: home, USERPROFILE: home, PATH: process.env.PATH };
const command = await copyCommand(home);
const hubProgram = await startProgram('hub-program.ts', [home]);
const restrictedHome = await mkdtemp(join(tmpdir(), 'causeway-bench-'));
await cp(join(home, '.databrickscfg'), join(restrictedHome, '.databrickscfg'));
const restrictedEnv = { HOME: restrictedHome, USERPROFILE: restrictedHome, PATH: process.env.PATH };
await writePermissions(restrictedEnv, origin, JSON_PATH);
const hubEnv = { ...env, CAUSEWAY_HOME: home };
for (const each of [env, hubEnv, restrictedEnv]) await writeServers(each, JSON_PATH);
const peers = process.argv.includes('--peers') ? await installPeers(origin) : undefined;

const contenders = {
  alone: causeway('alone', command, env),
  hub: causeway('through the hub', command, hubEnv, hubProgram.pid),
  restricted: causeway('alone, with permissions', command, restrictedEnv),
  bare: bareRelay(origin, env),
  peers: peers?.contenders ?? [],
};
console.error('Measuring: starts (the whole takes about seven minutes)');
const cold = await measureColdStarts([contenders.alone, contenders.hub, contenders.bare, ...contenders.peers]);

const paths = { json: JSON_PATH, events: EVENTS_PATH };
const directRuns: Record<(typeof FORMS)[number], DirectFigures[]> = { json: [], events: [] };

async function direct(form: (typeof FORMS)[number]): Promise<DirectFigures> {
  const figures = await measureDirectCalls(origin, paths[form]);
  directRuns[form].push(figures);
  return figures;
}

async function figuresOf(contender: Contender, rounds: number): Promise<Figures> {
  console.error(`Measuring: ${contender.name}`);
  return {
    cold: cold.of.get(contender.name) ?? Number.NaN,
    calls: {
      json: await measureCalls(contender, paths.json, () => direct('json'), rounds),
      events: await measureCalls(contender, paths.events, () => direct('events'), rounds),
    },
    paused: await measurePausedReader(contender),
  };
}

const memory = await bareNodeMemory();
// The server is the same for all; what it has not compiled yet would count against the first that are measured.
for (const form of FORMS) await measureDirectCalls(origin, paths[form]);
const alone = await figuresOf(contenders.alone, ROUNDS);
const hub = await figuresOf(contenders.hub, ROUNDS);
console.error(`Measuring: ${contenders.restricted.name}`);
const permissions = await measureInTurns(contenders.alone, contenders.restricted, JSON_PATH, ROUNDS);
const all = {
  alone: allInOne('all servers as one, alone', command, contenders.alone),
  hub: allInOne('all servers as one, through the hub', command, contenders.hub),
  restricted: allInOne('all servers as one, alone, with permissions', command, contenders.restricted),
};
console.error(`Measuring: ${all.alone.name}`);
const allAlone = await measureAllInOne(contenders.alone, all.alone, JSON_PATH);
console.error(`Measuring: ${all.hub.name}`);
const allHub = await measureAllInOne(contenders.hub, all.hub, JSON_PATH);
console.error(`Measuring: ${all.restricted.name}`);
const allPermissions = await measurePermissionsOfAll(all.alone, all.restricted, JSON_PATH);
const bare = await figuresOf(contenders.bare, ROUNDS);
const others: [string, Figures][] = [];
for (const contender of contenders.peers) others.push([contender.name, await figuresOf(contender, 1)]);
const floor: Floor = {
  cold: cold.bare,
  memory,
  calls: { json: medianOf(directRuns.json), events: medianOf(directRuns.events) },
};

const columns: [string, Figures][] = [['alone', alone], ['through the hub', hub], ['bare relay', bare], ...others];
console.log(table(figuresTable(floor, columns)));
console.log();
const peerFigures = others.map(([, figures]) => figures);
console.log(table(verdicts(floor, { alone, hub }, peerFigures)));
console.log();
console.log(table(permissionsTable(permissions)));
console.log();
console.log(table(allInOneTable(cold.bare, { alone: allAlone, hub: allHub, permissions: allPermissions })));

await hubProgram.end();
await server.end();
await peers?.remove();
await rm(home, { recursive: true });
await rm(restrictedHome, { recursive: true });
