import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../warehouses/harness.ts';
import { ProxyProcess } from './proxy-process.ts';
import { GITHUB, notOnWindows, PATH, SEARCH, setServiceStage } from './service-stage.ts';

const { stage, page, signInOnPage, startProxy, startApplication, calls, refreshes, textOf, isError, set, PLACES } =
  setServiceStage();

interface OtherRefusal {
  status: number;
  headers?: Record<string, string>;
  body: string;
}

const METADATA = 'https://elsewhere.test/.well-known/oauth-protected-resource';
const challenge = (header: string | undefined): OtherRefusal => ({
  status: 401,
  ...(header === undefined ? {} : { headers: { 'www-authenticate': header } }),
  body: JSON.stringify({ error_code: '401', message: 'Sign in.' }),
});
const elicitation = (...urls: unknown[]) => {
  const elicitations = urls.map((url, index) => ({ mode: 'url', elicitationId: `e${index}`, url, message: 'Sign in' }));
  return JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32042, message: 'Sign in', data: { elicitations } } });
};
const inJson = (body: string): OtherRefusal => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body,
});
const inEvents = (...frames: string[]): OtherRefusal => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: frames.map((frame) => `event: message\ndata: ${frame}\n\n`).join(''),
});
const LOGGED = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"asking GitHub"}}';

describe.concurrent('a refusal because of a missing sign-in', notOnWindows, () => {
  const refuse = (effect: OtherRefusal) =>
    stage.workspace.faults.add({ path: PATH, method: 'POST', effect: { kind: 'answer', ...effect } });

  it.each<[string, OtherRefusal]>([
    ['a challenge in different case', challenge(`bEARER   Resource_Metadata = "${METADATA}"`)],
    ['several challenges', challenge(`Negotiate, Basic realm="a, b", Bearer resource_metadata="${METADATA}", DPoP`)],
    ['a challenge of another scheme', challenge('Basic realm="GitHub"')],
    ['no challenge', challenge(undefined)],
    ['several addresses', inJson(elicitation('https://github.test/one', 'https://github.test/two'))],
    ['no address', inJson(elicitation())],
    ['an invalid address', inJson(elicitation(5))],
    ['a javascript: address', inJson(elicitation('javascript:alert(1)'))],
    ['a javascript: address after a valid one', inJson(elicitation('https://github.test/', 'javascript:alert(1)'))],
    ['an address of another host', inJson(elicitation('https://evil.test/mcp-service-login?name=system.ai.github'))],
    ['a file', inJson(elicitation('file:///etc/passwd'))],
    ['an error in an event stream, after a notification', inEvents(LOGGED, elicitation('https://github.test/'))],
  ])('opens the page of the workspace, reported with %s', async (_how, refusal) => {
    const proxy = await startProxy();
    await proxy.request(0, 'tools/list');
    refuse(refusal);
    const answer = proxy.request(1, 'tools/call', SEARCH);
    await signInOnPage();
    expect(textOf(await answer)).toContain('retry');
    expect(await stage.pages()).toEqual([page()]);
    expect([calls(), refreshes()]).toEqual([1, 0]);
  });

  it.each([
    ['javascript:alert(1)', page],
    ['https://evil.test/', () => 'https://evil.test/'],
  ])('with the address %s reaches a client that opens addresses only if it is safe', async (url, shown) => {
    const proxy = await startProxy('user', { elicitation: { url: {} } });
    await proxy.request(0, 'tools/list');
    refuse(inJson(elicitation(url)));
    void proxy.request(1, 'tools/call', SEARCH).catch(() => undefined);
    const asked = () =>
      proxy.frames.map((frame) => JSON.parse(String(frame))).find(({ method }) => method === 'elicitation/create');
    await stage.poll(asked).toMatchObject({ params: { url: shown() } });
  });

  it.each([
    { result: { action: 'cancel' } },
    { result: { action: 'decline' } },
    { error: { code: -32601, message: 'Method not found' } },
  ])('with an address of another host opens no page if the client answers %j', async (members) => {
    const proxy = await startProxy('user', { elicitation: { url: {} } });
    await proxy.request(0, 'tools/list');
    refuse(inJson(elicitation('https://evil.test/')));
    const answer = proxy.request(1, 'tools/call', SEARCH);
    const asked = () =>
      proxy.frames.map((frame) => JSON.parse(String(frame))).find(({ method }) => method === 'elicitation/create');
    await stage.poll(asked).toBeDefined();
    proxy.send({ jsonrpc: '2.0', id: asked().id, ...members });
    expect(textOf(await answer)).toContain(page());
    expect(textOf(await answer)).not.toContain('evil.test');
    expect(await stage.pages()).toEqual([]);
  });

  describe('of a batch', () => {
    const batchOfTwo = async () => {
      const proxy = new ProxyProcess(['--profile', 'user', '--path', PATH], stage.home.env);
      stage.atEnd(() => proxy.close());
      const clientInfo = { name: 'test', version: '1' };
      await proxy.open({ protocolVersion: '2025-03-26', capabilities: {}, clientInfo });
      proxy.send([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: SEARCH })));
      return () =>
        proxy.frames
          .flatMap((frame) => JSON.parse(String(frame)))
          .filter(({ id }) => id === 1 || id === 2)
          .map((answer) => JSON.stringify(answer));
    };

    it('opens one page if all of it was refused, and all of it continues', async () => {
      const told = await batchOfTwo();
      await signInOnPage();
      await stage.poll(told, { timeout: 20_000 }).toHaveLength(2);
      for (const words of told()) expect(words).toContain('retry');
      expect([await stage.pages(), refreshes(), calls()]).toEqual([[page()], 0, 4]);
    });

    it.each(['json', 'sse'] as const)(
      'is reported for each call with the link, and none is sent twice (%s)',
      async (answers) => {
        set({ signInSignal: 'elicitation', answers });
        const told = await batchOfTwo();
        await stage.poll(told).toHaveLength(2);
        for (const words of told()) expect(words).toContain(page());
        expect([await stage.pages(), refreshes(), calls()]).toEqual([[], 0, 2]);
      },
    );
  });

  it('opens one page for a client of the application and a standalone one, and outlasts one that gives up', async () => {
    const alone = await startProxy();
    await startApplication();
    const attached = await startProxy();
    const third = await startProxy();
    const answers = [alone, attached].map((proxy) => proxy.request(1, 'tools/call', SEARCH));
    void third.request(1, 'tools/call', SEARCH).catch(() => undefined);
    await stage.poll(calls).toBe(3);
    await stage.poll(stage.pages, { timeout: 20_000 }).toHaveLength(1);
    third.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await signInOnPage();
    for (const answer of answers) expect(textOf(await answer)).toContain('retry');
    expect([await stage.pages(), calls()]).toEqual([[page()], 5]);
  });

  it('occurs again if the user signs out between two calls', async () => {
    const proxy = await startProxy();
    const first = proxy.request(1, 'tools/call', SEARCH);
    await signInOnPage();
    expect(textOf(await first)).toContain('retry');
    stage.workspace.gateway.signOut('ben', GITHUB);
    await writeFile(join(stage.home.notes, 'opened'), '');
    const second = proxy.request(2, 'tools/call', SEARCH);
    await signInOnPage();
    expect(textOf(await second)).toContain('retry');
    expect(calls()).toBe(4);
  });
});

