import { openAuth } from '../auth/open.ts';
import { provisionalInitialize } from '../bridge/answer-cache.ts';
import { openAnswerStore } from '../bridge/answer-store.ts';
import type { ServerRequest } from '../bridge/endpoint.ts';
import { parseFrame, rawId, withId } from '../bridge/frame/frame.ts';
import { memberAt } from '../bridge/frame/members.ts';
import { discoverAnswer } from '../bridge/stateless/client-session.ts';
import { isStateless } from '../bridge/stateless/headers.ts';

/** An answer to a request that begins a session, which needs no server. */
export async function stopgap(request: ServerRequest, env: NodeJS.ProcessEnv, frame: Buffer): Promise<Buffer> {
  if (memberAt(parseFrame(frame), 'method') === 'initialize') {
    return provisionalInitialize(frame, await lastKnown(request, env));
  }
  if (!isStateless(frame)) return methodNotFound(frame, 'server/discover');
  return withId(discoverAnswer(provisionalInitialize(frame, await lastKnown(request, env))), rawId(frame));
}

/** The session revisions' answer to the stateless revision's probe. The client then sends `initialize`. */
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
    // The caller learns why the session cannot be opened.
    return undefined;
  }
}
