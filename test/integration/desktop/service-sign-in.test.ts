import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Causeway, createCauseway } from '../../../main/causeway.ts';
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

/** Ben, signed in to the workspace in the browser, and the application with one server of his, which is GitHub's. */
beforeEach(async () => {
  workspace = await startWorkspace({ autoApprove: 'ben@example.com' });
  home = await ownHome(`[user]\nhost = ${workspace.host}\n`);
  const { open } = scriptedBrowser();
  const before = createCauseway({ env: home.env, openBrowser: open });
  const auth = await before.auth();
  await auth.signIn(await auth.profile('user'));
  await before.close();
  opened = [];
  causeway = createCauseway({ env: home.env, openBrowser: async (url) => void opened.push(url) });
  desktop = createDesktop({
    causeway,
    env: home.env,
    settings: plainSettings(home.env),
    shell: plainShell(),
    onEvent: () => {},
  });
  await desktop.start('user');
  const path = `/ai-gateway/mcp-services/${GITHUB}`;
  await desktop.handlers.addServer({ profile: 'user', kind: 'other', path, name: 'code' });
});
afterEach(async () => {
  await desktop.close();
  await causeway.close();
  await workspace.close();
  await home.remove();
});

const server = () => desktop.model.state.servers[0];

it('a server whose user is not signed in to what is behind it says so, and is signed in to and out of again', async () => {
  await expect
    .poll(() => server()?.state, { timeout: 20_000 })
    .toMatchObject({
      status: 'service-signed-out',
      label: 'Signed out of GitHub',
      action: 'sign-in-to-service',
      words: 'You are not signed in to GitHub.',
      remedy: 'Sign in: a page opens in your browser.',
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
