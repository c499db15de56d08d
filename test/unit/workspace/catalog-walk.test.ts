import { describe, expect, test } from 'vitest';
import { leftOutOf, type WalkEvent, type WalkOptions, walkCatalog } from '../../../main/workspace/catalog-walk.ts';
import { WorkspaceError } from '../../../main/workspace/errors.ts';
import type { Rest, RestRequest } from '../../../main/workspace/rest.ts';

/** A workspace that answers at once: what is asked for, by path, with what it answers or throws. */
function workspaceOf(answer: (path: string, query: Record<string, unknown>) => unknown) {
  const asked: string[] = [];
  let now = 0;
  let most = 0;
  const exchange = async <T>({ path, query = {}, schema }: RestRequest<T>) => {
    asked.push(path);
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setImmediate(resolve));
    now -= 1;
    return { data: schema.parse(answer(path, query)), header: () => undefined };
  };
  const rest: Rest = {
    profile: { name: 'ben', host: 'https://w.example.com', method: 'pat' } as Rest['profile'],
    exchange,
    request: async (request) => (await exchange(request)).data,
  };
  return { rest, asked, most: () => most };
}

const UC = '/api/2.1/unity-catalog';
const numbered = (name: string, count: number) => Array.from({ length: count }, (_, at) => ({ name: `${name}_${at}` }));

/** 10 catalogs of 10 schemas with one service each. */
function large(path: string, { catalog_name, parent }: Record<string, unknown>): unknown {
  if (path === `${UC}/catalogs`) return { catalogs: numbered('c', 10) };
  if (path === `${UC}/schemas`) return { schemas: numbered(`of_${catalog_name}`, 10) };
  if (path === `${UC}/mcp-services`) {
    return { mcp_services: [{ name: `mcp-services/${String(parent).slice('schemas/'.length)}.tickets` }] };
  }
  return {};
}

async function walk(rest: Rest, options: WalkOptions = {}) {
  const events: WalkEvent[] = [];
  for await (const event of walkCatalog(rest, options)) events.push(event);
  const last = events.at(-1);
  if (last?.what !== 'end') throw new Error('It has no end.');
  const found = events.flatMap((event) => (event.what === 'found' ? event.servers.map(({ add }) => add) : []));
  return { events, end: last, found };
}

const failure = (code: ConstructorParameters<typeof WorkspaceError>[0], status: number) =>
  new WorkspaceError(code, `The workspace answered ${status}.`, { status });

