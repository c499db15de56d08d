import { openAuth } from '../auth/open.ts';
import { openAnswerStore, type StoredMethod } from '../bridge/answer-store.ts';
import type { ServerRequest } from '../bridge/endpoint.ts';

/** The last known answer of the server to a method, before any session with it. */
export async function remembered(
  { profile, path }: ServerRequest,
  env: NodeJS.ProcessEnv,
  method: StoredMethod,
): Promise<Buffer | undefined> {
  try {
    const { host, name } = await openAuth({ env }).profile(profile);
    return await openAnswerStore(env, { host, path, profile: name }).get(method);
  } catch {
    // The caller learns why the session cannot be opened.
    return undefined;
  }
}
