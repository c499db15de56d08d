import type { TokenSource } from './auth.ts';

/** Calls `make` once. If that fails, the next call tries again. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** A token source that is opened when the first token is asked for. */
export function deferred(open: () => Promise<TokenSource>): TokenSource {
  const source = once(open);
  return { token: async (request) => (await source()).token(request) };
}
