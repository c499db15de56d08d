import { BUDGETS } from '../platform/budgets.ts';

/**
 * The longest frame that is passed on, in bytes, in either direction: a client's line, a server's JSON answer, one event of
 * an event stream. Managed servers' answers stay under 10 MiB. A longer frame is not buffered, and its request gets an error.
 */
export const MAX_FRAME_BYTES = BUDGETS.frameBytes;

/** The most frames that are read from one JSON array, from either side. */
export const MAX_BATCH_FRAMES = BUDGETS.batchFrames;

/** The most pages of a server's tool list that the bridge or the application reads for itself. */
export const MAX_TOOL_PAGES = BUDGETS.toolPages;

/** `MAX_FRAME_BYTES` as text for messages. */
export const FRAME_LIMIT = `${MAX_FRAME_BYTES / 1024 / 1024} MiB`;

/** How long a request may wait in all while nothing of it is sent, in milliseconds: for a session, a token and a connection. */
export const NEVER_SENT = { limitMs: BUDGETS.unsentMs } as const;
