/**
 * The longest frame that is passed on, in bytes, in either direction: a client's line, a server's JSON answer, one event of
 * an event stream. It has room for a text of 64 MiB and its envelope; managed servers' answers stay under 10 MiB.
 * A longer frame is not buffered, and its request gets an error.
 */
export const MAX_FRAME_BYTES = 72 * 1024 * 1024;

/** The most frames that are read from one JSON array, from either side. */
export const MAX_BATCH_FRAMES = 1_000;

/** The most pages of a server's tool list that the bridge or the application reads for itself. */
export const MAX_TOOL_PAGES = 100;

/** `MAX_FRAME_BYTES` as text for messages. */
export const FRAME_LIMIT = `${MAX_FRAME_BYTES / 1024 / 1024} MiB`;

/** How long a request may wait in all while nothing of it is sent, in milliseconds: for a session, a token and a connection. */
export const NEVER_SENT = { limitMs: 20_000 } as const;
