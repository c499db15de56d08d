import { describe, expect, it } from 'vitest';
import { explainFailure } from '../../../main/bridge/errors.ts';
import { Jobs } from '../../../main/desktop/jobs.ts';
import { describeConfiguredServer } from '../../../main/desktop/servers/describe.ts';
import { tableAsCsv } from '../../../main/desktop/servers/table.ts';
import { answerForWindow, toolForWindow } from '../../../main/desktop/servers/tools.ts';
import type { Trouble } from '../../../main/hub/health/health.ts';
import { CausewayError } from '../../../main/platform/errors.ts';
import { inOneLine } from '../../../main/words/failure.ts';
import type { ToolInfo } from '../../../preload/contract.ts';

describe('what a tool does, by its annotations', () => {
  it.each<[Record<string, unknown> | undefined, ToolInfo['effect']]>([
    [undefined, 'unknown'],
    [{}, 'unknown'],
    [{ readOnlyHint: true }, 'reads'],
    [{ readOnlyHint: true, destructiveHint: true }, 'reads'],
    [{ readOnlyHint: false }, 'destroys'],
    [{ readOnlyHint: false, destructiveHint: false }, 'changes'],
    [{ destructiveHint: true }, 'destroys'],
    [{ readOnlyHint: 'yes' }, 'unknown'],
  ])('is shown for %j: %s', (annotations, effect) => {
    const tool = annotations ? { annotations } : {};
    expect(toolForWindow({ name: 'x', inputSchema: {}, ...tool })).toMatchObject({
      effect,
      title: null,
      description: '',
    });
  });

  it('has the title of its annotations if it has none of its own', () => {
    expect(toolForWindow({ name: 'x', inputSchema: {}, annotations: { title: 'Find' } }).title).toBe('Find');
  });
});

describe('the part of an answer that reaches the window', () => {
  const partsOf = (...content: unknown[]) => answerForWindow({ content, isError: false }, 5).parts;

  it.each<[unknown, object]>([
    [
      { type: 'text', text: 'hello' },
      { type: 'text', text: 'hello', cut: 0 },
    ],
    [
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      { type: 'data', mimeType: 'image/png', bytes: 3 },
    ],
    [
      { type: 'resource_link', uri: 'file:///a' },
      { type: 'link', title: 'file:///a', uri: 'file:///a' },
    ],
    [
      { type: 'resource', resource: { uri: 'a', text: 'inside' } },
      { type: 'text', text: 'inside', cut: 0 },
    ],
    [
      { type: 'resource', resource: { uri: 'a', blob: 'AAAA', mimeType: 'application/pdf' } },
      { type: 'data', mimeType: 'application/pdf', bytes: 3 },
    ],
    [
      { type: 'of tomorrow', x: 1 },
      { type: 'text', text: '{\n  "type": "of tomorrow",\n  "x": 1\n}', cut: 0 },
    ],
  ])('has the form that the window accepts: %j', (content, part) => {
    expect(partsOf(content)).toEqual([part]);
  });

  it('is no longer than a user can read', () => {
    const [part] = partsOf({ type: 'text', text: 'a'.repeat(1_000_000) });
    expect(part).toMatchObject({ text: 'a'.repeat(200_000), cut: 800_000 });
  });

  it('is text if the structure is too large to show', () => {
    const structuredContent = { rows: Array.from({ length: 1_000_000 }, (_, number) => [number]) };
    const { structured, parts } = answerForWindow({ content: [], isError: false, structuredContent }, 5);
    expect(structured).toBeUndefined();
    expect(parts).toMatchObject([{ type: 'text', cut: expect.any(Number) }]);
  });
});

