import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { type Causeway, createCauseway, type WorkspaceSession } from '../../main/app/causeway.ts';
import type { EffectiveWarehouse } from '../../main/warehouses/effective.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace/workspace.ts';
import type { Account } from './account.ts';
import { connectServer, entryFor, writeConfig } from './claude-desktop.ts';
import { askOtherServers } from './other-servers.ts';
import { clickThrough } from './person.ts';
import { tryReadOnly } from './read-only.ts';
import { runSql } from './sql-tool.ts';

/** The profile of the embedded workspace that holds only a host: it signs in with the browser. */
const PROFILE = 'oauth';
const PERSON = 'ana@example.com';
/** A fresh machine's terminal may have no keychain. */
const TOKEN_STORE = { CAUSEWAY_TOKEN_STORE: 'encrypted-file' };
/** The warehouse that the override names: neither the default nor the one the heuristic would pick. */
const TARGET = 'Data science';
/** The warehouse that one client is pinned to. */
const PINNED = 'Finance BI';
/** How long a warehouse takes to start here, in milliseconds: seconds, as a serverless one does. */
const WAREHOUSE_START_MS = 2_500;
const QUERY =
  'SELECT pickup_zip, count(*) AS trips, round(avg(fare_amount), 2) AS average_fare FROM samples.nyctaxi.trips GROUP BY pickup_zip ORDER BY trips DESC LIMIT 5';

/** The four managed servers (spec/managed-mcp-endpoints.md › Managed server), as the fixture of the workspace has them. */
const SERVERS: Record<string, string> = {
  sql: '/api/2.0/mcp/sql',
  'genie-taxi-trips': '/api/2.0/mcp/genie/01ef2b7c5a9d1e3f8c4b6a0d2e5f7191',
  'search-support': '/api/2.0/mcp/vector-search/main/support',
  'functions-default': '/api/2.0/mcp/functions/main/default',
};

interface Scene {
  account: Account;
  home: string;
  env: NodeJS.ProcessEnv;
  workspace: EmbeddedWorkspace;
  causeway: Causeway;
  session: WorkspaceSession;
  clients: Map<string, Client>;
}

/** Plays the whole demo. Throws what made a step fail; whatever was started is ended either way. */
export async function tellStory(account: Account, signal: AbortSignal): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'causeway-demo-'));
  const ends: (() => Promise<unknown>)[] = [() => rm(home, { recursive: true, force: true })];
  try {
    account.begin('Starting a workspace on this computer');
    const workspace = await startWorkspace({ home, state: { startupMs: WAREHOUSE_START_MS } });
    ends.push(() => workspace.close());
    account.done(`A workspace is up at ${workspace.host}`, { host: workspace.host });

    const env = { HOME: home, USERPROFILE: home, PATH: process.env.PATH, ...TOKEN_STORE };
    const causeway = createCauseway({
      env,
      openBrowser: async (url) => void clickThrough(url, PERSON).catch(account.tell),
    });
    ends.push(() => causeway.close());
    const clients = new Map<string, Client>();
    ends.push(() => Promise.all([...clients.values()].map((client) => client.close())));

    await orAborted(signIn(account, causeway), signal);
    const scene: Scene = { account, home, env, workspace, causeway, session: await causeway.open(PROFILE), clients };
    for (const step of [
      connectServers,
      askTheOthers,
      showEffective,
      firstQuery,
      setOverride,
      checkEndToEnd,
      expireSession,
      readOnly,
      pinWarehouse,
      clear,
    ]) {
      await orAborted(step(scene), signal);
    }
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
}

async function signIn(account: Account, causeway: Causeway): Promise<void> {
  account.begin('Signing in with the browser');
  const auth = await causeway.auth();
  const profile = await auth.profile(PROFILE);
  await auth.signIn(profile);
  account.tell('The browser is played by the demo: it opens the address, picks a user and clicks Allow.');
  account.tell('The tokens are in an encrypted file: a terminal on a fresh machine may have no keychain.');
  account.done(`Signed in as ${PERSON}`, { user: PERSON });
}

async function connectServers({ account, home, clients }: Scene): Promise<void> {
  account.begin('Starting "causeway proxy" for each server, as Claude Desktop does');
  const entries = Object.entries(SERVERS).map(([name, path]) => [name, entryFor(PROFILE, path, TOKEN_STORE)] as const);
  const file = await writeConfig(home, Object.fromEntries(entries));
  const tools: Record<string, string[]> = {};
  await Promise.all(
    entries.map(async ([name]) => {
      const client = await connectServer(file, name, home);
      clients.set(name, client);
      tools[name] = (await client.listTools()).tools.map((tool) => tool.name);
    }),
  );
  const empty = Object.keys(SERVERS).filter((name) => !tools[name]?.length);
  if (empty.length > 0) throw new Error(`No tools came from ${empty.join(', ')}.`);
  account.table(Object.keys(SERVERS).map((server) => ({ server, tools: tools[server]?.join(', ') ?? '' })));
  account.done('Four servers are connected', { tools });
}

/** One question to each server that is not SQL. */
async function askTheOthers({ account, clients }: Scene): Promise<void> {
  account.begin('Asking each of the other servers something');
  const exchanges = await askOtherServers(clients);
  account.table(exchanges);
  account.done('Genie, vector search and functions answered', { exchanges });
}

async function showEffective({ account, session }: Scene): Promise<void> {
  account.begin('Asking which warehouse queries run on');
  const effective = await session.warehouses.effective();
  for (const step of effective.steps) account.tell(`${step.source}: ${step.reason}`);
  account.done(`Queries run on ${nameOf(effective)}`, { warehouse: nameOf(effective), decidedBy: effective.decidedBy });
}

