import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Caller, callerAs } from './caller.ts';
import { ALL_FEATURES } from './http.ts';
import { largeCatalog } from './large-catalog.ts';
import { type EmbeddedWorkspace, startWorkspace } from './workspace.ts';

/** Services in the REST API: lists, one of them, and each user's credentials. */

const CATALOG = '/api/2.1/unity-catalog';
const BASE = `${CATALOG}/mcp-services`;

let workspace: EmbeddedWorkspace;
let ana: Caller;
let ben: Caller;
let chloe: Caller;
beforeAll(async () => {
  workspace = await startWorkspace({ profile: 'lenient' });
  [ana, ben, chloe] = [callerAs(workspace, 'ana'), callerAs(workspace, 'ben'), callerAs(workspace, 'chloe')];
});
beforeEach(() => workspace.state.replace({}));
afterEach(() => {
  workspace.faults.clear();
  workspace.requests.clear();
  Object.assign(workspace.features, ALL_FEATURES);
});
afterAll(() => workspace.close());

interface Listed {
  name: string;
  config: Record<string, unknown>;
}

async function pages(caller: Caller, query = ''): Promise<Listed[][]> {
  const found: Listed[][] = [];
  for (let token: unknown; ; ) {
    const parameters = new URLSearchParams(query);
    if (token !== undefined) parameters.set('page_token', String(token));
    const { status, body } = await caller('GET', `${BASE}?${parameters}`);
    expect(status).toBe(200);
    found.push(body.mcp_services as Listed[]);
    token = body.next_page_token;
    if (token === undefined) return found;
  }
}

const namesOf = (found: Listed[][]) => found.flat().map(({ name }) => name.replace('mcp-services/', ''));

describe('the list', () => {
  test('covers one schema, system.ai if none is named', async () => {
    const expected = ['dbsql', 'genie_one_mcp', 'web_search', 'github', 'slack', 'google_drive'];
    const names = expected.map((name) => `system.ai.${name}`);
    expect(namesOf(await pages(ben))).toEqual(names);
    expect(namesOf(await pages(ben, 'parent=schemas/system.ai&view=BASIC'))).toEqual(names);
    expect(namesOf(await pages(ben, 'parent=schemas/main.support'))).toEqual([
      'main.support.tickets',
      'main.support.archive',
    ]);
  });

  test('leaves out what the caller has no grant for: a page can be short, or empty, and have a next one', async () => {
    const found = await pages(chloe, 'parent=schemas/system.ai&page_size=1');
    expect(found.map(({ length }) => length)).toEqual([1, 1, 1, 1, 0, 1]);
    workspace.gateway.grant('chloe', 'system.ai.slack');
    expect(namesOf(await pages(chloe, 'parent=schemas/system.ai&page_size=4'))).toContain('system.ai.slack');
  });

  test('has at most a hundred items on a page', async () => {
    workspace.state.replace(largeCatalog({ catalogs: 1, schemas: 1, services: 230 }));
    for (const size of ['', '&page_size=100', '&page_size=5000']) {
      const found = await pages(ben, `parent=schemas/catalog_00.schema_00${size}`);
      expect(found.map(({ length }) => length)).toEqual([100, 100, 30]);
    }
  });

  test('reports only the name of a connection, and in full its state', async () => {
    const [basic] = (await pages(ben, 'parent=schemas/main.support')).flat();
    expect(basic?.config).toEqual({
      include_tool_selectors: ['ticket_*'],
      source_connection: { name: 'connections/main.support.tickets', is_deleted: false },
    });
    const full = (await pages(ben, 'parent=schemas/main.support&view=FULL')).flat();
    expect(full.map(({ config }) => config.connection)).toEqual([{ status: 'ACTIVE' }, { status: 'FAILED' }]);
  });

  test.each([
    ['parent=schemas/nowhere.at_all', 404],
    ['parent=schemas/main.finance', 403],
    ['parent=main.support', 400],
    ['view=SOME', 400],
    ['page_size=x', 400],
    ['page_token=nonsense', 400],
  ])('answers ?%s with %i', async (query, status) => {
    expect((await ben('GET', `${BASE}?${query}`)).status).toBe(status);
  });

  test('is unknown to a workspace without the preview', async () => {
    workspace.features.mcpServices = false;
    expect(await ben('GET', BASE)).toMatchObject({ status: 404, body: { error_code: 'ENDPOINT_NOT_FOUND' } });
  });

  test('can repeat a page token, or answer 429 or an empty 499, as a fault', async () => {
    workspace.faults.add({ path: BASE, effect: { kind: 'next-page', token: 'again' }, times: 2 });
    for (let time = 0; time < 2; time += 1) {
      expect((await ben('GET', BASE)).body).toEqual({ next_page_token: 'again' });
    }
    workspace.faults.add({ path: BASE, effect: { kind: 'rate-limit', retryAfter: '1' } });
    expect((await ben('GET', BASE)).status).toBe(429);
    workspace.faults.add({ path: BASE, effect: { kind: 'answer', status: 499 } });
    expect(await ben('GET', BASE)).toMatchObject({ status: 499, text: '' });
    expect((await ben('GET', BASE)).status).toBe(200);
  });
});

