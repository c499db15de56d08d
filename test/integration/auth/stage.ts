import { AsyncLocalStorage } from 'node:async_hooks';
import { aroundEach, beforeEach, type ExpectStatic } from 'vitest';
import type { SignInOptions } from '../../../main/auth/auth.ts';
import type { AuthService } from '../../../main/auth/open.ts';
import { type AuthOptions, openAuth } from '../../../main/auth/open.ts';
import type { Secret } from '../../../main/platform/secret.ts';
import { type EmbeddedWorkspace, startWorkspace, type WorkspaceOptions } from '../../workspace/workspace.ts';
import { installWaitingBrowser, notesOf } from './causeway-process.ts';
import { type OwnHome, ownHome } from './own-home.ts';

/**
 * A workspace in which Ana allows everything, her home folder, and what is opened there. Each test of a file has its own, also
 * if several run at the same time (`describe.concurrent`).
 */
export interface Stage {
  readonly workspace: EmbeddedWorkspace;
  readonly home: OwnHome;
  /** Opens the service as another process would: nothing is shared but the user's files. */
  open(options?: Partial<AuthOptions>): AuthService;
  /** Ends something that the test has started, before the workspace and the home folder go; the last first. */
  atEnd(end: () => unknown): void;
  /** `expect.poll` of the test that asks: Vitest's own does not know which one asks where several run. */
  poll: ExpectStatic['poll'];
}

/**
 * @param config the text of the configuration file, besides a profile `user` that has only the host
 * @param env what the environment holds besides
 */
export function setStage(
  config: (workspace: EmbeddedWorkspace) => string = () => '',
  options: WorkspaceOptions = {},
  env: NodeJS.ProcessEnv = {},
): Stage {
  return setStageWith((workspace) => `${config(workspace)}[user]\nhost = ${workspace.host}\n`, options, env);
}

export interface BrowserStage extends Stage {
  /** The pages that the user's browser was asked to open, in order. */
  pages(): Promise<string[]>;
}

/** The same with a browser that shows what it is asked to open, until the test acts for the user. */
export function setBrowserStage(...args: Parameters<typeof setStage>): BrowserStage {
  const stage = setStage(...args);
  beforeEach(async () => void (await installWaitingBrowser(stage.home)));
  return Object.assign(stage, { pages: () => notesOf(stage.home, 'opened') });
}

/** The same for the commands about accounts: usable and unusable profiles, and no `user`. */
export function setCommandStage(): Stage {
  const client = { clientId: 'our-app', clientSecret: 'app-secret', redirectUris: ['http://localhost'] };
  return setStageWith(
    ({ host, users, servicePrincipal }) => `[pat]
host = ${host}
token = ${users[0]?.token}

[old]
host = ${host}
token = dapi-expired

[agent]
host = ${host}
client_id = ${servicePrincipal.clientId}
client_secret = ${servicePrincipal.clientSecret}

[account]
host = https://accounts.cloud.databricks.com
`,
    { oauthClients: [{ ...client, scopes: ['sql', 'offline_access'] }] },
  );
}

function setStageWith(
  config: (workspace: EmbeddedWorkspace) => string,
  options: WorkspaceOptions,
  env: NodeJS.ProcessEnv = {},
): Stage {
  type Running = Pick<Stage, 'workspace' | 'home' | 'poll'> & { ends: (() => unknown)[] };
  const current = new AsyncLocalStorage<Running>();
  const all = new Set<Running>();
  aroundEach(async (runTest, { expect }) => {
    const workspace = await startWorkspace({ autoApprove: 'ana@example.com', ...options });
    const home = await ownHome(config(workspace), env);
    const ends = [() => home.remove(), () => workspace.close()];
    const running = { workspace, home, ends, poll: expect.poll };
    all.add(running);
    await current.run(running, runTest);
    all.delete(running);
    for (const end of ends.reverse()) await end();
  });

  function now() {
    // What was started before the tests, such as a server of theirs, is asked by the only one that runs.
    const running = current.getStore() ?? (all.size === 1 ? [...all][0] : undefined);
    if (!running) throw new Error('The stage is set only while a test runs.');
    return running;
  }

  const stage: Stage = {
    get workspace() {
      return now().workspace;
    },
    get home() {
      return now().home;
    },
    open: (more = {}) => {
      const auth = openAuth({ env: stage.home.env, ...more });
      stage.atEnd(() => auth.close());
      return auth;
    },
    atEnd: (end) => void now().ends.push(end),
    poll: (...args) => now().poll(...args),
  };
  return stage;
}

/** Signs in to the profile `user`, and gives the error if that fails. */
export async function signInOutcome(auth: AuthService, options?: SignInOptions): Promise<unknown> {
  return auth.signIn(await auth.profile('user'), options).catch((error: unknown) => error);
}

/** Whom the workspace takes a token for. */
export async function ownerOf({ workspace }: Pick<Stage, 'workspace'>, token: Secret): Promise<string> {
  const headers = { authorization: `Bearer ${token.reveal()}` };
  const response = await fetch(`${workspace.host}/api/2.0/preview/scim/v2/Me`, { headers });
  return response.ok ? String(Object(await response.json()).userName) : `HTTP ${response.status}`;
}
