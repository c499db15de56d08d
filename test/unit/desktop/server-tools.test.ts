import { describe, expect, it } from 'vitest';
import { explainFailure } from '../../../main/bridge/errors.ts';
import { Jobs } from '../../../main/desktop/servers/handlers.ts';
import { describeConfiguredServer } from '../../../main/desktop/servers/servers.ts';
import { answerForWindow, toolForWindow } from '../../../main/desktop/servers/tools.ts';
import type { Trouble } from '../../../main/hub/health/health.ts';
import { CausewayError, inOneLine } from '../../../main/platform/errors.ts';
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
  ])('is told of %j: %s', (annotations, effect) => {
    const tool = annotations ? { annotations } : {};
    expect(toolForWindow({ name: 'x', inputSchema: {}, ...tool })).toMatchObject({
      effect,
      title: null,
      description: '',
    });
  });

  it('has the title of its annotations where it has none of its own', () => {
    expect(toolForWindow({ name: 'x', inputSchema: {}, annotations: { title: 'Find' } }).title).toBe('Find');
  });
});

describe('what crosses of an answer', () => {
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
  ])('has the form that the window takes: %j', (content, part) => {
    expect(partsOf(content)).toEqual([part]);
  });

  it('is no more of a text than a user can read', () => {
    const [part] = partsOf({ type: 'text', text: 'a'.repeat(1_000_000) });
    expect(part).toMatchObject({ text: 'a'.repeat(200_000), cut: 800_000 });
  });

  it('is a text where the structure is too large to be shown', () => {
    const structuredContent = { rows: Array.from({ length: 100_000 }, (_, number) => [number]) };
    const { structured, parts } = answerForWindow({ content: [], isError: false, structuredContent }, 5);
    expect(structured).toBeUndefined();
    expect(parts).toMatchObject([{ type: 'text', cut: expect.any(Number) }]);
  });
});

describe('a server as the window shows it', () => {
  const server = { name: 'sql', profile: 'ana', kind: 'sql', path: '/api/2.0/mcp/sql' } as const;

  it('has its tools where it is ready', () => {
    const { state } = describeConfiguredServer(server, { name: 'ready', tools: 3, checkedAt: 0 }, 0);
    expect(state).toMatchObject({ status: 'ready', tools: 3, label: 'Running, 3 tools', retryAt: null, action: null });
  });

  /** How a server is shown at which this happened. */
  const shownAfter = (error: CausewayError, name: Trouble) =>
    describeConfiguredServer(server, { name, problem: error, until: 900 }, 0).state;

  it('says what is wrong in a whole sentence, and when it is asked again', () => {
    const error = new CausewayError('not_found', 'No such space', { remedy: 'Check the path.' });
    expect(shownAfter(error, 'not-found')).toMatchObject({
      words: 'No such space.',
      remedy: 'Check the path.',
      retryAt: 900,
      tools: null,
      action: 'check-again',
    });
  });

  it('offers a button where the services name a command', () => {
    const action = { do: 'sign-in', profile: 'ana' } as const;
    const signedOut = new CausewayError('signed_out', 'You are signed out.', { action });
    expect(shownAfter(signedOut, 'signed-out')).toMatchObject({
      action: 'sign-in',
      remedy: 'Sign in: a page opens in your browser.',
    });
    const noCli = new CausewayError('cli_unavailable', 'There is none.', { remedy: 'Install it.', action });
    expect(shownAfter(noCli, 'signed-out')).toMatchObject({
      action: 'sign-in',
      remedy: 'Install it. Sign in: a page opens in your browser.',
    });
  });

  it.each<[status: number, body: object, name: Trouble, remedy: string]>([
    [
      401,
      {},
      'signed-out',
      'Sign in to ana again: a page opens in your browser. If that does not help, /api/2.0/mcp/sql belongs to another workspace than that profile.',
    ],
    [
      403,
      { error_code: 'PERMISSION_DENIED', message: 'Provided OAuth token does not have required scopes: sql' },
      'forbidden',
      'Sign in to ana again and grant the missing scope: a page opens in your browser.',
    ],
  ])('offers to sign in after a refusal with %i', (status, body, name, remedy) => {
    const failure = { kind: 'refused', head: { status, headers: {} }, text: JSON.stringify(body) } as const;
    const error = explainFailure(failure, { ...server, host: 'acme.example', by: 'oauth-user' }, 'tools/list');
    expect(shownAfter(error, name)).toMatchObject({ action: 'sign-in', remedy });
    expect(inOneLine(error)).toContain('`causeway login --profile ana`');
  });

  it('leads to the screen where its profile is put right', () => {
    const action = { do: 'add-workspace', profile: 'gone' } as const;
    const gone = new CausewayError('profile_not_found', 'There is no profile "gone".', { action });
    expect(shownAfter(gone, 'failing')).toMatchObject({
      action: 'accounts',
      remedy: 'Look at its profile on the Accounts screen, or remove the server here.',
    });
  });

  it('offers no sign-in to who has a token of their own', () => {
    const remedy = 'Make a new one in the workspace.';
    const refused = new CausewayError('unauthenticated', 'The token has expired.', { remedy });
    expect(shownAfter(refused, 'signed-out')).toMatchObject({ action: 'accounts', remedy });
  });
});

describe('work that the window has started', () => {
  it('ends when it is cancelled, by its own id alone', async () => {
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