describe('a large catalog', () => {
  const SIZE = { catalogs: 50, schemas: 40, services: 20 };

  test('is created at once, and a schema of it when it is requested', async () => {
    const began = performance.now();
    workspace.state.replace(largeCatalog(SIZE));
    const made = performance.now() - began;
    expect(workspace.state.schemas.filter(({ catalog }) => catalog.startsWith('catalog_'))).toHaveLength(2000);
    expect(workspace.state.mcpServices.length).toBeLessThan(20);
    expect(namesOf(await pages(ben, 'parent=schemas/catalog_49.schema_38'))).toHaveLength(20);
    expect(namesOf(await pages(chloe, 'parent=schemas/catalog_49.schema_38'))).toHaveLength(16);
    expect((await ben('GET', `${BASE}?parent=schemas/catalog_49.schema_39`)).status).toBe(403);
    console.info(`a catalog of 40,000 services was made in ${made.toFixed(1)} ms`);
  });

  test('one service can be granted, used and read like any other', async () => {
    workspace.state.replace(largeCatalog(SIZE));
    const name = 'catalog_07.schema_03.service_04';
    expect((await chloe('GET', `${BASE}/${name}`)).status).toBe(403);
    workspace.gateway.grant('chloe', name);
    expect((await chloe('GET', `${BASE}/${name}`)).status).toBe(200);
    expect(namesOf(await pages(chloe, 'parent=schemas/catalog_07.schema_03'))).toHaveLength(17);
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await chloe('POST', `/ai-gateway/mcp-services/${name}`, list)).body).toMatchObject({
      result: { tools: [{ name: 'look_up' }] },
    });
  });

  test('with the switch, a list without a parent walks all of it, slowly', async () => {
    workspace.state.replace(largeCatalog({ catalogs: 3, schemas: 2, services: 20 }));
    Object.assign(workspace.features, { servicesWithoutParent: 'metastore', metastoreWalkMs: 30 });
    const began = performance.now();
    const found = await pages(ben);
    expect(namesOf(found).filter((name) => name.startsWith('catalog_'))).toHaveLength(120);
    expect(performance.now() - began).toBeGreaterThanOrEqual(50);
  });

  test('requests are counted by path, with the highest number in flight at once', async () => {
    workspace.state.replace(largeCatalog(SIZE));
    workspace.faults.add({ path: BASE, effect: { kind: 'delay', milliseconds: 500 }, times: 'always' });
    const schemas = ['schema_00', 'schema_01', 'schema_02'];
    await Promise.all(schemas.map((schema) => ben('GET', `${BASE}?parent=schemas/catalog_00.${schema}`)));
    await ben('GET', `${CATALOG}/catalogs`);
    expect(workspace.requests.countsByPath()).toEqual({ [BASE]: 3, [`${CATALOG}/catalogs`]: 1 });
    expect(workspace.requests.mostAtOnce({ path: BASE })).toBe(3);
    for (let time = 0; time < 5; time += 1) await ben('GET', `${CATALOG}/catalogs`);
    expect(workspace.requests.mostAtOnce({ path: `${CATALOG}/catalogs` })).toBe(1);
  });
});