describe.concurrent('a service that refuses a call again after the sign-in', notOnWindows, () => {
  const RECORD = `/api/2.1/unity-catalog/mcp-services/${GITHUB}/user-credentials`;

  it('is reported as a missing sign-in if the user is not signed in anymore, and no new token is requested', async () => {
    const proxy = await startProxy();
    const answer = proxy.request(1, 'tools/call', SEARCH);
    await stage.poll(stage.pages, { timeout: 20_000 }).toHaveLength(1);
    const body = JSON.stringify({ provisioning_info: { state: 'ACTIVE' } });
    stage.workspace.faults.add({ path: RECORD, effect: { kind: 'answer', status: 200, body } });
    expect(textOf(await answer)).toMatch(/^You are not signed in to GitHub\. /);
    expect([await stage.pages(), calls(), refreshes()]).toEqual([[page()], 2, 0]);
  });

  it('is not blamed on the token if the workspace says that the user is signed in', async () => {
    stage.workspace.gateway.signIn('ben', GITHUB);
    const proxy = await startProxy();
    await proxy.request(0, 'tools/list');
    const effect = { kind: 'answer' as const, ...challenge(`Bearer resource_metadata="${METADATA}"`) };
    stage.workspace.faults.add({ path: PATH, method: 'POST', effect, times: 'always' });
    const answer = await proxy.request(1, 'tools/call', SEARCH);
    expect(isError(answer)).toBe(true);
    expect(textOf(answer)).toContain('although you are signed in to GitHub there.');
    expect(textOf(answer)).toContain(`causeway servers sign-out ${GITHUB} --profile user`);
    expect([await stage.pages(), refreshes()]).toEqual([[], 1]);
  });
});

