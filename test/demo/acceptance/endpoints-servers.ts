import { z } from 'zod';
import { heading, holds, LEFT_OUT, type Requirement, same } from './requirement.ts';
import { APPLICATION, type Scene, SQL } from './scene.ts';

const DOCUMENT = 'endpoints';

/** The four servers as the workspace has them. */
const GENIE = '/api/2.0/mcp/genie/01ef2b7c5a9d1e3f8c4b6a0d2e5f7191';
const SEARCH = '/api/2.0/mcp/vector-search/main/support';
export const FUNCTIONS = '/api/2.0/mcp/functions/main/default';
export const FOUR = [SQL, GENIE, SEARCH, FUNCTIONS];

const WITH_APPLICATION = { oauthClients: [APPLICATION] };
const NO_DEFAULT = { state: { workspaceDefaultWarehouseId: undefined } };

/** A sign-in that is good for one scope reaches its server, and no server of another scope. */
async function scopeOf(scene: Scene, scope: string, path: string): Promise<void> {
  await scene.signInWithScope('ana@example.com', 'scoped', scope);
  const session = await scene.connect('scoped', path);
  holds((await scene.tools(session)).length > 0, `The scope ${scope} gives no tools at ${path}.`);
  const other = FOUR.find((one) => one !== path) ?? SQL;
  const { error, result } = await scene.ask(await scene.connect('scoped', other), 1, 'tools/list', {});
  holds(
    scene.look({ path: other }).some(({ logged }) => logged.status === 403),
    `${other} was not refused.`,
  );
  scene.note(`What the client hears from ${other}`, JSON.stringify(error ?? result));
  scene.look({ path });
}

async function tools(scene: Scene, path: string): Promise<string[]> {
  const found = await scene.tools(await scene.connect('ana', path));
  scene.look({ method: 'POST', path });
  return found;
}

