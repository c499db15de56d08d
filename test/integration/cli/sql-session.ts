import { onTestFinished } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import type { ApprovalQueue } from '../../../main/permissions/approvals.ts';
import { userNamed } from '../../workspace/caller.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { ownHome } from '../auth/own-home.ts';
import { ProxyProcess } from '../proxy/proxy-process.ts';

/** What tests of the command share that watch a client's calls of the SQL server; all of it ends with its test. */

export const SQL = '/api/2.0/mcp/sql';

/** A section of the configuration file for a user of the workspace, by an access token. */
export function profileOf(workspace: EmbeddedWorkspace, name: string): string {
  return `[${name}]\nhost = ${workspace.host}\ntoken = ${userNamed(workspace, name).token}\n`;
}

/** A workspace and Ana's home with a profile for it. */
export async function homeOfAna(options?: Parameters<typeof startWorkspace>[0]) {
  const workspace = await startWorkspace(options);
  onTestFinished(() => workspace.close());
  const home = await ownHome(`${profileOf(workspace, 'ana')}[__settings__]\ndefault_profile = ana\n`);
  onTestFinished(() => home.remove());
  return { ...home, workspace };
}

/** Starts the application of a home; the function that it gives ends it before the test does. */
export async function startApplication(
  env: NodeJS.ProcessEnv,
  approvals?: ApprovalQueue,
): Promise<() => Promise<void>> {
  const causeway = createCauseway({ env });
  const hub = await causeway.serveProxies(undefined, approvals);
  let ended: Promise<void> | undefined;
  const end = async () => {
    await hub.close();
    await causeway.close();
  };
  const endOnce = () => {
    ended ??= end();
    return ended;
  };
  onTestFinished(endOnce);
  return endOnce;
}

/** A proxy in a session, as an AI client starts it. */
export async function startSession(
  env: NodeJS.ProcessEnv,
  args: string[] = [],
  clientName = 'test',
  capabilities: object = {},
) {
  const proxy = new ProxyProcess(['--profile', 'ana', '--path', SQL, ...args], { ...env, PATH: process.env.PATH });
  onTestFinished(() => proxy.close());
  await proxy.open({ clientInfo: { name: clientName, version: '1' }, capabilities });
  return proxy;
}

/** What the client has been asked. */
export function requestsOf({ frames }: ProxyProcess): { id?: unknown; method?: unknown; params?: unknown }[] {
  return frames
    .map((frame) => JSON.parse(String(frame)))
    .filter(({ id, method }) => id !== undefined && method !== undefined);
}