describe('the walk through what a workspace offers', () => {
  test('reads everything, with at most eight requests at once', async () => {
    const { rest, asked, most } = workspaceOf(large);
    const { found, end } = await walk(rest, { groups: ['services'] });
    expect(found).toHaveLength(101);
    expect(end).toMatchObject({ requests: 112, stopped: null, failures: [], closed: 0 });
    expect(asked).toHaveLength(112);
    expect(most()).toBe(8);
    expect(leftOutOf(end)).toEqual([]);
  });

  test.each([1, 12, 50])('sends no more than %i requests, and reports what it has not read', async (maxRequests) => {
    const { rest, asked } = workspaceOf(large);
    const { end } = await walk(rest, { groups: ['services'], maxRequests });
    expect(asked).toHaveLength(maxRequests);
    expect(end).toMatchObject({ requests: maxRequests, stopped: 'limit' });
    expect(leftOutOf(end).join(' ')).toContain(`Stopped after ${maxRequests} request`);
  });

  test('visits the first schemas of every catalog before the later ones of any', async () => {
    const { rest } = workspaceOf(large);
    const { found, end } = await walk(rest, { groups: ['services'], maxRequests: 12 + 20 });
    for (const { name } of numbered('c', 10)) expect(found).toContain(`${name}.of_${name}_0.tickets`);
    expect(end.unread).toEqual({ catalogs: 0, schemas: 80, lists: 0 });
  });

  test('visits first what the search names', async () => {
    const { rest } = workspaceOf(large);
    const { found } = await walk(rest, { groups: ['services'], search: 'c_7.of_c_7_9', maxRequests: 20 });
    expect(found).toEqual(['c_7.of_c_7_9.tickets']);
  });

  test('reads nothing outside the given location', async () => {
    const { rest, asked } = workspaceOf(large);
    expect((await walk(rest, { within: 'c_3.of_c_3_1' })).found).toEqual(['c_3.of_c_3_1.tickets']);
    expect(asked.filter((path) => path !== '/api/2.0/vector-search/endpoints')).toEqual([
      `${UC}/mcp-services`,
      `${UC}/functions`,
    ]);
  });

  test('reports for each group when nothing more will follow', async () => {
    const { rest } = workspaceOf(large);
    const { events } = await walk(rest);
    const complete = events.flatMap((event) => (event.what === 'complete' ? [event.group] : []));
    expect(complete.toSorted()).toEqual(['apps', 'connections', 'functions', 'genie', 'search', 'services', 'sql']);
    const later = events.slice(
      events.findIndex((event) => event.what === 'complete' && event.group === 'services') + 1,
    );
    expect(later.some((event) => event.what === 'found' && event.servers[0]?.group === 'services')).toBe(false);
  });

  test('continues if one list fails, and reports which one', async () => {
    const { rest } = workspaceOf((path, query) => {
      if (path === '/api/2.0/genie/spaces') throw failure('unavailable', 500);
      if (path === '/api/2.0/apps') throw failure('feature_unavailable', 404);
      if (query.parent === 'schemas/c_1.of_c_1_1') throw failure('permission_denied', 403);
      return large(path, query);
    });
    const { found, end } = await walk(rest);
    expect(found).toContain('c_9.of_c_9_9.tickets');
    expect(leftOutOf(end)).toEqual(['1 schema closed to you.', 'Genie spaces: The workspace answered 500.']);
  });

  test('asks again for a page that a busy workspace refuses, at most four times', async () => {
    let attempts = 0;
    const { rest } = workspaceOf((path, query) => {
      if (query.parent !== 'schemas/system.ai') return large(path, query);
      attempts += 1;
      throw failure('unexpected_answer', 499);
    });
    const { end } = await walk(rest, { groups: ['services'] });
    expect(attempts).toBe(4);
    expect(leftOutOf(end)).toEqual(['Services: The workspace answered 499.']);
  });

  test('counts the attempts that a busy workspace makes necessary, and stops at the limit', async () => {
    const { rest } = workspaceOf(large);
    let sent = 0;
    const busy: Rest = {
      ...rest,
      exchange: async (request) => {
        for (let attempt = 0; attempt < 3; attempt += 1) {
          if (attempt > 0) request.onRepeat?.();
          sent += 1;
        }
        return rest.exchange(request);
      },
    };
    const { end } = await walk(busy, { groups: ['services'], maxRequests: 50 });
    expect([sent, end.requests, end.stopped]).toEqual([50, 50, 'limit']);
  });

  test('waits less long for a list than a request of its own would be waited for', async () => {
    const { rest } = workspaceOf(large);
    const waits = new Set<number | undefined>();
    const noting: Rest = {
      ...rest,
      exchange: (request) => {
        waits.add(request.silenceMs);
        return rest.exchange(request);
      },
    };
    await walk(noting);
    expect([...waits]).toEqual([20_000]);
  });

  test('says of a service whose connection is deleted or inactive that it is', async () => {
    const service = (name: string, config?: object) => ({ name: `mcp-services/a.b.${name}`, config });
    const { rest } = workspaceOf(() => ({
      mcp_services: [
        service('kept', { source_connection: { name: 'connections/a.b.c', is_deleted: false } }),
        service('gone', { source_connection: { name: 'connections/a.b.c', is_deleted: true } }),
        service('failed', { connection: { status: 'FAILED' }, source_connection: null }),
        service('plain'),
      ],
    }));
    const { events } = await walk(rest, { within: 'a.b', groups: ['services'] });
    const found = events.flatMap((event) => (event.what === 'found' ? event.servers : []));
    expect(found.map(({ obstacle }) => obstacle)).toEqual([null, 'Connection deleted', 'Connection inactive', null]);
  });

  test('keeps what it has if a list repeats its page token', async () => {
    const { rest } = workspaceOf((path, query) =>
      path === `${UC}/mcp-services` ? { ...(large(path, query) as object), next_page_token: 'again' } : {},
    );
    const { found, end } = await walk(rest, { within: 'a.b', groups: ['services'] });
    expect(found).toEqual(['a.b.tickets']);
    expect(leftOutOf(end)).toEqual(['Services: The workspace keeps returning the same page of a list.']);
  });

  test.each([
    ['of services', `${UC}/mcp-services`],
    ['of catalogs', `${UC}/catalogs`],
    ['of Genie spaces', '/api/2.0/genie/spaces'],
  ])(
    'ends, with the results of the other lists, if a list %s returns a new page token forever',
    async (_what, endless) => {
      let token = 0;
      const { rest, asked } = workspaceOf((path, query) => {
        const page = large(path, query) as object;
        if (path !== endless) return page;
        token += 1;
        // Every other page is empty, as pages may be.
        return { ...(token % 2 === 0 ? {} : page), next_page_token: `token ${token}` };
      });
      const { found, end } = await walk(rest);
      expect(asked).toHaveLength(500);
      expect(end.stopped).toBe('limit');
      expect(found).toContain('system.ai.tickets');
      expect(new Set(found).size).toBe(found.length);
      expect(leftOutOf(end)[0]).toMatch(/^Stopped after 500 requests: .*not read\.$/);
    },
  );

  test('ends if tens of thousands of lists are left out', async () => {
    const { rest } = workspaceOf((path, query) => {
      if (path === `${UC}/schemas`) return { schemas: numbered(`of_${query.catalog_name}`, 4_000) };
      return large(path, query);
    });
    const { end } = await walk(rest);
    expect(leftOutOf(end)).toEqual([expect.stringMatching(/^Stopped after 500 requests: 3\d{4} schemas not read\.$/)]);
  });

  test('ends after five failures in a row', async () => {
    const { rest, asked } = workspaceOf((path, query) => {
      if (query.parent !== undefined && query.parent !== 'schemas/system.ai') throw failure('unreachable', 0);
      return large(path, query);
    });
    const { end } = await walk(rest, { groups: ['services'] });
    expect(end.stopped).toBe('failures');
    expect(asked.length).toBeLessThan(12 + 5 + 8);
  });

  test('fails if the sign-in is refused, and if nothing could be read', async () => {
    const refused = workspaceOf(() => {
      throw failure('unauthenticated', 401);
    });
    await expect(walk(refused.rest)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(refused.asked.length).toBeLessThanOrEqual(8);
    const gone = workspaceOf(() => {
      throw failure('unreachable', 0);
    });
    const events: WalkEvent[] = [];
    const walkAll = async () => {
      for await (const event of walkCatalog(gone.rest)) events.push(event);
    };
    await expect(walkAll()).rejects.toMatchObject({ code: 'unreachable' });
    expect(events.filter(({ what }) => what === 'found')).toEqual([]);
  });

  test('sends nothing more once it is canceled or abandoned', async () => {
    const work = new AbortController();
    const { rest, asked } = workspaceOf((path, query) => {
      if (path === `${UC}/schemas`) work.abort(new WorkspaceError('cancelled', 'Enough.'));
      return large(path, query);
    });
    await expect(walk(rest, { signal: work.signal })).rejects.toMatchObject({ code: 'cancelled' });
    const sent = asked.length;
    expect(sent).toBeLessThan(30);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(asked).toHaveLength(sent);

    const other = workspaceOf(large);
    for await (const event of walkCatalog(other.rest)) if (event.what === 'found') break;
    const left = other.asked.length;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(other.asked).toHaveLength(left);
  });
});
