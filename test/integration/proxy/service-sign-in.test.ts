import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withEdit } from '../../../main/permissions/permissions.ts';
import { PermissionsFile } from '../../../main/permissions/permissions-file.ts';
import { serverKey } from '../../../main/permissions/server-key.ts';
import { scriptedBrowser } from '../auth/scripted-browser.ts';
import { GITHUB, LIST_CHANGED, notOnWindows, PATH, SEARCH, SIGNALS, setServiceStage } from './service-stage.ts';
import { listTools, signInTool } from './sign-in-tool.ts';

const { stage, page, signInOnPage, startProxy, calls, refreshes, textOf, isError, set, PLACES } = setServiceStage();

describe.concurrent('a call to a service that the user is not signed in to', notOnWindows, () => {
  describe.each(PLACES)('%s', (_place, arrange) => {
    it.each(SIGNALS)(
      'waits for the user on one page and then continues, refused with %s',
      async (_signal, settings) => {
        set(settings);
        await arrange();
        const proxy = await startProxy();
        const answer = proxy.request(1, 'tools/call', SEARCH);
        await signInOnPage();
        expect(textOf(await answer)).toContain('retry');
        expect(isError(await answer)).not.toBe(true);
        expect(await stage.pages()).toEqual([page()]);
        // Refused once, sent once more after the sign-in; no token was asked for.
        expect([calls(), refreshes()]).toEqual([2, 0]);
      },
    );

    it('opens one page for four clients, all of which are answered, and none for a client that comes later', async () => {
      await arrange();
      const proxies = await Promise.all([1, 2, 3, 4].map(() => startProxy()));
      const answers = proxies.map((proxy) => proxy.request(1, 'tools/call', SEARCH));
      await stage.poll(calls).toBe(4);
      await signInOnPage();
      for (const answer of answers) expect(textOf(await answer)).toContain('retry');
      const later = await startProxy();
      expect(textOf(await later.request(1, 'tools/call', SEARCH))).toContain('retry');
      expect(await stage.pages()).toHaveLength(1);
      expect([calls(), refreshes()]).toEqual([9, 0]);
    });
  });

  describe.each([
    ['forbids it', { off: ['search_code'] }, 'The user has turned off "search_code" on this server. Nothing was run.'],
    ['asks first', { ask: ['search_code'] }, '"search_code" now needs the user\'s permission for each call'],
  ])('after whose sign-in a permission %s', (_what, edit, words) => {
    it.each(PLACES)('is not sent again, %s', async (_place, arrange) => {
      await arrange();
      const proxy = await startProxy();
      const answer = proxy.request(1, 'tools/call', SEARCH);
      await stage.poll(stage.pages, { timeout: 20_000 }).toHaveLength(1);
      await new PermissionsFile(stage.home.env).change((now) =>
        withEdit(now, { server: serverKey(stage.workspace.host, PATH) }, edit),
      );
      await signInOnPage();
      expect(textOf(await answer)).toContain(words);
      expect([isError(await answer), calls()]).toEqual([true, 1]);
    });
  });

  it('is answered before its client gives up if nobody signs in, and succeeds at the next try', async () => {
    const proxy = await startProxy();
    const waiting = await proxy.request(1, 'tools/call', SEARCH);
    expect([isError(waiting), calls()]).toEqual([true, 1]);
    expect(textOf(waiting)).toBe(
      `The user has not signed in to GitHub yet. Nothing was run. A page is open in the browser: the user must sign in there, then try again. If the page cannot be found, open ${page()}`,
    );
    await signInOnPage();
    expect(textOf(await proxy.request(2, 'tools/call', SEARCH))).toContain('retry');
    expect(await stage.pages()).toEqual([page()]);
  });

  it('is not sent again if the client cancels it while the user is at the page', async () => {
    const proxy = await startProxy();
    void proxy.request(1, 'tools/call', SEARCH).catch(() => undefined);
    await stage.poll(stage.pages).toHaveLength(1);
    proxy.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await signInOnPage();
    expect(textOf(await proxy.request(2, 'tools/call', SEARCH))).toContain('retry');
    expect(calls()).toBe(2);
  });

  it('is answered with the link as text for the model, if the browser cannot be opened', async () => {
    await writeFile(join(stage.home.folder, 'bin', 'xdg-open'), '#!/bin/sh\nexit 3\n');
    const proxy = await startProxy();
    const answer = await proxy.request(1, 'tools/call', SEARCH);
    expect(isError(answer)).toBe(true);
    expect(textOf(answer)).toMatch(
      /^You are not signed in to GitHub\. The browser could not be opened\. Nothing was run\. /,
    );
    expect(textOf(answer)).toContain(page());
    expect([calls(), refreshes()]).toEqual([1, 0]);
  });

  it('works in a workspace that knows only one form of the credentials API', async () => {
    for (const [known, missing] of [
      ['serviceCredentials', 'connectionCredentials'],
      ['connectionCredentials', 'serviceCredentials'],
    ] as const) {
      Object.assign(stage.workspace.features, { [known]: true, [missing]: false });
      stage.workspace.gateway.signOut('ben', GITHUB);
      await writeFile(join(stage.home.notes, 'opened'), '');
      const proxy = await startProxy();
      const answer = proxy.request(1, 'tools/call', SEARCH);
      await signInOnPage();
      expect(textOf(await answer)).toContain('retry');
    }
  });

  it('waits until the credential is active, shortly after the sign-in', async () => {
    set({ activationMs: 3_000 });
    const proxy = await startProxy();
    const answer = proxy.request(1, 'tools/call', SEARCH);
    await signInOnPage();
    expect(textOf(await answer)).toContain('retry');
    expect(calls()).toBe(2);
  });

  it.each([
    ['', {}],
    [', with permissions for the server', { off: ['delete_repository'] }],
  ])('goes to its client if that opens addresses, and continues when the user is done%s', async (_with, edit) => {
    const scope = { server: serverKey(stage.workspace.host, PATH) };
    await new PermissionsFile(stage.home.env).change((now) => withEdit(now, scope, edit));
    const proxy = await startProxy('user', { elicitation: { url: {} } });
    const answer = proxy.request(1, 'tools/call', SEARCH);
    const asked = async () =>
      proxy.frames.map((frame) => JSON.parse(String(frame))).find(({ method }) => method === 'elicitation/create');
    await stage.poll(asked).toMatchObject({
      params: { mode: 'url', url: page(), message: 'Sign in to GitHub.', elicitationId: expect.any(String) },
    });
    const { id, params } = await asked();
    proxy.send({ jsonrpc: '2.0', id, result: { action: 'accept' } });
    await scriptedBrowser().open(params.url);
    expect(textOf(await answer)).toContain('retry');
    await stage
      .poll(() => proxy.frames.map(String).join())
      .toContain(`"notifications/elicitation/complete","params":{"elicitationId":"${params.elicitationId}"}`);
    expect(await stage.pages()).toEqual([]);
    expect(calls()).toBe(2);
  });

  it.each(['decline', 'cancel'])('is not run if the user answers %s, and says so with the link', async (action) => {
    const proxy = await startProxy('user', { elicitation: { url: {} } });
    const answer = proxy.request(1, 'tools/call', SEARCH);
    await proxy.until(2);
    const { id } = JSON.parse(String(proxy.frames[1]));
    // As long as a user needs at least.
    await sleep(1_100);
    proxy.send({ jsonrpc: '2.0', id, result: { action } });
    expect(textOf(await answer)).toContain('The sign-in page of GitHub was not opened. Nothing was run.');
    expect(textOf(await answer)).toContain(page());
    expect([await stage.pages(), calls()]).toEqual([[], 1]);
  });
});