describe.concurrent('the message for a user who cannot sign in on a page', notOnWindows, () => {
  it('says that a personal access token cannot sign in, with the link and the user who has to open it', async () => {
    const proxy = await startProxy('token');
    const answer = await proxy.request(1, 'tools/call', SEARCH);
    expect(isError(answer)).toBe(true);
    expect(textOf(answer)).toBe(
      `ben@example.com is not signed in to GitHub. Nothing was run. The token of profile "token" cannot sign in. Open the page in a browser where you are signed in to the workspace as ben@example.com, then try again: ${page()}`,
    );
    expect([await stage.pages(), calls()]).toEqual([[], 1]);
    stage.workspace.gateway.signIn('ben', GITHUB);
    expect(textOf(await proxy.request(2, 'tools/call', SEARCH))).toContain('retry');
  });

  it('says that a service principal cannot sign in at all, without a page', async () => {
    const proxy = await startProxy('agent');
    const answer = await proxy.request(1, 'tools/call', SEARCH);
    expect(textOf(answer)).toMatch(
      /^Each user must sign in to GitHub, and profile "agent" is a service principal\. Nothing was run\./,
    );
    expect(textOf(answer)).not.toContain(page());
    expect([await stage.pages(), calls()]).toEqual([[], 1]);
  });

  it('does not blame a token that cannot read the record, and no new one is requested', async () => {
    stage.workspace.faults.add({
      path: '/api/2.1/unity-catalog/mcp-services/*',
      effect: { kind: 'missing-scope', scope: 'unity-catalog' },
      times: 'always',
    });
    const proxy = await startProxy();
    const answer = await proxy.request(1, 'tools/call', SEARCH);
    expect(textOf(answer)).toContain('although the token is valid. GitHub may need its own sign-in. Nothing was run.');
    expect(textOf(answer)).toContain(page());
    expect([calls(), refreshes()]).toEqual([1, 0]);
  });
});

describe.concurrent('a refusal by a rule of the gateway', notOnWindows, () => {
  const path = '/ai-gateway/mcp-services/system.ai.web_search';
  const SEARCH_WEB = { name: 'web_search', arguments: { query: 'duckdb' } };
  const said = 'Customer names stay in the workspace';

  it.each(['json', 'sse'] as const)(
    'keeps its code and words, is sent once, and says who decided it (%s)',
    async (form) => {
      const proxy = await startProxy('user', {}, path);
      for (const [index, status] of [200, 401, 403, 404, 429, 503].entries()) {
        set({ refusals: [{ rule: 'policy', form, status }] });
        const { error } = await proxy.request(index, 'tools/call', SEARCH_WEB);
        expect([status, error]).toMatchObject([
          status,
          { code: -32003, message: expect.stringContaining(`${said}. Your administrators decided this`) },
        ]);
        expect(calls()).toBe(index + 1);
      }
      expect(refreshes()).toBe(0);
    },
  );

  it('is a row of `causeway activity` that names who refused', async () => {
    const proxy = await startProxy('user', {}, path);
    const rules = [
      'policy',
      'approval',
      'tool-selection',
      'guardrail',
      'network-policy',
      'suspended',
      'budget',
    ] as const;
    for (const [index, rule] of rules.entries()) {
      set({ refusals: [{ rule, form: rule === 'budget' ? 'rest' : 'json' }] });
      const { error } = await proxy.request(index, 'tools/call', SEARCH_WEB);
      expect(error?.message).toContain(rule === 'suspended' ? 'account admin' : 'Your administrators decided');
    }
    await proxy.finish();
    const { stdout } = await runCommand(stage.home.env, ['activity', '--failed']);
    const outcomes = [
      'service policy',
      'approval required',
      'tool not selected',
      'service policy',
      'network policy',
      'service suspended',
      'spend budget',
    ];
    expect(stdout.match(/refused: \S+( \S+)*/g)?.map((text) => text.trim())).toEqual(
      outcomes.map((what) => `refused: ${what}`),
    );
    expect(stdout).not.toContain(said);
  });

  it('that is a limit is waited for as the gateway asks, and then told with its words', async () => {
    const proxy = await startProxy('user', {}, path);
    set({ refusals: [{ rule: 'rate-limit-user', form: 'rest', retryAfter: '3600' }] });
    const { error } = await proxy.request(1, 'tools/call', SEARCH_WEB);
    expect(error?.message).toMatch(/\(429: User defined rate limit\(s\) exceeded .* for user\)\. .*each user/);
    expect(calls()).toBe(1);
  });

  it('that looks like a missing service says so', async () => {
    set({ missingExecute: 404 });
    stage.workspace.gateway.revoke('ben', 'system.ai.web_search');
    const proxy = new ProxyProcess(['--profile', 'user', '--path', path], stage.home.env);
    stage.atEnd(() => proxy.close());
    await proxy.open();
    const { result, error } = await proxy.request(1, 'tools/call', SEARCH_WEB);
    expect(JSON.stringify(result ?? error)).toContain('without EXECUTE on it');
  });
});