/** What the four servers are and how the SQL server picks a warehouse. */
export const endpointsService: Requirement[] = heading(DOCUMENT, 1, 'What the service does', [
  {
    says: 'The workspace hosts four ready-made servers below /api/2.0/mcp/, and nothing has to be deployed.',
    show: async (scene) => {
      for (const path of FOUR) holds((await tools(scene, path)).length > 0, `${path} offers no tools.`);
    },
  },
  {
    says: 'They share host and sign-in with the REST API.',
    show: async (scene) => {
      await scene.signIn('ana@example.com', 'login', '--profile', 'oauth');
      await scene.ok('warehouse', '--profile', 'oauth');
      holds((await scene.tools(await scene.connect('oauth'))).length > 0, 'The SQL server offers no tools.');
      same('Sign-ins', scene.look({ path: '/oidc/v1/token' }).length, 1);
      scene.look({ path: SQL });
    },
  },
  {
    says: 'Permissions of the data catalog are enforced by the server, for the calling user.',
    show: async (scene) => {
      const finance = '/api/2.0/mcp/functions/main/finance';
      const { error, result } = await scene.ask(await scene.connect('ben', finance), 1, 'tools/list', {});
      const given = z.object({ tools: z.array(z.unknown()) }).safeParse(result).data?.tools.length ?? 0;
      scene.note('What Ben gets without a grant', JSON.stringify(error ?? result));
      holds(scene.look({ path: finance }).some(({ logged }) => logged.status === 403) || given === 0, 'Ben got tools.');
      scene.note('With a grant', '');
      scene.workspace.state.schemas.find(({ schema }) => schema === 'finance')?.grantedTo.add('ben@example.com');
      same('Tools with a grant', (await scene.tools(await scene.connect('ben', finance))).length > 0, true);
    },
  },
  {
    says: 'The workspace’s AI Gateway lists servers, addresses and states; our command shows what it lists.',
    show: async (scene) => {
      const printed = await scene.ok('servers', 'browse', '--json');
      holds(printed.includes(SQL) && printed.includes('/api/2.0/mcp/genie/'), 'Addresses are missing.');
      holds(scene.look({ path: '/api/2.1/unity-catalog/mcp-services' }).length > 0, 'The list was not read.');
    },
  },
  { says: 'It shows how much each is used.', why: LEFT_OUT.platform },
  {
    says: 'Several servers in one client: names of tools are prefixed so that they do not collide.',
    show: async (scene) => {
      await scene.ok('servers', 'add', '--path', '/api/2.0/mcp/sql', '--name', 'sql-one');
      await scene.ok('servers', 'add', '--path', '/api/2.0/mcp/sql', '--name', 'sql-two');
      const names = await scene.tools(await scene.start('--all'));
      same('Repeated names', names.length - new Set(names).size, 0);
      const prefixed = names.filter((name) => /^sql-(one|two)__execute_sql$/.test(name));
      same('Prefixed', prefixed.sort(), ['sql-one__execute_sql', 'sql-two__execute_sql']);
      scene.look({ path: SQL });
    },
  },
  {
    says: 'The SQL server picks the warehouse, whatever the client asks for.',
    workspace: { mcp: { warehousePin: 'ignored' } },
    show: async (scene) => {
      const pin = `warehouse_id=${scene.warehouse('Shared analytics')}`;
      const pinned = await scene.connect('ana', SQL, '--meta', pin);
      await scene.ok('warehouse', 'set', 'Data science');
      await scene.runsOn(pinned, 'Data science');
      const call = scene.look({ path: SQL }).find(({ sent }) => sent.includes('tools/call'));
      holds(call?.sent.includes(scene.warehouse('Shared analytics')), 'The pin was not sent.');
    },
  },
  {
    says: 'It picks by the user’s override, then by the workspace default.',
    show: async (scene) => {
      const agent = await scene.connect('ana');
      await scene.ok('warehouse', 'set', 'Data science');
      await scene.runsOn(agent, 'Data science');
      await scene.ok('warehouse', 'clear');
      await scene.runsOn(agent, 'Starter Warehouse');
    },
  },
  {
    says: 'Without both, a warehouse that runs comes first, then serverless, then “shared” in its name; our prediction agrees.',
    workspace: NO_DEFAULT,
    show: async (scene) => {
      const agent = await scene.connect('ana');
      const predicted = await scene.ok('warehouse');
      holds(/^Shared analytics/m.test(predicted), 'The prediction names another warehouse.');
      await scene.runsOn(agent, 'Shared analytics');
      await scene.ok('warehouse', 'stop', 'Shared analytics', '--yes', '--wait');
      const next = await scene.ok('warehouse');
      holds(/^Finance BI/m.test(next), 'The prediction does not prefer a warehouse that runs.');
      await scene.runsOn(agent, 'Finance BI');
    },
  },
  { says: 'The complete list of the five tiers is not given.', why: LEFT_OUT.silence },
  { says: 'A server of one’s own has more control over each request.', why: 'It compares with another product.' },
  {
    says: 'The SQL server offers the tool execute_sql.',
    show: async (scene) => {
      holds((await tools(scene, SQL)).includes('execute_sql'), 'The tool is missing.');
    },
  },
  {
    says: 'The transport is HTTPS: an address without encryption is refused (but on this computer).',
    show: async (scene) => {
      await scene.refused(/unencrypted/, 'proxy', '--url', `http://workspace.example${SQL}`);
      await scene.refused(
        /unencrypted/,
        'login',
        '--host',
        'http://workspace.example',
        '--profile',
        'x',
        '--no-browser',
      );
      holds((await tools(scene, SQL)).length > 0, 'On this computer it is refused as well.');
    },
  },
  {
    says: 'The transport is streamable HTTP; clients that speak only stdio use the proxy.',
    show: async (scene) => {
      await scene.query(await scene.connect('ana'));
      const types = scene
        .look({ method: 'POST', path: SQL })
        .map(({ answerHeaders }) => String(answerHeaders['content-type']));
      holds(
        types.some((type) => type.startsWith('text/event-stream')),
        'There was no event stream.',
      );
      holds(
        types.some((type) => type.startsWith('application/json')),
        'There was no JSON answer.',
      );
    },
  },
]);

