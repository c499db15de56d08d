import type { Profile } from '../auth/auth.ts';
import { openAuth } from '../auth/open.ts';
import { provisionalInitialize } from '../bridge/answer-cache.ts';
import { openAnswerStore } from '../bridge/answer-store.ts';
import type { FrameSink } from '../bridge/back-pressure.ts';
import { type Bridge, createBridge } from '../bridge/bridge.ts';
import { openEndpoint, type ServerRequest, SILENCE_MS } from '../bridge/endpoint.ts';
import { parseFrame, rawId, withId } from '../bridge/frame/frame.ts';
import { isStateless } from '../bridge/stateless/headers.ts';
import { discovered } from '../bridge/stateless/server-session.ts';
import { RenewableConnections } from '../platform/connections.ts';
import { openPool } from '../platform/http.ts';
import { RulesFile } from '../rules/rules-file.ts';
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
  const endpoint = await openEndpoint(
    request,
    openAuth({ env, signInWhenNeeded: true, configuredPaths }),
    (origin) => RenewableConnections.open(() => openPool(origin, { env, silenceMs: SILENCE_MS, atOnce: AT_ONCE })),
    env,
    new RulesFile(env),
  );
  const onWord = (words: string) => void process.stderr.write(`causeway proxy: ${words}\n`);
  return (sink) => createBridge({ ...endpoint, onWord }, sink);
}

/** An answer to a request that begins a session, which needs no server. */
export async function stopgap(request: ServerRequest, env: NodeJS.ProcessEnv, frame: Buffer): Promise<Buffer> {
  if (Object(parseFrame(frame)).method === 'initialize') {
    return provisionalInitialize(frame, await lastKnown(request, env));
  }
  if (!isStateless(frame)) return methodNotFound(frame, 'server/discover');
  return withId(discovered(provisionalInitialize(frame, await lastKnown(request, env))), rawId(frame));
}

/** Said by the session revisions to the stateless revision's probe: the client then initializes. */
function methodNotFound(frame: Buffer, method: string): Buffer {
  const error = JSON.stringify({ code: -32601, message: `Method not found: ${method}` });
  return Buffer.from(`{"jsonrpc":"2.0","id":${rawId(frame)},"error":${error}}`);
}

/** How the server has introduced itself last. */
async function lastKnown({ profile, path }: ServerRequest, env: NodeJS.ProcessEnv): Promise<Buffer | undefined> {
  try {
    const { host, name } = await openAuth({ env }).profile(profile);
    return await openAnswerStore(env, { host, path, profile: name }).get('initialize');
  } catch {
    // Who asks for the session hears why it cannot be begun.
    return undefined;
  }
}
