import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Connection, startTestHost, type TestHost } from './test-host.ts';

const ARTICLES = 'main__support__articles_index';
const QUERY = { query: 'the kettle does not switch off and keeps boiling' };

let host: TestHost;
beforeEach(async () => {
  host = await startTestHost();
});
afterEach(() => host.close());

function connect(path = 'vector-search/main/support', user = 'ben@example.com'): Promise<Connection> {
  return host.connect(`/api/2.0/mcp/${path}`, user);
}

async function rows(meta: Record<string, unknown>, query = QUERY): Promise<unknown> {
  const { result } = await (await connect()).call(ARTICLES, query, meta);
  return (result as { data_array: unknown }).data_array;
}

it('the vector search server offers each index of the schema whose vectors the workspace computes', async () => {
  expect(await (await connect()).toolNames()).toEqual([ARTICLES, 'main__support__faq_index']);
});

it('the vector search server offers one index if the path names it, under the older and the newer path', async () => {
  expect(await (await connect('vector-search/main/support/faq_index')).toolNames()).toEqual([
    'main__support__faq_index',
  ]);
  expect(await (await connect('ai-search/main/support/faq_index')).toolNames()).toEqual(['main__support__faq_index']);
});

it('a search ranks real rows by similarity', async () => {
  expect(await rows({ num_results: 1, columns: 'title' })).toEqual([['The kettle does not switch off']]);
});

it('a search for another text finds another row', async () => {
  const query = { query: 'bluetooth connection drops' };
  expect(await rows({ num_results: 1, columns: 'title' }, query)).toEqual([['The headphones lose the connection']]);
});

it('a search returns five rows with all columns by default', async () => {
  expect(await (await connect()).call(ARTICLES, QUERY)).toMatchObject({
    manifest: { column_count: 4, columns: [{ name: 'id' }, { name: 'title' }, { name: 'body' }, { name: 'product' }] },
    result: { row_count: 5 },
  });
});

it('a search returns descending scores, and none below the threshold', async () => {
  const scored = (await rows({ num_results: '20', columns: 'id', include_score: 'true' })) as [string, number][];
  const scores = scored.map(([, score]) => score);
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  const threshold = scores[1] ?? 0;
  expect(await rows({ columns: 'id', score_threshold: threshold - 1e-6 })).toHaveLength(2);
});

it('a search filters by the values of columns', async () => {
  const vacuum = await rows({ filters: '{"product":"vacuum"}', columns: 'product' });
  expect(vacuum).toEqual([['vacuum'], ['vacuum'], ['vacuum']]);
  const both = await rows({ filters: '{"product":["vacuum","headphones"]}', columns: 'product', num_results: 50 });
  expect(new Set((both as string[][]).flat())).toEqual(new Set(['vacuum', 'headphones']));
});

it.each([
  [{ filters: '{' }, "Parameter 'filters' is malformed"],
  [{ filters: '{"nothing":1}' }, 'Column nothing not found'],
  [{ columns: 'nothing' }, 'Column nothing not found'],
  [{ num_results: 'many' }, "Parameter 'num_results' is malformed"],
])('a search refuses %j', async (meta, message) => {
  await expect(rows(meta)).rejects.toThrow(`BAD_REQUEST: ${message}`);
});

it('the vector search server has no tools without a grant, and an error for what does not exist', async () => {
  expect(await (await connect('vector-search/main/finance')).toolNames()).toEqual([]);
  expect(await (await connect('vector-search/samples/tpch')).toolNames()).toEqual([]);
  await expect((await connect('vector-search/main/nowhere')).toolNames()).rejects.toThrow('Schema main.nowhere not');
  await expect((await connect('vector-search/main/support/nothing')).toolNames()).rejects.toThrow('Index main.support');
});
