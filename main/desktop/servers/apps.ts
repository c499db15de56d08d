import { appOf } from '../../../preload/contract/server-path.ts';
import type { AppAddress } from '../../../preload/contract.ts';
import type { Causeway } from '../../app/causeway.ts';
import { appOrigin, findApp, haltOf } from '../../workspace/app-access.ts';
import { isUsualAppAddress } from '../../workspace/app-name.ts';
import { startApp } from '../../workspace/app-start.ts';

/**
 * Where the workspace says an app is. @throws {CausewayError} as `findApp` and `appOrigin`, and where no app takes the profile's
 * tokens
 */
export async function appAddress(
  causeway: Causeway,
  profileName: string,
  path: string,
  confirmed: string | undefined,
): Promise<AppAddress> {
  const [auth, { profile, client }] = await Promise.all([causeway.auth(), causeway.open(profileName)]);
  await auth.appTokens(profile).token({});
  const app = await findApp(client, nameIn(path));
  const origin = appOrigin(app, profile);
  return {
    app: app.name,
    path,
    origin,
    isUsual: isUsualAppAddress(origin),
    confirmed: confirmed ?? null,
    halt: haltOf(app)?.words ?? null,
  };
}

/** Starts the app that a server's path names, and waits until it runs. @throws {CausewayError} as `startApp` */
export async function startAppOf(
  causeway: Causeway,
  profileName: string,
  path: string,
  options: { signal: AbortSignal; onProgress(words: string): void },
): Promise<void> {
  const { client } = await causeway.open(profileName);
  await startApp(client, nameIn(path), options);
}

function nameIn(path: string): string {
  return appOf(path)?.name ?? '';
}
