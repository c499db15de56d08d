import { openAuth } from '../auth/open.ts';
import { openAnswerStore, type StoredAnswer } from '../bridge/answer-store.ts';
import type { ServerRequest } from '../bridge/endpoint.ts';

/** A last known answer of the server, before any session with it. */
export async function remembered(
  { profile, path }: ServerRequest,
  env: NodeJS.ProcessEnv,
  answer: StoredAnswer,
): Promise<Buffer | undefined> {
  try {
    const { host, name } = await openAuth({ env }).profile(profile);
    return await openAnswerStore(env, { host, path, profile: name }).get(answer);
  } catch {
    // The caller learns why the session cannot be opened.
    return undefined;
  }
}