describe.concurrent.each([
  ['cancel', { result: { action: 'cancel' } }],
  ['decline', { result: { action: 'decline' } }],
  ['an error', { error: { code: -32601, message: 'Method not found' } }],
  ['something else', { result: {} }],
])('a client that answers %s at once, because no user looks at it', (_answer, members) => {
  it.skipIf(notOnWindows.skip)('is given the link, and no page opens', { timeout: 90_000 }, async () => {
    const proxy = await startProxy('user', { elicitation: { url: {} } });
    const answer = proxy.request(1, 'tools/call', SEARCH);
    await proxy.until(2);
    const { id } = JSON.parse(String(proxy.frames[1]));
    proxy.send({ jsonrpc: '2.0', id, ...members });
    expect(textOf(await answer)).toBe(
      `You are not signed in to GitHub. The AI client has not shown its sign-in page to anybody. Nothing was run. Ask the user to open the page in their browser and sign in, then try again: ${page()}`,
    );
    expect([await stage.pages(), calls()]).toEqual([[], 1]);
  });
});

/** A refusal of call 1 in another spelling than the embedded workspace's, with what its user has to open. */
describe.concurrent('a service that shows nothing before the sign-in', notOnWindows, () => {
  it.each(PLACES)('offers the tool sign_in, %s, and its own tools afterwards', async (_place, arrange) => {
    set({ signInNeededFor: 'every-method' });
    await arrange();
    const proxy = await startProxy();
    expect(await signInTool(proxy)).toMatchObject({ title: 'Sign in to GitHub' });
    expect(await stage.pages()).toEqual([]);
    const answer = proxy.request(2, 'tools/call', { name: 'sign_in', arguments: {} });
    await signInOnPage();
    expect(textOf(await answer)).toMatch(/^Signed in to GitHub\. .+ are available now/);
    await stage.poll(() => proxy.frames.map(String)).toContain(LIST_CHANGED);
    expect((await listTools(proxy)).map(({ name }) => name)).toContain('search_code');
    expect([await stage.pages(), refreshes()]).toEqual([[page()], 0]);
  });
});