describe('a failure in a response that MCP counts as a success', () => {
  const failureOf = (structuredContent: unknown, content: unknown[] = []) =>
    answerForWindow({ content, isError: false, structuredContent }, 5).failure;
  const statement = (state: string, error?: unknown) => ({ statement_id: '1', status: { state, error } });

  it.each<[unknown, object | null]>([
    [
      statement('FAILED', { message: 'TABLE_OR_VIEW_NOT_FOUND', error_code: 'BAD_REQUEST' }),
      failed('TABLE_OR_VIEW_NOT_FOUND'),
    ],
    [{ status: 'FAILED', conversationId: 'c', error: 'No such column' }, failed('No such column')],
    [statement('CANCELED'), { state: 'CANCELED', message: 'The statement is canceled. The workspace gave no reason.' }],
    [statement('SUCCEEDED'), null],
    [statement('RUNNING'), null],
    [{ status: 'in_progress' }, null],
    [{ rows: [] }, null],
    ['FAILED', null],
    [undefined, null],
  ])('is found in %j', (structured, failure) => {
    expect(failureOf(structured)).toEqual(failure);
  });

  it('is found even if only a text holds it, and the text is shown once', () => {
    const body = statement('FAILED', { message: 'No' });
    const text = { type: 'text', text: JSON.stringify(body, null, 1) };
    expect(failureOf(undefined, [text])).toEqual(failed('No'));
    expect(answerForWindow({ content: [text], isError: false, structuredContent: body }, 5).parts).toEqual([]);
    expect(answerForWindow({ content: [text], isError: false }, 5).parts).toHaveLength(1);
  });

  function failed(message: string): object {
    return { state: 'FAILED', message };
  }
});

describe('a table as CSV', () => {
  it('keeps numbers as they are and neutralizes formulas', () => {
    const columns = ['name', 'balance'];
    const rows = [
      ['a, b', '-5.5'],
      ['=1+1', '+3'],
      ['-x', ''],
    ];
    const lines = ['name,balance', '"a, b",-5.5', "'=1+1,+3", "'-x,", ''];
    expect(tableAsCsv({ columns, rows }).split('\n')).toEqual(lines);
  });
});

