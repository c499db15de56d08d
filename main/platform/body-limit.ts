/** An answer's body as undici gives it. */
interface Body extends AsyncIterable<Buffer> {
  destroy(error: Error): unknown;
}

/** What undici says of a body that is silent for too long; this one is never silent, and does not end either. */
class EndlessBodyError extends Error {
  readonly code = 'UND_ERR_BODY_TIMEOUT';
}

/**
 * The pieces of a body, as long as it ends within `limitMs` milliseconds. (undici limits the silence between two pieces alone: a
 * body that trickles would be waited for without end.) @throws {EndlessBodyError} which counts as a time-out
 */
export async function* endingWithin(body: Body, limitMs: number): AsyncGenerator<Buffer, void> {
  const timer = setTimeout(() => body.destroy(new EndlessBodyError('the response did not end in time')), limitMs);
  try {
    yield* body;
  } finally {
    clearTimeout(timer);
  }
}