describe('one service', () => {
  test.each([
    ['system.ai.github', 'CONNECTION_HTTP_OAUTH_U2M_MAPPING'],
    ['system.ai.slack', 'CONNECTION_SLACK_OAUTH_U2M_MAPPING'],
    ['system.ai.google_drive', 'CONNECTION_HTTP_DCR'],
    ['main.support.tickets', 'CONNECTION_HTTP_BEARER'],
  ])('%s has an id and a connection of the kind %s', async (name, securable_kind) => {
    const { status, body } = await ben('GET', `${BASE}/${encodeURIComponent(name)}`);
    expect([status, body]).toMatchObject([
      200,
      {
        name: `mcp-services/${name}`,
        id: expect.stringMatching(/^[0-9a-f]{8}-/),
        config: { source_connection: { name: `connections/${name}`, securable_kind } },
      },
    ]);
  });

  test('names no connection if it has none', async () => {
    const { body } = await ben('GET', `${BASE}/system.ai.web_search`);
    expect(body).toMatchObject({ id: expect.any(String), config: {} });
    expect(body.config).not.toHaveProperty('source_connection');
  });

  test.each([
    ['system.ai.slack', 403],
    ['system.ai.nothing', 404],
  ])('%s answers Chloe with %i', async (name, status) => {
    expect((await chloe('GET', `${BASE}/${name}`)).status).toBe(status);
  });
});

describe("a user's credential", () => {
  const OF_SERVICE = `${BASE}/system.ai.github/user-credentials`;

  async function ofConnection(user = 'ben@example.com', caller = ben): Promise<string> {
    const { id } = (await caller('GET', `${BASE}/system.ai.github`)).body;
    const path = `${CATALOG}/connections/system.ai.github/user-credentials/${encodeURIComponent(user)}`;
    return `${path}?dependent.mcp_service.id=${id}`;
  }

  test('is a 404 before the sign-in, ACTIVE after it, and a 404 once it is deleted, in both forms', async () => {
    const byConnection = await ofConnection();
    const states = async () => [await ben('GET', OF_SERVICE), await ben('GET', byConnection)];
    for (const { status, body } of await states()) {
      expect([status, body.error_code]).toEqual([404, 'RESOURCE_DOES_NOT_EXIST']);
    }
    workspace.gateway.signIn('ben', 'system.ai.github');
    expect(await states()).toMatchObject([
      { status: 200, body: { provisioning_info: { state: 'ACTIVE' } } },
      { status: 200, body: { connection_user_credential: { provisioning_info: { state: 'ACTIVE' } } } },
    ]);
    expect((await ana('GET', OF_SERVICE)).status).toBe(404);
    expect((await ben('DELETE', OF_SERVICE)).status).toBe(200);
    expect((await states()).map(({ status }) => status)).toEqual([404, 404]);
    expect((await ben('DELETE', OF_SERVICE)).status).toBe(404);
  });

  test('becomes active after the configured time', async () => {
    const [ben1] = workspace.state.users.filter(({ userName }) => userName.startsWith('ben@'));
    workspace.state.credentials.add(ben1?.id ?? '', 'system.ai.github', 60_000);
    expect((await ben('GET', OF_SERVICE)).body).toEqual({ provisioning_info: { state: 'PROVISIONING' } });
    expect(workspace.gateway.isSignedIn('ben', 'system.ai.github')).toBe(false);
  });

  test('is refused for a service that has none, for another user, and with the id of another service', async () => {
    expect((await ben('GET', `${BASE}/system.ai.web_search/user-credentials`)).status).toBe(400);
    expect((await ben('GET', `${BASE}/main.support.tickets/user-credentials`)).status).toBe(400);
    expect((await ben('GET', await ofConnection('ana@example.com'))).status).toBe(403);
    expect((await ben('GET', (await ofConnection()).replace(/id=.*/, 'id=other'))).status).toBe(400);
  });

  test.each(['connectionCredentials', 'serviceCredentials'] as const)(
    'a workspace without %s answers that the path is unknown, which is not "no credential"',
    async (feature) => {
      workspace.features[feature] = false;
      const path = feature === 'serviceCredentials' ? OF_SERVICE : await ofConnection();
      expect((await ben('GET', path)).body.error_code).toBe('ENDPOINT_NOT_FOUND');
    },
  );
});