async function firstQuery(scene: Scene): Promise<void> {
  const { account, workspace } = scene;
  account.begin('Running SQL through the bridge');
  const rows = await runSql(sqlClient(scene), QUERY);
  account.table(rows);
  const ranOn = lastRanOn(workspace);
  account.done(`${rows.length} rows came back; the query ran on ${ranOn}`, { rows, ranOn });
}

async function setOverride({ account, session }: Scene): Promise<void> {
  account.begin(`Setting the override to ${TARGET}`);
  const target = (await session.warehouses.list()).find(({ name }) => name === TARGET);
  if (!target) throw new Error(`The workspace has no warehouse named ${TARGET}.`);
  await session.warehouses.setOverride('me', { type: 'CUSTOM', warehouse_id: target.id });
  const effective = await session.warehouses.effective();
  if (effective.warehouse?.id !== target.id) throw new Error(`Queries would still run on ${nameOf(effective)}.`);
  account.done(`Queries now run on ${nameOf(effective)}, because the override says so`, {
    warehouse: nameOf(effective),
  });
}

/** spec/default-warehouse-override.md › Verification layers, 3. */
async function checkEndToEnd(scene: Scene): Promise<void> {
  const { account, session, workspace } = scene;
  account.begin('Stopping every warehouse, then running the same query');
  const before = await session.warehouses.list();
  await Promise.all(before.filter(({ state }) => state === 'RUNNING').map(({ id }) => session.warehouses.stop(id)));
  await until(async () => (await running(session)).length === 0, 'the warehouses to stop');
  const rows = await runSql(sqlClient(scene), QUERY);
  const up = await running(session);
  account.tell(`${rows.length} rows, from ${lastRanOn(workspace)}`);
  if (up.join() !== TARGET) throw new Error(`RUNNING now: ${up.join(', ') || 'none'}; only ${TARGET} should be.`);
  account.done(`Only ${TARGET} is RUNNING`, { running: up });
}

async function expireSession(scene: Scene): Promise<void> {
  const { account, workspace } = scene;
  account.begin("Expiring the client's session at the server, then running the query again");
  workspace.faults.expireSessions(404);
  const posts = { method: 'POST', path: SERVERS.sql };
  const before = workspace.requests.list(posts).length;
  const rows = await runSql(sqlClient(scene), QUERY);
  const statuses = workspace.requests
    .list(posts)
    .slice(before)
    .map(({ status }) => status);
  const opened = workspace.state.mcpCalls.filter(({ server, method }) => server === 'sql' && method === 'initialize');
  if (opened.length !== 2) throw new Error(`The session should have begun twice, but it began ${opened.length} times.`);
  if (statuses[0] !== 404) throw new Error(`The first request was answered with ${statuses[0]}, not with 404.`);
  account.done(
    `${statuses.join(' → ')}: a new session was opened, and ${rows.length} rows came back without an error`,
    {
      statuses,
      initialized: opened.length,
    },
  );
}

async function readOnly(scene: Scene): Promise<void> {
  const { account, env, workspace } = scene;
  account.begin('Allowing only read-only tools');
  const { tools, refusal } = await tryReadOnly(sqlClient(scene), {
    env,
    host: workspace.host,
    path: SERVERS.sql ?? '',
  });
  if (tools.includes('execute_sql')) throw new Error('execute_sql is still offered.');
  account.tell(refusal);
  account.done(`Read only: the client keeps ${tools.join(' and ')}, and execute_sql is refused`, { tools, refusal });
}

async function pinWarehouse({ account, home, workspace, session, clients }: Scene): Promise<void> {
  account.begin(`Pinning one client to ${PINNED}, beside the override`);
  const pinned = (await session.warehouses.list()).find(({ name }) => name === PINNED);
  if (!pinned) throw new Error(`The workspace has no warehouse named ${PINNED}.`);
  const entry = entryFor(PROFILE, SERVERS.sql ?? '', TOKEN_STORE);
  entry.args.push('--meta', `warehouse_id=${pinned.id}`);
  const client = await connectServer(await writeConfig(home, { 'sql-pinned': entry }), 'sql-pinned', home);
  clients.set('sql-pinned', client);
  await runSql(client, QUERY);
  const ranOn = lastRanOn(workspace);
  if (ranOn !== PINNED) throw new Error(`The query ran on ${ranOn}.`);
  account.tell(
    'Databricks does not document whether a pin or an override takes precedence. In this workspace the pin does.',
  );
  account.done(`A client pinned to ${ranOn} ran its query there; the override still names ${TARGET}`, {
    ranOn,
    override: TARGET,
  });
}

async function clear({ account, session }: Scene): Promise<void> {
  account.begin('Deleting the override');
  await session.warehouses.clearOverride('me');
  const effective = await session.warehouses.effective();
  if (effective.override) throw new Error('The override is still there.');
  account.done(`Queries run on ${nameOf(effective)} again`, { warehouse: nameOf(effective) });
}

function sqlClient({ clients }: Scene): Client {
  const client = clients.get('sql');
  if (!client) throw new Error('The SQL server is not connected.');
  return client;
}

async function running(session: WorkspaceSession): Promise<string[]> {
  return (await session.warehouses.list()).filter(({ state }) => state === 'RUNNING').map(({ name }) => name);
}

function nameOf({ warehouse }: EffectiveWarehouse): string {
  return warehouse ? `${warehouse.name} (${warehouse.state})` : 'no warehouse';
}

function lastRanOn({ state, statements }: EmbeddedWorkspace): string {
  const choice = statements.at(-1)?.choice;
  const id = choice && 'warehouseId' in choice ? choice.warehouseId : undefined;
  return state.warehouses.find((warehouse) => warehouse.id === id)?.name ?? 'no warehouse';
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 15_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Waited 15 s for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
