import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serverListPath } from '../../../main/platform/paths.ts';
import { largeCatalog } from '../../workspace/large-catalog.ts';
import { type CommandLine, openCommandLine, runCommand } from '../warehouses/harness.ts';

/** `causeway servers browse`, and `servers add` of what it names. */

const UC = '/api/2.1/unity-catalog';
let small: CommandLine;

beforeAll(async () => {
  small = await openCommandLine();
});
afterAll(() => small[Symbol.asyncDispose]());

interface Browsed {
  servers: { group: string; add: string; title: string; obstacle: string | null; successor: string | null }[];
  requests: number;
  isComplete: boolean;
  leftOut: string[];
}

const browse = async (profile: string, ...args: string[]) =>
  (await small.json(profile, 'servers', 'browse', '--json', ...args)) as Browsed;
const addsOf = ({ servers }: Browsed) => servers.map(({ add }) => add);

describe('what a workspace offers', () => {
  test.each([
    ['sql', ['system.ai.dbsql', '/api/2.0/mcp/sql']],
    ['genie', ['system.ai.genie_one_mcp', expect.stringMatching(/^genie:01ef/), expect.stringMatching(/^genie:01ef/)]],
    [
      'search',
      [
        'search:main.support',
        'search:main.support.articles_index',
        'search:main.support.faq_index',
        'search:main.support.images_index',
      ],
    ],
    [
      'functions',
      [
        'functions:main.default',
        'functions:main.default.fare_with_tip',
        'functions:main.default.initials',
        'functions:main.default.busiest_pickup_zips',
      ],
    ],
    [
      'services',
      [
        'system.ai.web_search',
        'system.ai.github',
        'system.ai.slack',
        'system.ai.google_drive',
        'main.support.tickets',
        'main.support.archive',
      ],
    ],
    ['connections', ['connection:issue_tracker']],
    ['apps', ['app:mcp-inventory', 'app:mcp-forecast', 'app:mcp-reports', 'app:mcp-broken']],
  ])('is found by kind: %s', async (kind, expected) => {
    const found = await browse('ben', '--kind', kind);
    expect(addsOf(found).toSorted()).toEqual(expected.toSorted());
    expect(found.isComplete).toBe(true);
    expect(new Set(found.servers.map(({ group }) => group))).toEqual(new Set([kind]));
  });

  test('is grouped, each group once, with what blocks it', async () => {
    const { code, stdout, stderr } = await small.run('ben', 'servers', 'browse');
    expect(code).toBe(0);
    const headings = stdout.split('\n').filter((line) => /^[A-Z]/.test(line));
    expect(headings.toSorted()).toEqual(['Apps', 'Connections', 'Functions', 'Genie', 'SQL', 'Search', 'Services']);
    expect(stdout).toMatch(/^ {2}genie:\S+ +New York taxi trips/m);
    expect(stdout).toMatch(/^ {2}\/api\/2\.0\/mcp\/sql +.*Newer, where it is switched on: system\.ai\.dbsql\.$/m);
    expect(stdout).toMatch(/images_index +Not searchable: it manages its own embeddings/);
    expect(stdout).toMatch(/app:mcp-reports +Stopped/);
    expect(stdout).not.toContain('mcp-payroll');
    expect(stderr).toContain('Left out: 1 app whose name does not begin with mcp-. --all shows them.');
    expect(stderr).toMatch(/for example: causeway servers add \S+ --profile ben\n$/);
  });

  test('is not offered to users who cannot use it', async () => {
    expect(addsOf(await browse('chloe'))).not.toContain('system.ai.slack');
  });

  test('is searched by name, title and comment', async () => {
    expect(addsOf(await browse('ben', '--search', 'support desk'))).toEqual(['main.support.tickets']);
    expect(addsOf(await browse('ben', '--search', 'TAXI')).length).toBe(1);
    const nothing = await small.run('ben', 'servers', 'browse', '--search', 'nowhere');
    expect([nothing.code, nothing.stdout, nothing.stderr]).toEqual([0, '', 'Nothing matches "nowhere".\n']);
  });

  test('is searched in one catalog or schema, and says what is wrong with another place', async () => {
    const found = await browse('ben', '--in', 'main.default');
    expect(found.servers.map(({ group }) => group)).toEqual(['functions', 'functions', 'functions', 'functions']);
    const said = async (...args: string[]) => {
      const { code, stdout, stderr } = await small.run('ben', 'servers', 'browse', ...args);
      return [code, stdout, stderr];
    };
    const none = 'The workspace of profile ben offers you no such server in nowhere.\n';
    expect(await said('--in', 'nowhere')).toEqual([0, '', none]);
    expect(await said('--in', 'a.b.c')).toEqual([2, '', expect.stringContaining('CATALOG.SCHEMA, not "a.b.c".')]);
    const apps = 'Servers of the kind apps, genie are in no catalog.';
    expect(await said('--in', 'main', '--kind', 'apps', 'genie')).toEqual([2, '', expect.stringContaining(apps)]);
  });

  test('is added by what is in the first column', async () => {
    const add = async (word: string) =>
      ((await small.json('ben', 'servers', 'add', word, '--json')) as { server: object }).server;
    expect(await add('system.ai.github')).toMatchObject({
      name: 'system-ai-github',
      path: '/ai-gateway/mcp-services/system.ai.github',
    });
    const [taxi] = small.workspace.state.genieSpaces;
    expect(await add('genie:new york taxi trips')).toMatchObject({
      name: 'new-york',
      title: 'New York taxi trips',
      kind: 'genie',
      path: `/api/2.0/mcp/genie/${taxi?.spaceId}`,
    });
    expect(await add('search:main.support.faq_index')).toMatchObject({
      kind: 'vector-search',
      path: '/api/2.0/mcp/ai-search/main/support/faq_index',
    });
    expect(await add('functions:main.default')).toMatchObject({ path: '/api/2.0/mcp/functions/main/default' });
    expect(await add('connection:issue_tracker')).toMatchObject({ path: '/api/2.0/mcp/external/issue_tracker' });
    const unknown = await small.run('ben', 'servers', 'add', 'genie:nowhere');
    expect([unknown.code, unknown.stderr]).toEqual([
      4,
      expect.stringContaining('"nowhere" matches none of the 2 Genie spaces that you can open.'),
    ]);
    const ambiguous = await small.run('ben', 'servers', 'add', 'genie:r');
    expect([ambiguous.code, ambiguous.stderr]).toEqual([2, expect.stringContaining('"r" matches 2 Genie spaces')]);
    expect((await small.run('ben', 'servers', 'add', 'nonsense:x')).code).toBe(2);
    const { stdout } = await runCommand(small.env, ['servers']);
    expect(stdout).toMatch(/^system-ai-github +service +ben /m);
    expect(stdout).toMatch(/^issue-tracker +connection +ben /m);
  });

  test('has one line for each title, whatever characters it contains', async () => {
    const { genieSpaces } = small.workspace.state;
    const [space] = genieSpaces;
    const titles = ['A\u001b]0;b\u0007\u202ec', 'Two\nlines', 'L'.repeat(5_000), 'Umsatz 🚀', 'Umsatz 🚀', ' \t '];
    const ids = titles.map((_, index) => String(index).repeat(32));
    const before = genieSpaces.length;
    for (const [index, title] of titles.entries()) {
      if (space) genieSpaces.push({ ...space, title, spaceId: ids[index] ?? '' });
    }
    const { stdout } = await small.run('ben', 'servers', 'browse', '--kind', 'genie');
    const twice = await small.run('ben', 'servers', 'add', 'genie:UMSATZ 🚀');
    genieSpaces.length = before;
    const lines = stdout.split('\n').filter((line) => ids.some((id) => line.includes(id)));
    expect(lines).toHaveLength(titles.length);
    expect(lines.every((line) => line.length < 250)).toBe(true);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u202e]/);
    expect(lines.at(-1)).toContain('Untitled Genie space');
    expect(twice.stderr).toMatch(new RegExp(`\\(genie:${ids[3]}\\), .*\\(genie:${ids[4]}\\)\\. Use .*the id\\.`));
  });

  test('is read completely if a page is refused temporarily (429) and a schema is forbidden', async () => {
    const limit = { kind: 'rate-limit', retryAfter: '0' } as const;
    small.workspace.faults.add({ path: `${UC}/mcp-services`, effect: limit, times: 2 });
    const denied = { kind: 'answer', status: 403, body: '{"error_code":"PERMISSION_DENIED","message":"No."}' } as const;
    small.workspace.faults.add({ path: `${UC}/functions`, effect: denied });
    small.workspace.requests.clear();
    const found = await browse('ben');
    small.workspace.faults.clear();
    expect(addsOf(found)).toContain('main.support.tickets');
    expect(found.requests).toBe(small.workspace.requests.count());
    expect(found.leftOut).toContain('1 schema closed to you.');
  });

  test('is not added at a path that no server has, and listed if the list has it', async () => {
    const path = '/api/2.0/mcp/vector-search/main/100%';
    const refused = await small.run('ben', 'servers', 'add', '--path', path);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('contains "100%"')]);
    const list = serverListPath(small.env);
    const before = await readFile(list, 'utf8').catch(() => '{"servers":[]}');
    const added = { name: 'by-hand', profile: 'ben', kind: 'other', path };
    await writeFile(list, JSON.stringify({ servers: [...JSON.parse(before).servers, added] }));
    const { stdout, code } = await runCommand(small.env, ['servers', '--json']);
    expect([code, JSON.parse(stdout).servers]).toEqual([
      0,
      expect.arrayContaining([expect.objectContaining({ path })]),
    ]);
    await writeFile(list, before);
  });

  test('is added by its address in the workspace, and by no other address', async () => {
    const add = (path: string) => small.run('ben', 'servers', 'add', '--path', path, '--dry-run', '--no-check');
    const { stdout } = await add(`${small.workspace.host}/api/2.0/mcp/functions/main/sales`);
    expect(stdout).toContain('Would add functions-sales: /api/2.0/mcp/functions/main/sales as ben');
    const { code, stderr } = await add('https://example.com/api/2.0/mcp/sql');
    expect([code, stderr]).toEqual([2, expect.stringContaining(`does not belong to ${small.workspace.host}.`)]);
  });

  test('is reported as refused if the token is', async () => {
    small.workspace.faults.add({ path: '/api/*', effect: { kind: 'refuse-token' }, times: 'always' });
    const { code, stdout } = await small.run('ben', 'servers', 'browse');
    small.workspace.faults.clear();
    expect([code, stdout]).toEqual([3, '']);
  });
});

