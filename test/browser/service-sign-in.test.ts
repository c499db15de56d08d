import { describe, expect, it } from 'vitest';
import { useWindow, whyNotHere } from './shown-window.ts';

const GITHUB = 'system.ai.github';
const PATH = `/ai-gateway/mcp-services/${GITHUB}`;

describe.skipIf(whyNotHere)('the sign-in to a service in the window', () => {
  const { shown, button, inspect, allow, go, giveServer } = useWindow();

  const text = (words: string | RegExp) => shown.page.getByText(words).first().waitFor();
  const state = (words: string) => shown.page.getByRole('status').filter({ hasText: words }).first().waitFor();
  const signIn = () => button('Sign in to GitHub for code');
  const isSignedIn = () => shown.workspace.gateway.isSignedIn('ana', GITHUB);
  const page = () => `${shown.workspace.host}/mcp-service-login?name=${GITHUB}`;

  /** The server `code` is GitHub's; Ana is signed in to the workspace in her browser, and not to GitHub. */
  async function showSignedOut(): Promise<void> {
    await giveServer('code', PATH, 'oauth');
    await go('Servers');
    await button('Sign in to oauth').click();
    await allow();
    await state('Signed out of GitHub');
    shown.server.opened.length = 0;
  }

  it('a user signs in to a service from its server, and signs out again', async () => {
    await showSignedOut();
    await text('You are not signed in to GitHub.');
    await inspect('service-signed-out');
    await signIn().click();
    await state('Waiting for the browser');
    expect(shown.server.opened).toEqual([page()]);
    await inspect('service-waiting');
    await button('Copy link').click();
    await expect.poll(() => shown.server.copied).toEqual([page()]);
    await button('Open again').click();
    await expect.poll(() => shown.server.opened).toEqual([page(), page()]);
    await button('Cancel').click();
    await state('Signed out of GitHub');
    expect(isSignedIn()).toBe(false);
    shown.server.opened.length = 0;
    await signIn().click();
    await state('Waiting for the browser');
    expect(shown.server.opened).toEqual([page()]);
    await allow();
    await state('Running, 5 tools');
    expect(isSignedIn()).toBe(true);
    await shown.page.getByRole('link', { name: 'GitHub', exact: true }).click();
    await text('You are signed in to GitHub.');
    await inspect('service-signed-in');

    await button('Sign out of GitHub').click();
    await text('AI clients that use this workspace as you lose access to GitHub');
    await inspect('service-sign-out');
    await button('Cancel').click();
    expect(isSignedIn()).toBe(true);
    await button('Sign out of GitHub').click();
    await button('Sign out').click();
    await state('Signed out of GitHub');
    expect(isSignedIn()).toBe(false);
    await inspect('service-signed-out-again');
    expect(shown.server.opened).toEqual([page()]);
  });

  it('a user who denies on the page is not signed in, and can still allow it there', async () => {
    await showSignedOut();
    await signIn().click();
    await expect.poll(() => shown.server.opened).toEqual([page()]);
    const denied = await shown.browser.newPage();
    await denied.goto(page());
    await denied.getByRole('button', { name: 'Deny' }).click();
    await denied.getByText('You did not allow it.').waitFor();
    await denied.close();
    expect(isSignedIn()).toBe(false);
    await state('Waiting for the browser');
    await allow();
    await state('Running, 5 tools');
  });

  it('a sign-in that cannot be started says why at its button and can be tried again', async () => {
    await showSignedOut();
    const fault = shown.workspace.faults.add({
      path: '/api/2.1/unity-catalog/mcp-services/*',
      effect: { kind: 'unavailable' },
      times: 'always',
    });
    await signIn().click();
    await shown.page.getByRole('alert').waitFor();
    await inspect('service-sign-in-refused');
    expect(shown.server.opened).toEqual([]);
    expect(fault.hits).toBeGreaterThan(0);
    shown.workspace.faults.clear();
    await signIn().click();
    await expect.poll(() => shown.server.opened).toEqual([page()]);
    await allow();
    await state('Running, 5 tools');
  });

  it('tells a user of a personal access token where to sign in, and offers no button for it', async () => {
    await giveServer('code', PATH);
    await go('Servers');
    await text(/ana@example\.com is not signed in to GitHub\./);
    await text(/Sign in to GitHub in a browser where you are signed in to the workspace as ana@example\.com/);
    await button('Copy link for code').click();
    await expect.poll(() => shown.server.copied).toEqual([page()]);
    await button('Open sign-in page of code').click();
    await expect.poll(() => shown.server.opened).toEqual([page()]);
    expect(await signIn().count()).toBe(0);
    await inspect('service-personal-token');
    shown.workspace.gateway.signIn('ana', GITHUB);
    await button('Try again for code').click();
    await state('Running, 5 tools');
  });
});
