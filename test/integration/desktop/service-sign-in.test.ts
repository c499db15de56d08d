import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Causeway, createCauseway } from '../../../main/app/causeway.ts';
import { createDesktop, type Desktop } from '../../../main/desktop/desktop.ts';
import { plainSettings, plainShell } from '../../plain-desktop.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { type OwnHome, ownHome } from '../auth/own-home.ts';
import { scriptedBrowser } from '../auth/scripted-browser.ts';

const GITHUB = 'system.ai.github';

let workspace: EmbeddedWorkspace;
let home: OwnHome;
let causeway: Causeway;
let desktop: Desktop;
let opened: string[];

let copied: string[];

/** Ben, signed in to the workspace in the browser, and the application with one server of his, which is GitHub's. */
beforeEach(async () => {
  workspace = await startWorkspace({ autoApprove: 'ben@example.com' });
  home = await ownHome(`[user]\nhost = ${workspace.host}\n`);
  const { open } = scriptedBrowser();
  const before = createCauseway({ env: home.env, openBrowser: open });
  const auth = await before.auth();
  await auth.signIn(await auth.profile('user'));
  await before.close();
  const shell = plainShell();
  ({ opened, copied } = shell.asked);
  causeway = createCauseway({ env: home.env, openBrowser: shell.openInBrowser });
  desktop = createDesktop({
    causeway,
    env: home.env,
    settings: plainSettings(home.env),
    shell,
    onEvent: () => {},
  });
  await desktop.start('user');
  const path = `/ai-gateway/mcp-services/${GITHUB}`;
  await desktop.handlers.addServer({ profile: 'user', path, name: 'code' });
});
afterEach(async () => {
  await desktop.close();
  await causeway.close();
  await workspace.close();
  await home.remove();
});

const server = () => desktop.model.state.servers[0];

it('a server whose user is not signed in to its service says so, and the user can sign in and out', async () => {
  await expect
    .poll(() => server()?.state, { timeout: 20_000 })
    .toMatchObject({
      status: 'service-signed-out',
      label: 'Signed out of GitHub',
      action: 'sign-in-to-service',
      words: 'You are not signed in to GitHub.',
      remedy: 'Sign in with your browser.',
    });
  expect(server()?.service).toBe('GitHub');
  expect(await desktop.handlers.isSignedInToService({ name: 'code' })).toBe(false);

  await desktop.handlers.signInToService({ name: 'code' });
  expect(opened).toEqual([`${workspace.host}/mcp-service-login?name=${GITHUB}`]);
  await expect.poll(() => server()?.state.status).toBe('waiting-for-browser');
  await scriptedBrowser().open(opened[0] ?? '');
  await expect.poll(() => server()?.state.label, { timeout: 20_000 }).toBe('Running, 5 tools');
  expect(await desktop.handlers.isSignedInToService({ name: 'code' })).toBe(true);

  await desktop.handlers.signOutOfService({ name: 'code' });
  expect(workspace.gateway.isSignedIn('ben', GITHUB)).toBe(false);
  await expect.poll(() => server()?.state.status, { timeout: 20_000 }).toBe('service-signed-out');
  expect(opened).toHaveLength(1);
}, 60_000);

it("a service's page can be reopened, its link copied, and the sign-in canceled and started again", async () => {
  const { handlers } = desktop;
  const page = `${workspace.host}/mcp-service-login?name=${GITHUB}`;
  expect(await handlers.serviceSignInPage({ server: 'code' })).toBeNull();
  await handlers.signInToService({ name: 'code' });
  await expect.poll(() => server()?.state.status).toBe('waiting-for-browser');
  expect(await handlers.serviceSignInPage({ server: 'code' })).toEqual({
    host: workspace.host,
    user: 'ben@example.com',
    address: page,
  });
  await handlers.openSignInPage({ server: 'code' });
  await handlers.copySignInLink({ server: 'code' });
  expect(opened).toEqual([page, page]);
  expect(copied).toEqual([page]);

  await handlers.cancelServiceSignIn({ server: 'code' });
  await expect.poll(() => server()?.state.status, { timeout: 20_000 }).toBe('service-signed-out');
  expect(await handlers.serviceSignInPage({ server: 'code' })).toBeNull();
  await expect(handlers.openSignInPage({ server: 'code' })).rejects.toMatchObject({ code: 'conflict' });

  await handlers.signInToService({ name: 'code' });
  expect(opened).toEqual([page, page, page]);
  await scriptedBrowser().open(page);
  await expect.poll(() => server()?.state.label, { timeout: 20_000 }).toBe('Running, 5 tools');
}, 60_000);

it("a workspace's sign-in page can be opened again and its link copied while it waits", async () => {
  const { handlers, model } = desktop;
  workspace.approve('ask');
  await (await causeway.auth()).signOut(await (await causeway.auth()).profile('user'));
  const signingIn = handlers.signInTo({ profile: 'user' });
  await expect.poll(() => opened).toHaveLength(1);
  await expect
    .poll(() => model.state.warehouse)
    .toMatchObject({ status: 'signing-in', step: 'waiting-for-browser', host: workspace.host, address: null });
  await handlers.openSignInPage({ profile: 'user' });
  await handlers.copySignInLink({ profile: 'user' });
  expect(opened).toEqual([opened[0], opened[0]]);
  expect(copied).toEqual([opened[0]]);
  await handlers.cancelSignInTo({ profile: 'user' });
  await signingIn;
  await expect(handlers.copySignInLink({ profile: 'user' })).rejects.toMatchObject({ code: 'conflict' });
}, 60_000);