describe.concurrent('a policy that demands a tag', notOnWindows, () => {
  const path = '/ai-gateway/mcp-services/system.ai.web_search';
  const SEARCH_WEB = { name: 'web_search', arguments: { query: 'duckdb' } };
  const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const sent = (name: string, to = path) =>
    stage.workspace.requests.list({ path: to, method: 'POST' }).map(({ headers }) => headers[name]);
  const tagsSent = () => JSON.parse(sent('databricks-ai-gateway-request-tags').at(-1) ?? '{}');

  it.each(PLACES)('refuses a call without it, and takes one with it at once (%s)', async (_place, start) => {
    await start();
    set({ demandedTag: 'team' });
    const { env } = stage.home;
    const proxy = new ProxyProcess(['--profile', 'user', '--path', path], {
      ...env,
      AI_GATEWAY_REQUEST_TAGS: '{"run":"7"}',
    });
    stage.atEnd(() => proxy.close());
    await proxy.open({ clientInfo: { name: 'codex-mcp-client', version: '1' } });
    expect((await proxy.request(1, 'tools/call', SEARCH_WEB)).error?.message).toContain('Requests need the tag team.');
    await runCommand(env, ['settings', 'tags', 'set', 'team=Zürich']);
    const params = { ...SEARCH_WEB, _meta: { traceparent: TRACE } };
    expect(textOf(await proxy.request(2, 'tools/call', params))).toContain('duckdb');
    expect(tagsSent()).toMatchObject({ client: 'codex', team: 'Zürich', run: '7' });
    expect(sent('user-agent').at(-1)).toMatch(/^causeway\/\S+ node\/\S+ os\/\S+ auth\/oauth-user agent\/codex$/);
    expect(sent('traceparent').at(-1)).toBe(TRACE);
  });

  it('is of the gateway: the older servers get no tags, and the name of a stateless client comes with each request', async () => {
    await runCommand(stage.home.env, ['settings', 'tags', 'set', 'team=data']);
    const sql = '/api/2.0/mcp/sql';
    const older = await startProxy('user', {}, sql);
    await older.request(1, 'tools/list');
    expect([sent('databricks-ai-gateway-request-tags', sql).at(-1), sent('user-agent', sql).at(-1)]).toEqual([
      undefined,
      expect.stringMatching(/ agent\/test$/),
    ]);
    const proxy = new ProxyProcess(['--profile', 'user', '--path', path], stage.home.env);
    stage.atEnd(() => proxy.close());
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'My Client', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    await proxy.request(1, 'tools/list', { _meta });
    expect([sent('user-agent').at(-1), tagsSent()]).toEqual([
      expect.stringMatching(/ agent\/My-Client$/),
      expect.objectContaining({ client: 'My-Client', team: 'data' }),
    ]);
  });
});

describe.concurrent('other refusals of services', notOnWindows, () => {
  it('a 401 from a service that needs no sign-in is about the token, which is refreshed once, and opens no page', async () => {
    const path = '/ai-gateway/mcp-services/system.ai.web_search';
    const proxy = await startProxy('user', {}, path);
    // Not the server's own stream, whose new token may come after the answer.
    stage.workspace.faults.add({ path, method: 'POST', effect: { kind: 'refuse-token' } });
    const answer = await proxy.request(1, 'tools/call', { name: 'web_search', arguments: { query: 'duckdb' } });
    expect(textOf(answer)).toContain('duckdb');
    expect([await stage.pages(), refreshes()]).toEqual([[], 1]);
  });

  it.each(['401', '400'] as const)(
    'a token that has expired is refreshed once, refused with %s',
    async (rejectedToken) => {
      set({ rejectedToken });
      stage.workspace.gateway.signIn('ben', GITHUB);
      const proxy = await startProxy();
      stage.workspace.faults.expireAccessTokens();
      expect(textOf(await proxy.request(1, 'tools/call', SEARCH))).toContain('retry');
      expect([await stage.pages(), refreshes()]).toEqual([[], 1]);
    },
  );

  it('an elicitation of the service itself, whose user is signed in, reaches the client with its link', async () => {
    stage.workspace.gateway.signIn('ben', GITHUB);
    const proxy = await startProxy();
    const data = {
      elicitations: [{ mode: 'url', elicitationId: 'e', url: 'https://example.com/pay', message: 'Pay' }],
    };
    const error = { code: -32042, message: 'Payment is due', data };
    await proxy.request(0, 'tools/list');
    stage.workspace.faults.add({
      path: PATH,
      method: 'POST',
      effect: {
        kind: 'answer',
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, error }),
      },
    });
    expect((await proxy.request(1, 'tools/call', SEARCH)).error).toEqual({
      ...error,
      message: 'Payment is due. Open https://example.com/pay in a browser, then try again.',
    });
    expect(await stage.pages()).toEqual([]);
  });
});