/** The servers’ paths, scopes and tools. */
export const endpointsServers: Requirement[] = heading(DOCUMENT, 2, 'Managed server', [
  {
    says: 'Vector search: a path of catalog and schema, or of an index.',
    show: async (scene) => {
      same('At the schema', (await tools(scene, SEARCH)).length > 1, true);
      same('At the index', await tools(scene, `${SEARCH}/faq_index`), ['main__support__faq_index']);
    },
  },
  {
    says: 'Vector search: the scope is vector-search.',
    workspace: WITH_APPLICATION,
    show: (scene) => scopeOf(scene, 'vector-search', SEARCH),
  },
  {
    says: 'Vector search reads.',
    show: async (scene) => {
      const session = await scene.connect('ana', SEARCH);
      const params = { name: 'main__support__faq_index', arguments: { query: 'My parcel is late' } };
      const { result } = await scene.ask(session, 1, 'tools/call', params);
      holds(result && result.isError !== true, 'The index did not answer.');
      scene.look({ path: SEARCH });
    },
  },
  {
    says: 'Conversational analytics: a path of a space’s id.',
    show: async (scene) => {
      holds(
        (await tools(scene, GENIE)).some((name) => name.startsWith('query_space')),
        'The tool is missing.',
      );
    },
  },
  {
    says: 'Conversational analytics: the scope is genie.',
    workspace: WITH_APPLICATION,
    show: (scene) => scopeOf(scene, 'genie', GENIE),
  },
  {
    says: 'Conversational analytics reads.',
    show: async (scene) => {
      const space = GENIE.split('/').at(-1) ?? '';
      const params = { name: `query_space_${space}`, arguments: { query: 'What is the average fare?' } };
      const { result } = await scene.ask(await scene.connect('ana', GENIE), 1, 'tools/call', params);
      holds(result && result.isError !== true, 'The space did not answer.');
      scene.look({ path: GENIE });
    },
  },
  {
    says: 'SQL: a path without anything after it.',
    show: async (scene) => {
      holds((await tools(scene, SQL)).length > 0, 'There are no tools.');
    },
  },
  { says: 'SQL: the scope is sql.', workspace: WITH_APPLICATION, show: (scene) => scopeOf(scene, 'sql', SQL) },
  {
    says: 'SQL reads and writes.',
    show: async (scene) => {
      const agent = await scene.connect('ana');
      const write = await scene.query(agent, 'CREATE TABLE IF NOT EXISTS samples.nyctaxi.noted AS SELECT 1 AS one');
      holds(
        write.status.state === 'SUCCEEDED',
        `The write ended as ${write.status.state}: ${write.status.error?.message}`,
      );
      same(
        'The read',
        (await scene.query(agent, 'SELECT count(*) FROM samples.nyctaxi.trips')).status.state,
        'SUCCEEDED',
      );
      scene.look({ path: SQL });
    },
  },
  {
    says: 'Catalog functions: a path of catalog and schema, or of a function.',
    show: async (scene) => {
      same('At the schema', (await tools(scene, FUNCTIONS)).length, 3);
      same('At the function', await tools(scene, `${FUNCTIONS}/initials`), ['main__default__initials']);
    },
  },
  {
    says: 'Catalog functions: the scope is unity-catalog.',
    workspace: WITH_APPLICATION,
    show: (scene) => scopeOf(scene, 'unity-catalog', FUNCTIONS),
  },
  {
    says: 'Catalog functions read, as the function does.',
    show: async (scene) => {
      const params = { name: 'main__default__fare_with_tip', arguments: { fare: 20, tip_percent: 15 } };
      const { result } = await scene.ask(await scene.connect('ana', FUNCTIONS), 1, 'tools/call', params);
      holds(result && result.isError !== true, 'The function did not answer.');
      scene.look({ path: FUNCTIONS });
    },
  },
  {
    says: 'A schema exposes each index and each function as a tool of its own.',
    show: async (scene) => {
      same('Indexes', (await tools(scene, SEARCH)).sort(), [
        'main__support__articles_index',
        'main__support__faq_index',
      ]);
      same('Functions', (await tools(scene, FUNCTIONS)).sort(), [
        'main__default__busiest_pickup_zips',
        'main__default__fare_with_tip',
        'main__default__initials',
      ]);
    },
  },
  {
    says: 'The path of conversational analytics ends at the space’s id.',
    show: async (scene) => {
      await scene.refused(/space's id/, 'servers', 'add', 'genie');
      const added = await scene.ok('servers', 'add', 'genie', GENIE.split('/').at(-1) ?? '');
      holds(added.includes(GENIE), 'The path is another one.');
    },
  },
  {
    says: 'The SQL path has no parameters and no warehouse, and is the same for every user.',
    show: async (scene) => {
      for (const profile of ['ana', 'ben', 'chloe']) await scene.tools(await scene.connect(profile));
      const seen = scene.look({ method: 'POST', path: SQL });
      same('The paths', [...new Set(seen.map(({ logged }) => logged.path))], [SQL]);
      same('The queries', [...new Set(seen.map(({ logged }) => JSON.stringify(logged.query)))], ['{}']);
      same('The users', new Set(seen.map(({ logged }) => logged.userName)).size, 3);
    },
  },
  {
    says: 'Functions are written in SQL or Python.',
    why: 'A client cannot tell: it sees a tool, whatever it is written in.',
  },
]);
