import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import { userNamed } from '../../workspace/caller.ts';
import type { ManagedServerSettings } from '../../workspace/mcp/settings.ts';
import { scriptedBrowser } from '../auth/scripted-browser.ts';
import { setBrowserStage } from '../auth/stage.ts';
import type { Answered } from '../bridge/harness.ts';
import { ProxyProcess } from './proxy-process.ts';

export const GITHUB = 'system.ai.github';
export const PATH = `/ai-gateway/mcp-services/${GITHUB}`;
export const SEARCH = { name: 'search_code', arguments: { query: 'retry' } };
export const LIST_CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';

export const notOnWindows = { skip: process.platform === 'win32', timeout: 90_000 };

export const SIGNALS: [string, Partial<ManagedServerSettings>][] = [
  ['401', { signInSignal: 'challenge' }],
  ['401 that blames the token', { signInSignal: 'challenge', challengeBlamesToken: true }],
  ['-32042 in JSON', { signInSignal: 'elicitation', answers: 'json' }],
  ['-32042 in an event stream', { signInSignal: 'elicitation', answers: 'sse' }],
  ['401 by a server without sessions', { signInSignal: 'challenge', revision: 'modern' }],
  ['-32042 by a server without sessions', { signInSignal: 'elicitation', revision: 'modern' }],
];

/** Ben, signed in to the workspace, and to nothing behind the service, such as GitHub. */
export function setServiceStage() {
  const stage = setBrowserStage(
    (workspace) => `[token]
host = ${workspace.host}
token = ${userNamed(workspace, 'ben').token}
[agent]
host = ${workspace.host}
client_id = ${workspace.servicePrincipal.clientId}
client_secret = ${workspace.servicePrincipal.clientSecret}
`,
    { autoApprove: 'ben@example.com' },
  );
  beforeEach(async () => {
    const causeway = createCauseway({ env: stage.home.env, openBrowser: scriptedBrowser().open });
    const auth = await causeway.auth();
    await auth.signIn(await auth.profile('user'));
    await causeway.close();
    stage.workspace.requests.clear();
  });

  const page = () => `${stage.workspace.host}/mcp-service-login?name=${GITHUB}`;

  /** The user signs in on the page that is open. */
  async function signInOnPage(): Promise<void> {
    await stage.poll(stage.pages, { timeout: 20_000 }).toHaveLength(1);
    const [url = ''] = await stage.pages();
    const browser = scriptedBrowser();
    await browser.open(url);
    await browser.page();
  }

  async function startProxy(profile = 'user', capabilities: object = {}, path = PATH): Promise<ProxyProcess> {
    const proxy = new ProxyProcess(['--profile', profile, '--path', path], stage.home.env);
    stage.atEnd(() => proxy.close());
    await proxy.open({ protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'test', version: '1' } });
    return proxy;
  }

  /** The running application, whose browser is the user's. */
  async function startApplication(): Promise<void> {
    const { env, notes } = stage.home;
    const openBrowser = async (url: string) => writeFile(join(notes, 'opened'), `${url}\n`, { flag: 'a' });
    const causeway = createCauseway({ env, openBrowser });
    const hub = await causeway.serveProxies();
    stage.atEnd(() => causeway.close());
    stage.atEnd(() => hub.close());
  }

  /** How often a tool of the service was called, refused or not. */
  const calls = () => stage.workspace.state.mcpCalls.filter(({ method }) => method === 'tools/call').length;
  const refreshes = () => stage.workspace.requests.count({ path: '/oidc/v1/token' });
  const textOf = ({ result }: Answered): string => Object(result).content?.[0]?.text ?? '';
  const isError = ({ result }: Answered): unknown => Object(result).isError;

  function set(settings: Partial<ManagedServerSettings>): void {
    Object.assign(stage.workspace.mcp.settings, settings);
  }

  /** One environment in which proxies share the application, and one in which each works alone. */
  const PLACES = [
    ['alone', async () => {}],
    ['through the application', startApplication],
  ] as const;

  return { stage, page, signInOnPage, startProxy, startApplication, calls, refreshes, textOf, isError, set, PLACES };
}
