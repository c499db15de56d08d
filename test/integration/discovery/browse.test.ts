import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Causeway, createCauseway } from '../../../main/causeway.ts';
import type { CatalogItemFound, CatalogKind } from '../../../main/workspace/catalog-query.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';

let workspace: EmbeddedWorkspace;
let causeway: Causeway;

beforeAll(async () => {
  workspace = await startWorkspace();
  causeway = createCauseway({ env: { DATABRICKS_CONFIG_FILE: workspace.profileFile } });
});
afterAll(async () => {
  await causeway.close();
  await workspace.close();
});

/** Reads all parts of a list of the catalog, as the user of a profile. */
async function readAll(profile: string, query: CatalogKind): Promise<{ found: CatalogItemFound[]; parts: number[] }> {
  const { discovery } = await causeway.open(profile);
  const [found, parts]: [CatalogItemFound[], number[]] = [[], []];
  for (let from: string | undefined; ; ) {
    const { items, next } = await discovery.browse(query, from);
    found.push(...items);
    parts.push(items.length);
    if (next === undefined) return { found, parts };
    from = next;
  }
}

const targets = async (profile: string, query: CatalogKind) =>
  (await readAll(profile, query)).found.map(({ target }) => target);

describe('browsing a workspace', () => {
  test.each<[CatalogKind, string[]]>([
    [{ what: 'catalogs' }, ['samples', 'main']],
    [{ what: 'schemas', catalog: 'main' }, ['main.default', 'main.support']],
    [
      { what: 'functions', catalog: 'main', schema: 'default' },
      ['main.default.fare_with_tip', 'main.default.initials', 'main.default.busiest_pickup_zips'],
    ],
    [{ what: 'functions', catalog: 'main', schema: 'finance' }, []],
    [{ what: 'indexes' }, ['main.support.articles_index', 'main.support.faq_index', 'main.support.images_index']],
    [
      { what: 'services' },
      [
        'system.ai.dbsql',
        'system.ai.genie_one_mcp',
        'system.ai.web_search',
        'system.ai.github',
        'system.ai.slack',
        'system.ai.google_drive',
      ],
    ],
    [{ what: 'connections' }, ['issue_tracker']],
    [{ what: 'schemas', catalog: 'system' }, ['system.ai']],
  ])('finds for %o what the workspace has', async (query, expected) => {
    expect(await targets('ben', query)).toEqual(expected);
  });

  test('finds Genie spaces with their titles for users who can open them', async () => {
    const { found } = await readAll('chloe', { what: 'genie-spaces' });
    const [taxi] = workspace.state.genieSpaces;
    expect(found).toEqual([
      { target: taxi?.spaceId, title: 'New York taxi trips', about: expect.stringContaining('taxi') },
    ]);
  });

  test('requests one level at a time, and skips empty pages', async () => {
    const { discovery } = await causeway.open('ben');
    const asked = () => workspace.requests.list({ path: '/api/2.1/unity-catalog/functions' }).length;
    const before = asked();
    const first = await discovery.browse({ what: 'functions', catalog: 'main', schema: 'default' });
    expect(first.items.length).toBeGreaterThan(0);
    expect(first.next).toBeDefined();
    expect(asked() - before).toBe(1);
  });

  test('stops when it is canceled', async () => {
    workspace.faults.add({
      path: '/api/2.1/unity-catalog/catalogs',
      effect: { kind: 'stall', milliseconds: 60_000 },
      times: 1,
    });
    const { discovery } = await causeway.open('ben');
    const work = new AbortController();
    const browsing = discovery.browse({ what: 'catalogs' }, undefined, work.signal);
    work.abort();
    await expect(browsing).rejects.toMatchObject({ code: 'cancelled' });
    workspace.faults.clear();
  });

  test('finds no services in a workspace without the preview', async () => {
    workspace.features.mcpServices = false;
    const { discovery } = await causeway.open('ben');
    await expect(discovery.browse({ what: 'services' })).rejects.toMatchObject({ status: 404 });
    workspace.features.mcpServices = true;
  });

  test('says that an index with its own embeddings cannot be searched', async () => {
    const { discovery } = await causeway.open('ben');
    expect(await discovery.isSearchable('main.support.articles_index')).toBe(true);
    expect(await discovery.isSearchable('main.support.images_index')).toBe(false);
  });

  test('refuses an invalid location', async () => {
    const { discovery } = await causeway.open('ben');
    await expect(discovery.browse({ what: 'indexes' }, 'nonsense')).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});