describe('a catalog of 50 × 40 × 20 services', () => {
  let large: CommandLine;
  beforeAll(async () => {
    large = await openCommandLine({ state: largeCatalog({ catalogs: 50, schemas: 40, services: 20 }) });
  });
  afterAll(() => large[Symbol.asyncDispose]());

  test('is read with 500 requests, eight at once, and one line says what was left out', async () => {
    large.workspace.requests.clear();
    const { code, stdout, stderr } = await large.run('ben', 'servers', 'browse');
    expect(code).toBe(0);
    expect(large.workspace.requests.count()).toBe(500);
    expect(large.workspace.requests.mostAtOnce()).toBeLessThanOrEqual(8);
    expect(stdout.split('\n').length).toBeGreaterThan(2_000);
    expect(stdout).toContain('catalog_49.schema_00.service_00');
    const [left = ''] = stderr.split('\n');
    expect(left).toMatch(/^Left out: Stopped after 500 requests: \d+ schemas not read\. .*Narrow it with --in CATALOG/);
    const asked = large.workspace.requests.list({ path: `${UC}/mcp-services` });
    expect(asked.every(({ query }) => query.parent !== undefined && query.view === 'BASIC')).toBe(true);
  });

  test('is read completely with --all, and in part with --in', async () => {
    const all = await large.json('ben', 'servers', 'browse', '--kind', 'services', '--all', '--json');
    expect(addsOf(all as Browsed).filter((add) => add.startsWith('catalog_'))).toHaveLength(50 * 36 * 20);
    expect((all as Browsed).requests).toBeLessThan(2_100);
    large.workspace.requests.clear();
    const one = await large.json('ben', 'servers', 'browse', '--kind', 'services', '--in', 'catalog_33', '--json');
    expect(addsOf(one as Browsed)).toHaveLength(36 * 20);
    expect(large.workspace.requests.count()).toBeLessThan(45);
  });

  test('is searched first if its name is part of the search', async () => {
    const found = await large.json('ben', 'servers', 'browse', '--json', '--search', 'catalog_33.schema_02.service_01');
    expect(addsOf(found as Browsed)).toEqual(['catalog_33.schema_02.service_01']);
  });

  test('stops at once on Ctrl+C: exit code 130, and no further request', async () => {
    large.workspace.requests.clear();
    large.workspace.faults.add({ path: `${UC}/*`, effect: { kind: 'delay', milliseconds: 40 }, times: 'always' });
    const running = large.run('ben', 'servers', 'browse');
    await expect.poll(() => large.workspace.requests.count(), { interval: 5 }).toBeGreaterThan(60);
    process.emit('SIGINT');
    expect((await running).code).toBe(130);
    const sent = large.workspace.requests.count();
    expect(sent).toBeLessThan(500);
    await large.run('ben', 'servers', 'list').catch(() => undefined);
    large.workspace.faults.clear();
    await expect.poll(() => large.workspace.requests.list().filter(({ ended }) => ended === undefined)).toEqual([]);
    expect(large.workspace.requests.count()).toBe(sent);
  });
});
