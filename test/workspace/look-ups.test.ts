import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, callerAs } from './caller.ts';
import { type EmbeddedWorkspace, startWorkspace } from './workspace.ts';

const CATALOG = '/api/2.1/unity-catalog';
const VECTOR = '/api/2.0/vector-search';

let workspace: EmbeddedWorkspace;
let ana: Caller;
let ben: Caller;
let chloe: Caller;

beforeAll(async () => {
  workspace = await startWorkspace();
  [ana, ben, chloe] = [callerAs(workspace, 'ana'), callerAs(workspace, 'ben'), callerAs(workspace, 'chloe')];
});
afterAll(() => workspace.close());

/** Walks a list to its end, only a missing token being the end. */
async function walk(
  caller: Caller,
  path: string,
  key: string,
): Promise<{ sizes: number[]; items: Record<string, unknown>[] }> {
  const sizes: number[] = [];
  const items: Record<string, unknown>[] = [];
  for (let token: unknown; ; ) {
    const more = token === undefined ? '' : `${path.includes('?') ? '&' : '?'}page_token=${token}`;
    const { status, body } = await caller('GET', path + more);
    expect(status).toBe(200);
    const page = body[key] as Record<string, unknown>[];
    sizes.push(page.length);
    items.push(...page);
    token = body.next_page_token;
    if (token === undefined) return { sizes, items };
  }
}

async function namesOf(caller: Caller, path: string, key: string, name = 'name'): Promise<unknown[]> {
  return (await walk(caller, path, key)).items.map((item) => item[name]);
}

describe('the data catalog', () => {
  test('an empty page with a next token comes before the last one', async () => {
    const { sizes, items } = await walk(ben, `${CATALOG}/schemas?catalog_name=main&max_results=0`, 'schemas');
    expect(items.map(({ name }) => name)).toEqual(['default', 'support']);
    expect(sizes.slice(0, -1)).toContain(0);
  });

  test.each([
    ['catalogs', ['samples', 'main', 'system']],
    ['schemas?catalog_name=samples', ['nyctaxi', 'tpch']],
    ['functions?catalog_name=main&schema_name=default', ['fare_with_tip', 'initials', 'busiest_pickup_zips']],
    ['connections', ['issue_tracker', 'orders_db']],
  ])('%s are all listed, whatever the page size', async (path, expected) => {
    const key = path.split('?')[0] ?? '';
    for (const size of ['', 'max_results=1', 'max_results=2', 'max_results=100']) {
      expect(await namesOf(ben, `${CATALOG}/${path}${path.includes('?') ? '&' : '?'}${size}`, key)).toEqual(expected);
    }
  });

  test('functions of a schema without a grant are an empty list, even for an admin', async () => {
    const path = `${CATALOG}/functions?catalog_name=main&schema_name=finance`;
    expect(await namesOf(ana, path, 'functions')).toEqual([]);
  });

  test('connections to MCP servers are marked', async () => {
    const { items } = await walk(ana, `${CATALOG}/connections`, 'connections');
    expect(items.map(({ options }) => options)).toEqual([{ is_mcp_connection: 'true' }, {}]);
  });

  test.each([
    ['schemas?catalog_name=nowhere', 404],
    ['functions?catalog_name=main&schema_name=nowhere', 404],
    ['schemas', 400],
    ['functions?catalog_name=main', 400],
    ['catalogs?page_token=nonsense', 400],
  ])('%s answers %i', async (path, status) => {
    expect((await ana('GET', `${CATALOG}/${path}`)).status).toBe(status);
  });
});

describe('Genie spaces', () => {
  test('are listed for users who can open them, with ids of 32 hexadecimal digits', async () => {
    const { items, sizes } = await walk(chloe, '/api/2.0/genie/spaces?page_size=1', 'spaces');
    expect(items.map(({ title }) => title)).toEqual(['New York taxi trips']);
    expect(sizes).toEqual([1, 0, 0]);
    expect(String(items[0]?.space_id)).toMatch(/^[0-9a-f]{32}$/);
    expect(await namesOf(ben, '/api/2.0/genie/spaces', 'spaces', 'title')).toEqual(['New York taxi trips', 'Orders']);
  });

  test('are read by their ids with 200, 403 or 404', async () => {
    const [taxi, orders] = workspace.state.genieSpaces;
    const read = await chloe('GET', `/api/2.0/genie/spaces/${taxi?.spaceId}`);
    expect(read.body).toMatchObject({ title: 'New York taxi trips', warehouse_id: '8baced1ff014912d' });
    expect((await chloe('GET', `/api/2.0/genie/spaces/${orders?.spaceId}`)).status).toBe(403);
    expect((await chloe('GET', `/api/2.0/genie/spaces/${'0'.repeat(32)}`)).status).toBe(404);
  });
});

describe('vector search', () => {
  test('endpoints are listed, and the indexes of one', async () => {
    const endpoints = await walk(ben, `${VECTOR}/endpoints`, 'endpoints');
    expect(endpoints.items).toEqual([
      expect.objectContaining({ name: 'support-search', endpoint_status: { state: 'ONLINE' }, num_indexes: 4 }),
    ]);
    const indexes = await walk(ben, `${VECTOR}/indexes?endpoint_name=support-search`, 'vector_indexes');
    expect(indexes.items.map(({ name }) => name)).toEqual([
      'main.support.articles_index',
      'main.support.faq_index',
      'main.support.images_index',
    ]);
    expect(indexes.sizes).toEqual([1, 1, 1, 0]);
  });

  test('the details say whether the embeddings are managed', async () => {
    const managed = await ben('GET', `${VECTOR}/indexes/main.support.articles_index`);
    expect(managed.body.delta_sync_index_spec).toMatchObject({ embedding_source_columns: [{ name: 'body' }] });
    const own = await ben('GET', `${VECTOR}/indexes/main.support.images_index`);
    expect(own.body.delta_sync_index_spec).not.toHaveProperty('embedding_source_columns');
  });

  test.each([
    ['indexes', 400],
    ['indexes?endpoint_name=nowhere', 404],
    ['indexes/main.support.nothing', 404],
    ['indexes/main.finance.invoices_index', 403],
  ])('%s answers %i', async (path, status) => {
    expect((await ben('GET', `${VECTOR}/${path}`)).status).toBe(status);
  });
});
