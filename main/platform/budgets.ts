/**
 * What a server may cost, for every kind of input that the network brings, in bytes, milliseconds, or a count. All limits stand in
 * this table, the page docs/decisions/0014-limits.md describes them, and a test exceeds each (`test/integration/bridge/budgets.test.ts`).
 */
export const BUDGETS = {
  /** Informational (1xx) answers before the final one. Servers send one or two. */
  informationalAnswers: 16,
  /** From a request to the final status, where 1xx answers come between: each ends a silence. */
  headMs: 600_000,
  /** Field lines of one answer, and of its trailers; undici counts them (`maxHeaderSize`). */
  headerBytes: 16 * 1024,
  /**
   * What comes over the connection and is no content: status line, field lines, chunk sizes and extensions, trailers, the
   * records of TLS and the frames of HTTP/2. So much is allowed for an answer, and so many times its content for tiny chunks.
   */
  overheadBytes: 256 * 1024,
  overheadPerContentByte: 64,
  /** A client's line, a JSON answer, one event: room for a text of 64 MiB and its envelope. */
  frameBytes: 72 * 1024 * 1024,
  /** Lines of one event; each needs a hundred bytes in addition to its own. */
  eventLines: 1_000_000,
  /** Comments, empty events and other lines between two events that carry a frame. A heartbeat each second lasts for a day. */
  emptyEventBytes: 1024 * 1024,
  /** Levels of nesting in a frame that is too large to be parsed whole. */
  jsonDepth: 1_000,
  /** Frames in one JSON array. */
  batchFrames: 1_000,
  /** Pages of a server's tool list that are read for the application's own use. */
  toolPages: 100,
  /** What is read of an answer that is not MCP, and for how long after its status. */
  refusalBytes: 64 * 1024,
  refusalMs: 5_000,
  /** The body of an answer that only says "accepted". */
  acceptedMs: 1_000,
  /** What a server may ask for with `Retry-After` before a call is sent again; it may not ask for more than an error. */
  retryAfterMs: 30_000,
  /** All waits while nothing of a request is sent. */
  unsentMs: 20_000,
} as const;
