import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace/workspace.ts';
import type { Account } from './account.ts';
import { ClaudeDesktop } from './claude-desktop.ts';
import { lastRanOn } from './command-run.ts';
import { askOtherServers } from './other-servers.ts';
import { runSql } from './sql-tool.ts';
import { CAUSEWAY, Terminal } from './terminal.ts';

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
const WAREHOUSE_START_MS = 1_500;
const QUERY =
  'SELECT pickup_zip, count(*) AS trips, round(avg(fare_amount), 2) AS average_fare FROM samples.nyctaxi.trips GROUP BY pickup_zip ORDER BY trips DESC LIMIT 5';

/** The four managed servers (spec/managed-mcp-endpoints.md › Managed server), as the fixture of the workspace has them. */
const SERVERS: Record<string, string> = {
  'databricks-sql': '/api/2.0/mcp/sql',
  'genie-taxi-trips': '/api/2.0/mcp/genie/01ef2b7c5a9d1e3f8c4b6a0d2e5f7191',
  'search-support': '/api/2.0/mcp/vector-search/main/support',
  'functions-default': '/api/2.0/mcp/functions/main/default',
};
const SQL = SERVERS['databricks-sql'] ?? '';

interface Scene {
  account: Account;
  terminal: Terminal;
  claude: ClaudeDesktop;
  workspace: EmbeddedWorkspace;
  clients: Map<string, Client>;
}

