import { fileURLToPath } from 'node:url';
import { startEverything } from './everything.ts';
import { type Revision, serveFixture } from './fixtures/serve.ts';
import { serveTasks } from './fixtures/tasks.ts';
import { startForwarder } from './forwarder.ts';
import type { Installed } from './install.ts';
import { type Naming, sandwich } from './proxied.ts';
import { type Findings, type Suite, testClient, testServer } from './suite.ts';

/** One suite, once without and once with `causeway proxy` in between. */
export interface Run {
  name: string;
  /** Which findings of another run without the proxy this one is compared with; its own if there is none. */
  baseline: string;
  /** Which scenarios it is about, by the beginning of their names; all but those of extensions if left out. */
  part?: typeof TASKS;
  direct(): Promise<Findings>;
  through(): Promise<Findings>;
}

/** What stands behind the proxy, and how. */
interface Behind {
  revision: Revision;
  naming?: Naming;
  /** How late its first answer to each client comes, in milliseconds: from 1.5 s on, the proxy has answered by itself. */
  slowMs?: number;
}

/** The scenarios for the extension for tasks. */
export const TASKS = 'tasks-';
const EVERYTHING_PORT = 39_217;
const FIXTURE_PATH = '/api/2.0/mcp/fixture';
const CLIENT = fileURLToPath(new URL('./client-program.ts', import.meta.url));

/** All that is run, in order. */
export function plan(folders: Installed): Run[] {
  const current: Suite = { folder: folders.current };
  const sessions: Suite = { folder: folders.next, requirements: '2025-11-25' };
  const stateless: Suite = { folder: folders.next, requirements: '2026-07-28' };
  return [
    everythingRun(current, folders.everything),
    serverRun('0.1.16 servers, fixture', current, 'sessions', { revision: 'sessions' }),
    serverRun('2025-11-25 servers', sessions, 'sessions', { revision: 'sessions' }),
    serverRun('2025-11-25 servers, stateless one behind', sessions, 'sessions', { revision: 'stateless' }),
    serverRun('2025-11-25 servers, all as one', sessions, 'sessions', { revision: 'sessions', naming: 'all' }),
    serverRun('2026-07-28 servers', stateless, 'stateless', { revision: 'stateless' }),
    serverRun('2026-07-28 servers, one with sessions behind', stateless, 'stateless', { revision: 'sessions' }),
    serverRun('2026-07-28 servers, one with sessions behind, all as one', stateless, 'stateless', {
      revision: 'sessions',
      naming: 'all',
    }),
    tasksRun('2026-07-28 servers, tasks', stateless),
    serverRun('2025-11-25 servers, 500 ms late', sessions, 'sessions', { revision: 'sessions', slowMs: 500 }),
    serverRun('2025-11-25 servers, 3 s late', sessions, 'sessions', { revision: 'sessions', slowMs: 3_000 }),
    serverRun('2026-07-28 servers, 500 ms late', stateless, 'stateless', { revision: 'stateless', slowMs: 500 }),
    serverRun('2026-07-28 servers, 1.7 s late', stateless, 'stateless', { revision: 'stateless', slowMs: 1_700 }),
    serverRun('2026-07-28 servers, one with sessions behind, 2 s late', stateless, 'stateless', {
      revision: 'sessions',
      slowMs: 2_000,
    }),
    clientRun('0.1.16 clients', current, 'sessions', 'sessions'),
    clientRun('2025-11-25 clients', sessions, 'sessions', 'sessions'),
    clientRun('2025-11-25 clients, stateless one in front', sessions, 'sessions', 'stateless'),
    clientRun('2026-07-28 clients', stateless, 'stateless', 'stateless'),
    clientRun('2026-07-28 clients, one with sessions in front', stateless, 'stateless', 'sessions'),
    clientRun('2025-11-25 clients, 3 s late', sessions, 'sessions', 'sessions', 3_000),
    clientRun('2026-07-28 clients, 500 ms late', stateless, 'stateless', 'stateless', 500),
  ];
}

/** The suite's client speaks `front`; directly it meets its own fixture revision, through the proxy one of `behind`. */
function serverRun(name: string, suite: Suite, front: Revision, { revision, naming, slowMs = 0 }: Behind): Run {
  return {
    name,
    baseline: `fixture, ${suite.requirements ?? 'current'}`,
    direct: async () => {
      const fixture = await serveFixture(front);
      const findings = await testServer(suite, fixture.url);
      await fixture.close();
      return findings;
    },
    through: async () => {
      const fixture = await serveFixture(revision);
      const late = slowMs > 0 ? await startForwarder(new URL(fixture.url), true, slowMs) : undefined;
      const findings = await testThrough(suite, late?.origin ?? fixture.origin, front, naming);
      late?.close();
      await fixture.close();
      return findings;
    },
  };
}

async function testThrough(suite: Suite, origin: string, front: Revision, naming?: Naming): Promise<Findings> {
  const proxied = await sandwich(origin, FIXTURE_PATH, front, naming);
  const findings = await testServer(suite, proxied.url);
  await proxied.close();
  return findings;
}

/** The extension for tasks, with a server that has it. */
function tasksRun(name: string, suite: Suite): Run {
  return {
    name,
    baseline: 'tasks',
    part: TASKS,
    direct: async () => {
      const fixture = await serveTasks();
      const findings = await testServer(suite, fixture.url);
      fixture.close();
      return findings;
    },
    through: async () => {
      const fixture = await serveTasks();
      const findings = await testThrough(suite, fixture.origin, 'stateless');
      fixture.close();
      return findings;
    },
  };
}

function everythingRun(suite: Suite, folder: string): Run {
  return {
    name: '0.1.16 servers, server-everything',
    baseline: 'server-everything',
    direct: async () => {
      const everything = await startEverything(folder, EVERYTHING_PORT);
      const findings = await testServer(suite, everything.url.href);
      everything.close();
      return findings;
    },
    through: async () => {
      const everything = await startEverything(folder, EVERYTHING_PORT);
      const forwarder = await startForwarder(everything.url);
      const proxied = await sandwich(forwarder.origin, '/api/2.0/mcp/everything', 'sessions');
      const findings = await testServer(suite, proxied.url);
      await proxied.close();
      forwarder.close();
      everything.close();
      return findings;
    },
  };
}

/** The suite's servers speak `behind`; directly they meet their own client revision, through the proxy one of `front`. */
function clientRun(name: string, suite: Suite, behind: Revision, front: Revision, slowMs = 0): Run {
  const test = (way: 'direct' | 'through', revision: Revision) =>
    testClient(suite, `${process.execPath} ${CLIENT}`, {
      CONFORMANCE_WAY: way,
      CONFORMANCE_REVISION: revision,
      CONFORMANCE_SERVERS: behind,
      CONFORMANCE_SLOW_MS: String(slowMs),
    });
  return {
    name,
    baseline: `client, ${suite.requirements ?? 'current'}`,
    direct: () => test('direct', behind),
    through: () => test('through', front),
  };
}
