import { fileURLToPath } from 'node:url';
import { startEverything } from './everything.ts';
import { type Revision, serveFixture } from './fixtures/serve.ts';
import { startForwarder } from './forwarder.ts';
import type { Installed } from './install.ts';
import { type Naming, sandwich } from './proxied.ts';
import { type Findings, type Suite, testClient, testServer } from './suite.ts';

/** One suite, once without and once with `causeway proxy` in between. */
export interface Run {
  name: string;
  /** Which findings of another run without the proxy this one is compared with; its own if there is none. */
  baseline: string;
  direct(): Promise<Findings>;
  through(): Promise<Findings>;
}

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
    serverRun('0.1.16 servers, fixture', current, 'sessions', 'sessions'),
    serverRun('2025-11-25 servers', sessions, 'sessions', 'sessions'),
    serverRun('2025-11-25 servers, stateless one behind', sessions, 'sessions', 'stateless'),
    serverRun('2025-11-25 servers, all as one', sessions, 'sessions', 'sessions', 'all'),
    serverRun('2026-07-28 servers, one with sessions behind, all as one', stateless, 'stateless', 'sessions', 'all'),
    serverRun('2026-07-28 servers', stateless, 'stateless', 'stateless'),
    serverRun('2026-07-28 servers, one with sessions behind', stateless, 'stateless', 'sessions'),
    clientRun('0.1.16 clients', current, 'sessions', 'sessions'),
    clientRun('2025-11-25 clients', sessions, 'sessions', 'sessions'),
    clientRun('2025-11-25 clients, stateless one in front', sessions, 'sessions', 'stateless'),
    clientRun('2026-07-28 clients', stateless, 'stateless', 'stateless'),
    clientRun('2026-07-28 clients, one with sessions in front', stateless, 'stateless', 'sessions'),
  ];
}

/** The suite's client speaks `front`; directly it meets its own fixture revision, through the proxy one of `behind`. */
function serverRun(name: string, suite: Suite, front: Revision, behind: Revision, naming?: Naming): Run {
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
      const fixture = await serveFixture(behind);
      const proxied = await sandwich(fixture.origin, FIXTURE_PATH, front, naming);
      const findings = await testServer(suite, proxied.url);
      await proxied.close();
      await fixture.close();
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
function clientRun(name: string, suite: Suite, behind: Revision, front: Revision): Run {
  const test = (way: 'direct' | 'through', revision: Revision) =>
    testClient(suite, `${process.execPath} ${CLIENT}`, {
      CONFORMANCE_WAY: way,
      CONFORMANCE_REVISION: revision,
      CONFORMANCE_SERVERS: behind,
    });
  return {
    name,
    baseline: `client, ${suite.requirements ?? 'current'}`,
    direct: () => test('direct', behind),
    through: () => test('through', front),
  };
}
