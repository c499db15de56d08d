import type { AuthService, Profile } from '../auth/auth.ts';
import { openAuth } from '../auth/open.ts';
import type { FrameSink } from '../bridge/back-pressure.ts';
import { type Bridge, createBridge } from '../bridge/bridge.ts';
import { openEndpoint, type ServerRequest, SILENCE_MS } from '../bridge/endpoint.ts';
import { openedWhenUsed, RenewableConnections } from '../platform/connections.ts';
import { checkNetworkSettings, openDispatcher, openPool } from '../platform/http.ts';
import { RulesFile } from '../rules/rules-file.ts';
import type { RestClient } from '../workspace/client.ts';
import type { ServiceSignIns } from '../workspace/service-sign-in.ts';
import { tuneEngine } from './engine.ts';

/** How many calls of the one client may be under way: no client makes more, and each holds some 130 kB if it is not read. */
const AT_ONCE = 128;

/**
 * Gets everything ready that a proxy needs where no application runs, and gives what builds its bridge.
 * @throws {CausewayError} as `openEndpoint`
 */
export async function prepareAlone(
  request: ServerRequest,
  env: NodeJS.ProcessEnv,
): Promise<(sink: FrameSink) => Bridge> {
  await tuneEngine('bridge');
  const configuredPaths = async ({ name }: Profile) => {
    const { pathsOfProfile } = await import('../clients/servers.ts');
    return [request.path, ...(await pathsOfProfile(env, name))];
  };
  const pool = async (origin: string) => {
    checkNetworkSettings(origin, env);
    // Certificates and HTTP take as long to load as all that a client needs to be answered at first.
    return openedWhenUsed(() =>
      RenewableConnections.open(() => openPool(origin, { env, silenceMs: SILENCE_MS, atOnce: AT_ONCE })),
    );
  };
  const auth = openAuth({ env, signInWhenNeeded: true, configuredPaths });
  const endpoint = await openEndpoint(request, {
    auth,
    pool,
    env,
    rules: new RulesFile(env),
    services: () => openServices(auth, env),
  });
  const onNotice = (words: string) => void process.stderr.write(`causeway proxy: ${words}\n`);
  return (sink) => createBridge({ ...endpoint, onNotice }, sink);
}

/** The sign-ins to services; the REST client is loaded when the first one is asked for. */
async function openServices(auth: AuthService, env: NodeJS.ProcessEnv): Promise<ServiceSignIns> {
  const { ServiceSignIns } = await import('../workspace/service-sign-in.ts');
  let opening: Promise<RestClient> | undefined;
  const open = async (profile: Profile) => {
    const { createRestClient } = await import('../workspace/client.ts');
    return createRestClient({ profile, tokens: auth.tokens(profile), dispatcher: await openDispatcher({ env }) });
  };
  const client = (profile: Profile) => {
    opening ??= open(profile).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return new ServiceSignIns({ auth, client });
}