/** Plays the whole demo. Throws what made a step fail; whatever was started is ended either way. */
export async function tellStory(account: Account, signal: AbortSignal): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'causeway-demo-'));
  const ends: (() => Promise<unknown>)[] = [() => rm(home, { recursive: true, force: true, maxRetries: 5 })];
  try {
    account.begin('Starting a workspace on this computer');
    const workspace = await startWorkspace({ home, state: { startupMs: WAREHOUSE_START_MS } });
    ends.push(() => workspace.close());
    account.done(`A workspace is up at ${workspace.host}`, { host: workspace.host });

    const env = {
      HOME: home,
      USERPROFILE: home,
      PATH: process.env.PATH,
      DATABRICKS_CONFIG_PROFILE: PROFILE,
      ...TOKEN_STORE,
    };
    const claude = await ClaudeDesktop.install(home);
    ends.push(() => claude.close());
    const terminal = new Terminal(account, env, signal);
    const scene: Scene = { account, terminal, claude, workspace, clients: new Map() };
    for (const step of [
      signIn,
      addServers,
      connectClient,
      askTheOthers,
      showEffective,
      firstQuery,
      setOverride,
      verifyThreeLayers,
      expireSession,
      readOnly,
      pinWarehouse,
      secondForm,
      followLastSelected,
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

async function signIn({ account, terminal }: Scene): Promise<void> {
  account.begin('Signing in with the browser');
  await terminal.signIn(PERSON, 'login');
  account.tell('The browser is played by the demo: it opens the address, picks a user and clicks Allow.');
  account.tell('The tokens are in an encrypted file: a terminal on a fresh machine may have no keychain.');
  account.done(`Signed in as ${PERSON}`, { user: PERSON });
}

async function addServers({ account, terminal }: Scene): Promise<void> {
  account.begin('Adding four managed servers');
  const added = Object.entries(SERVERS).map(([name, path]) =>
    terminal.run('servers', 'add', '--path', path, '--name', name, '--quiet'),
  );
  await Promise.all(added);
  account.done('Each of them answers', { servers: SERVERS });
}

async function connectClient({ account, terminal, claude, clients }: Scene): Promise<void> {
  account.begin("Writing Claude Desktop's entries, and starting each as Claude Desktop does");
  await terminal.run('clients', 'add', 'claude-desktop', '--quiet');
  const tools: Record<string, string[]> = {};
  await Promise.all(
    Object.keys(SERVERS).map(async (name) => {
      const client = await claude.connect(name);
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

async function showEffective({ account, terminal }: Scene): Promise<void> {
  account.begin('Asking which warehouse queries run on, and why');
  const [warehouse = ''] = (await terminal.run('warehouse')).split(' (');
  account.done(`Queries run on ${warehouse}`, { warehouse });
}

async function firstQuery(scene: Scene): Promise<void> {
  const { account, workspace } = scene;
  account.begin('Running SQL through the bridge');
  const rows = await runSql(sqlClient(scene), QUERY);
  account.table(rows);
  const ranOn = lastRanOn(workspace);
  account.done(`${rows.length} rows came back; the query ran on ${ranOn}`, { rows, ranOn });
}

async function setOverride(scene: Scene): Promise<void> {
  const { account, terminal, workspace } = scene;
  account.begin(`Setting the override to ${TARGET}`);
  await terminal.run('warehouse', 'set', TARGET);
  const rows = await runSql(sqlClient(scene), QUERY);
  const ranOn = lastRanOn(workspace);
  if (ranOn !== TARGET) throw new Error(`The same client's next query ran on ${ranOn}.`);
  account.done(`The same client's next query gave ${rows.length} rows, from ${ranOn}`, { ranOn });
}

/** spec/default-warehouse-override.md › Verification layers. */
async function verifyThreeLayers({ account, terminal, workspace }: Scene): Promise<void> {
  account.begin('Verifying it in three layers: the record, the lookup, and a query after stopping every warehouse');
  await terminal.run('warehouse', 'verify', '--cold', '--stop-warehouses', '--quiet');
  const ranOn = lastRanOn(workspace);
  if (ranOn !== TARGET) throw new Error(`The query of the third layer ran on ${ranOn}.`);
  account.done(`Only ${TARGET} started for the query; what had been stopped runs again`, { ranOn });
}

async function expireSession(scene: Scene): Promise<void> {
  const { account, workspace } = scene;
  account.begin("Expiring the client's session at the server, then running the query again");
  workspace.faults.expireSessions(404);
  const posts = { method: 'POST', path: SQL };
  const before = workspace.requests.list(posts).length;
  const sessions = () => workspace.state.mcpCalls.filter((call) => call.server === 'sql' && isInitialize(call)).length;
  const openedBefore = sessions();
  const rows = await runSql(sqlClient(scene), QUERY);
  const statuses = workspace.requests
    .list(posts)
    .slice(before)
    .map(({ status }) => status);
  const initialized = sessions() - openedBefore;
  if (initialized !== 1) throw new Error(`One session should have been opened; ${initialized} were.`);
  if (statuses[0] !== 404) throw new Error(`The first request was answered with ${statuses[0]}, not with 404.`);
  account.done(
    `${statuses.join(' → ')}: a new session was opened, and ${rows.length} rows came back without an error`,
    { statuses, initialized },
  );
}

const isInitialize = ({ method }: { method: string }) => method === 'initialize';

async function readOnly(scene: Scene): Promise<void> {
  const { account, terminal } = scene;
  account.begin('Allowing only read-only tools, for the session that is running');
  await terminal.run('permissions', 'set', 'databricks-sql', '--read-only');
  const client = sqlClient(scene);
  const tools = (await client.listTools()).tools.map(({ name }) => name);
  if (tools.includes('execute_sql')) throw new Error('execute_sql is still offered.');
  const answer = await client.callTool({
    name: 'execute_sql',
    arguments: { query: 'DROP TABLE samples.nyctaxi.trips' },
  });
  const [part] = Array.isArray(answer.content) ? answer.content : [];
  if (answer.isError !== true || part?.type !== 'text') throw new Error('execute_sql was not refused.');
  account.tell(part.text);
  await terminal.run('permissions', 'set', 'databricks-sql', '--no-read-only');
  account.done(`The client kept ${tools.join(' and ')}; execute_sql was refused`, { tools, refusal: part.text });
}

async function pinWarehouse({ account, terminal, claude, workspace }: Scene): Promise<void> {
  account.begin(`Pinning Claude Desktop to ${PINNED}, beside the override`);
  const id = workspace.state.warehouses.find(({ name }) => name === PINNED)?.id ?? '';
  const pin = ['--server', 'databricks-sql', '--meta', `warehouse_id=${id}`];
  await terminal.run('clients', 'add', 'claude-desktop', ...pin, '--quiet');
  await runSql(await claude.connect('databricks-sql'), QUERY);
  const ranOn = lastRanOn(workspace);
  if (ranOn !== PINNED) throw new Error(`The query ran on ${ranOn}.`);
  account.tell(
    'Databricks does not document whether a pin or an override takes precedence. In this workspace the pin does.',
  );
  account.done(`Its query ran on ${ranOn}; the override still names ${TARGET}`, { ranOn, override: TARGET });
}

/** spec/managed-mcp-endpoints.md › Stdio proxy pattern: the published package's form. */
async function secondForm({ account, claude, workspace }: Scene): Promise<void> {
  account.begin('Starting an entry in the form of the published package, as somebody pasted it');
  const url = `${workspace.host}${SQL}`;
  const args = ['proxy', '--url', url, '--auth-type', 'databricks-cli', '--profile', PROFILE];
  account.tell(`"args": ${JSON.stringify(args)}`);
  await claude.paste('pasted', { command: process.execPath, args: [CAUSEWAY, ...args], env: TOKEN_STORE });
  const rows = await runSql(await claude.connect('pasted'), QUERY);
  account.done(`${rows.length} rows came back`, { args });
}

async function followLastSelected(scene: Scene): Promise<void> {
  const { account, terminal, workspace } = scene;
  account.begin('Letting queries follow the warehouse that was last selected');
  await terminal.run('warehouse', 'last-selected');
  if (!/override +unknown/.test(await terminal.run('warehouse')))
    throw new Error('Causeway claims to know the warehouse.');
  await runSql(sqlClient(scene), QUERY);
  const ranOn = lastRanOn(workspace);
  account.tell('Only the workspace knows which one that is, and Causeway says so instead of guessing.');
  account.done(`The query ran on ${ranOn}`, { ranOn });
}

async function clear(scene: Scene): Promise<void> {
  const { account, terminal, workspace } = scene;
  account.begin('Removing the override');
  await terminal.run('warehouse', 'clear');
  await runSql(sqlClient(scene), QUERY);
  const ranOn = lastRanOn(workspace);
  if (workspace.state.overrides.size > 0) throw new Error('The override is still there.');
  account.done(`The next query ran on ${ranOn}, the workspace default`, { ranOn });
}

function sqlClient({ clients }: Scene): Client {
  const client = clients.get('databricks-sql');
  if (!client) throw new Error('The SQL server is not connected.');
  return client;
}
