import { appOf } from '../../../preload/contract/server-path.ts';
import type { AppAddress } from '../../../preload/contract.ts';
import { findServer, openServers } from '../../clients/servers.ts';
import { CausewayError } from '../../platform/errors.ts';
import { appOrigin, findApp, haltOf } from '../../workspace/app-access.ts';
import { isUsualAppAddress } from '../../workspace/app-name.ts';
import { startApp } from '../../workspace/app-start.ts';
import type { Causeway } from '../causeway.ts';

export type { AppAddress };

/**
 * Where the workspace says an app is, and where the user has agreed that it is. @throws {CausewayError} as `findApp` and
 * `appOrigin`, and where no app takes the profile's tokens
 */
export async function appAddress(
  causeway: Causeway,
  profileName: string,
  path: string,
  signal?: AbortSignal,
): Promise<AppAddress> {
  const [auth, { profile, client }] = await Promise.all([causeway.auth(), causeway.open(profileName)]);
  await auth.appTokens(profile).token({ signal });
  const app = await findApp(client, appOf(path)?.name ?? '', signal);
  const origin = appOrigin(app, profile);
  const { servers } = (await openServers(causeway.env)).initial;
  const known = servers.find((server) => server.profile === profile.name && server.path === path);
  return {
    app: app.name,
    path,
    origin,
    isUsual: isUsualAppAddress(origin),
    confirmed: known?.confirmed ?? null,
    halt: haltOf(app) ?? null,
  };
}

/**
 * Starts an app, and waits until it runs: a server in the list, or `app:NAME`.
 * @returns whether there was anything to do
 * @throws {CausewayError} `not_found`, `usage` for another server, and as `startApp`
 */
export async function startAppNamed(
  causeway: Causeway,
  name: string,
  options: { profile?: string | undefined; signal: AbortSignal; onProgress(text: string): void },
): Promise<{ app: string; profile: string; wasStarted: boolean }> {
  const [, named] = /^app:(.*)$/.exec(name) ?? [];
  const server = named === undefined ? findServer((await openServers(causeway.env)).initial, name) : undefined;
  const app = named ?? appOf(server?.path ?? '')?.name;
  if (app === undefined) {
    throw new CausewayError('usage', `Server "${name}" is not an app. There is nothing to start.`, {
      remedy: 'A SQL warehouse starts with the first query.',
    });
  }
  const { profile, client } = await causeway.open(options.profile ?? server?.profile);
  return { app, profile: profile.name, wasStarted: await startApp(client, app, options) };
}
