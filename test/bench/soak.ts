/**
 * `npm run soak -- --seconds 600`: fifty clients through one hub and ten alone, a server that does everything wrong at
 * random, a hub that is killed and started again; every call accounted for. Ends with 1 when anything was lost.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { quantile } from './clock.ts';
import { copyCommand } from './contender.ts';
import { residentMiB } from './memory.ts';
import { type Program, startProgram } from './program.ts';
import { Account } from './soak/account.ts';
import { HostileServer } from './soak/hostile-server.ts';
import { SoakClient } from './soak/soak-client.ts';

const THROUGH_HUB = 50;
const ALONE = 10;
/** A client that is replaced lives this long, in milliseconds, on average. */
const LIFE_MS = 20_000;
/** The hub is killed about this often, in milliseconds, in the first third; then its memory is watched. */
const HUB_LIFE_MS = 10_000;

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '120' } } });
const seconds = Number(values.seconds);
const start = performance.now();
const elapsed = () => (performance.now() - start) / 1000;
const isOver = () => elapsed() > seconds;
const isWatched = () => elapsed() > seconds / 3;
/** How late this process itself is: what clients wait for while it is starved says nothing of the proxies. */
const lag = monitorEventLoopDelay();
lag.enable();

const account = new Account();
const server = new HostileServer(account);
const home = await mkdtemp(join(tmpdir(), 'causeway-soak-'));
const origin = await server.listen();
await writeFile(
  join(home, '.databrickscfg'),
  `[DEFAULT]\nhost = ${origin}\nauth_type = oauth-m2m\nclient_id = soak\nclient_secret = soak\n`,
  { mode: 0o600 },
);
const command = await copyCommand(home);
const own = { HOME: home, USERPROFILE: home, PATH: process.env.PATH };
const shared = { ...own, CAUSEWAY_HOME: home };

let clients = 0;
let hubs = 0;

async function hubKeptGoing(): Promise<Program> {
  for (;;) {
    hubs += 1;
    const hub = await startProgram('hub-program.ts', [home]);
    if (isWatched()) return hub;
    await sleep(HUB_LIFE_MS * (0.5 + Math.random()));
    account.cutAllOpen();
    await hub.end();
    if (Math.random() < 0.3) await sleep(2_000);
  }
}

/** One place that a client takes, and the next one when it leaves. */
async function place(env: NodeJS.ProcessEnv, lifeMs: number): Promise<void> {
  while (!isOver()) {
    clients += 1;
    const leave = performance.now() + lifeMs * (0.5 + Math.random());
    const client = new SoakClient(`client-${clients}`, account, command, env);
    watched.set(client, env === own ? 'a proxy alone' : undefined);
    await client.live(() => isOver() || performance.now() > leave);
    watched.delete(client);
  }
}

const watched = new Map<{ pid: number }, string | undefined>();
const samples = new Map<string, { at: number; mib: number }[]>();

async function watchMemory(): Promise<void> {
  for (; !isOver(); await sleep(1_000)) {
    if (!isWatched()) continue;
    for (const [{ pid }, name] of watched) {
      if (name === undefined) continue;
      const mib = await residentMiB(pid).catch(() => Number.NaN);
      if (Number.isNaN(mib)) continue;
      samples.set(name, [...(samples.get(name) ?? []), { at: elapsed(), mib }]);
    }
  }
}

const keeping = hubKeptGoing();
void keeping.then((hub) => watched.set(hub, 'the hub'));
await Promise.all([
  watchMemory(),
  ...Array.from({ length: THROUGH_HUB }, () => place(shared, LIFE_MS)),
  // These live as long as the soak does: what they take must not grow.
  ...Array.from({ length: ALONE }, () => place(own, Number.POSITIVE_INFINITY)),
]);
await (await keeping).end();

const list = (counts: Map<string, number>) => [...counts].map(([name, count]) => `  ${count} × ${name}`).join('\n');
console.log(`${seconds} s, ${clients} clients, ${hubs} hubs, ${server.sessions} sessions that nobody ended`);
console.log(
  `${account.calls} calls, ${account.results} results, ${account.notifications} notifications, ${account.late} late, ${account.notices} notices of waiting`,
);
console.log(`faults:\n${list(account.faults)}\nerrors that clients were told:\n${list(account.errors)}`);
for (const [name, all] of samples) {
  const third = (from: number) => {
    const [low, high] = [(seconds * (3 + 2 * from)) / 9, (seconds * (5 + 2 * from)) / 9];
    return quantile(
      all.filter(({ at }) => at >= low && at < high).map(({ mib }) => mib),
      0.5,
    ).toFixed(0);
  };
  console.log(
    `memory of ${name} over the last two thirds: ${third(0)} at their start, ${third(1)} in the middle, ${third(2)} MiB at the end`,
  );
}
console.log(
  `this process was up to ${(lag.max / 1e9).toFixed(1)} s late, and ${(lag.percentile(99) / 1e9).toFixed(2)} s at p99`,
);
console.log(`${account.violations.length} lost, doubled or crossed`);
for (const violation of account.violations.slice(0, 40)) console.log(`  ${violation}`);

await server.close();
await rm(home, { recursive: true });
process.exitCode = account.violations.length === 0 ? 0 : 1;