describe('a server as the window shows it', () => {
  const server = { name: 'sql', profile: 'ana', kind: 'sql', path: '/api/2.0/mcp/sql' } as const;

  it.each([
    ['/api/2.0/mcp/sql', 'sql', 'x'],
    ['/ai-gateway/mcp-services/system.ai.dbsql', 'sql', 'x'],
    ['/api/2.0/mcp/genie/01ef', 'genie', 'x'],
    ['/ai-gateway/mcp-services/system.ai.genie_one_mcp', 'genie', 'Genie One'],
    ['/api/2.0/mcp/functions/main/default', 'functions', 'main.default'],
    ['/api/2.0/mcp/functions/main/m%C3%BCller/f', 'functions', 'main.müller.f'],
    ['/api/2.0/mcp/vector-search/main/support', 'search', 'main.support'],
    ['/api/2.0/mcp/ai-search/main/support/faq', 'search', 'main.support.faq'],
    ['/ai-gateway/mcp-services/system.ai.github', 'service', 'GitHub'],
    ['/ai-gateway/mcp-services/main.tools.crm', 'service', 'main.tools.crm'],
    ['/api/2.0/mcp/external/issue_tracker', 'connection', 'issue_tracker'],
    ['/apps/mcp-reports/mcp', 'app', 'mcp-reports'],
    ['/api/2.0/mcp/of/tomorrow', 'other', 'x'],
  ])('at %s is of type %s and called %s', (path, type, title) => {
    const health = { name: 'connecting' } as const;
    const shown = (more: object) =>
      describeConfiguredServer({ ...server, name: 'x', kind: 'other', path, ...more }, { health, now: 0 });
    expect(shown({})).toMatchObject({ type, title });
  });

  it('is called by the title of its Genie space, and by a newer one if that is known', () => {
    const space = { ...server, name: 'genie-7191', kind: 'genie', path: '/api/2.0/mcp/genie/01ef7191' } as const;
    const titleOf = (stored?: string, title?: string) =>
      describeConfiguredServer(
        { ...space, ...(stored ? { title: stored } : {}) },
        { health: { name: 'connecting' }, title, now: 0 },
      ).title;
    expect([titleOf(), titleOf('Orders'), titleOf(undefined, 'Sales'), titleOf('Orders', 'Sales')]).toEqual([
      'genie-7191',
      'Orders',
      'Sales',
      'Sales',
    ]);
  });

  it('names its replacement', () => {
    const successorOf = (path: string) =>
      describeConfiguredServer({ ...server, path }, { health: { name: 'connecting' }, now: 0 }).successor;
    expect(successorOf('/api/2.0/mcp/sql')).toBe('Databricks SQL');
    expect(successorOf('/ai-gateway/mcp-services/system.ai.dbsql')).toBeNull();
  });

  it('has its tools if it is ready', () => {
    const { state } = describeConfiguredServer(server, { health: { name: 'ready', tools: 3, checkedAt: 0 }, now: 0 });
    expect(state).toMatchObject({ status: 'ready', tools: 3, label: 'Running, 3 tools', retryAt: null, action: null });
  });

  /** How a server is shown at which this happened. */
  const shownAfter = (error: CausewayError, name: Trouble, hasCredentials = false) =>
    describeConfiguredServer(server, { health: { name, problem: error, until: 900 }, hasCredentials, now: 0 }).state;

  it('says what is wrong in a complete sentence, and when it is probed again', () => {
    const error = new CausewayError('not_found', 'No such space', { remedy: 'Check the path.' });
    expect(shownAfter(error, 'not-found')).toMatchObject({
      words: 'No such space.',
      remedy: 'Check the path.',
      retryAt: 900,
      tools: null,
      action: 'check-again',
    });
  });

  it('offers a button if the service names a command', () => {
    const action = { do: 'sign-in', profile: 'ana' } as const;
    const signedOut = new CausewayError('signed_out', 'You are signed out.', { action });
    expect(shownAfter(signedOut, 'signed-out')).toMatchObject({
      action: 'sign-in',
      remedy: 'Sign in with your browser.',
    });
    const noCli = new CausewayError('cli_unavailable', 'There is none.', { remedy: 'Install it.', action });
    expect(shownAfter(noCli, 'signed-out')).toMatchObject({
      action: 'sign-in',
      remedy: 'Install it. Sign in with your browser.',
    });
  });

  it.each<[status: number, body: object, name: Trouble, remedy: string]>([
    [
      401,
      {},
      'signed-out',
      'Sign in to ana again. If that does not help, /api/2.0/mcp/sql belongs to another workspace.',
    ],
    [
      403,
      { error_code: 'PERMISSION_DENIED', message: 'Provided OAuth token does not have required scopes: sql' },
      'forbidden',
      'Sign in to ana again and grant the missing scope.',
    ],
  ])('offers to sign in after a refusal with %i', (status, body, name, remedy) => {
    const failure = { kind: 'refused', head: { status, headers: {} }, text: JSON.stringify(body) } as const;
    const error = explainFailure(failure, { ...server, host: 'acme.example', by: 'oauth-user' }, 'tools/list');
    expect(shownAfter(error, name)).toMatchObject({ action: 'sign-in', remedy });
    expect(inOneLine(error)).toContain('`causeway login --profile ana`');
  });

  it('says whose decision a refusal is, with the words of the server', () => {
    const said = 'Access to a.test is denied because of serverless network policy.';
    const failure = {
      kind: 'refused',
      head: { status: 403, headers: {} },
      text: `CUSTOMER_UNAUTHORIZED: ${said}`,
    } as const;
    const error = explainFailure(failure, { ...server, host: 'acme.example', by: 'oauth-user' }, 'tools/list');
    expect(shownAfter(error, 'forbidden')).toMatchObject({
      label: 'Refused: network policy',
      words: expect.stringContaining(said),
      remedy: expect.stringMatching(/^Your administrators decided this/),
      isDecided: true,
    });
  });

  it('leads to the screen that can fix its profile', () => {
    const action = { do: 'add-workspace', profile: 'gone' } as const;
    const gone = new CausewayError('profile_not_found', 'There is no profile "gone".', { action });
    expect(shownAfter(gone, 'failing')).toMatchObject({
      action: 'accounts',
      remedy: 'Check its profile on the Accounts screen, or remove this server.',
    });
  });

  it('offers no sign-in to a user with a personal token', () => {
    const remedy = 'Make a new one in the workspace.';
    const refused = new CausewayError('unauthenticated', 'The token has expired.', { remedy });
    expect(shownAfter(refused, 'signed-out', true)).toMatchObject({ action: 'accounts', remedy });
  });
});

describe('work that the window has started', () => {
  it('ends when it is canceled, by its own id only', async () => {
    const jobs = new Jobs();
    const until = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const [one, other] = [jobs.run('one', until), jobs.run('other', until)];
    jobs.cancel('nobody');
    jobs.cancel('one');
    await expect(one).rejects.toMatchObject({ code: 'cancelled' });
    expect(await Promise.race([other, 'still running'])).toBe('still running');
    jobs.cancel('other');
    await expect(other).rejects.toMatchObject({ code: 'cancelled' });
  });
});
