/** An answer's body from undici. */
interface Body extends AsyncIterable<Buffer> {
  destroy(error: Error): unknown;
}

/** Like undici's error for a body that is silent for too long, for a body that is never silent and does not end. */
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

/** A body as a whole; undefined if it is larger than that. */
export async function readUpTo(
  limitBytes: number,
  body: AsyncIterable<Buffer>,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limitBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
