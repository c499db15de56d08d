import { z } from 'zod';

/** The limits of a recording: the oldest calls are dropped first, and a long request or answer is truncated. */
export const MAX_RECORDED = { calls: 200, bytesOfEach: 64 * 1024, bytesInAll: 16 * 1024 * 1024 } as const;

/** Whether the contents of calls are recorded. Off unless the user turns it on, for a limited time. */
export const recording = z.discriminatedUnion('status', [
  z.object({ status: z.literal('off') }),
  /** `until` is in milliseconds since the epoch; null means until the application quits. */
  z.object({ status: z.literal('on'), until: z.number().nullable() }),
]);

/** A request or response for display: without anything that could sign in. */
const contentsPart = z.object({
  /** One text after the other, each under what it is. */
  blocks: z.array(z.object({ title: z.string(), text: z.string() })),
  /** The whole size, in bytes. */
  bytes: z.number(),
  /** Whether only its beginning is here. */
  isCut: z.boolean(),
});

const callContents = z.discriminatedUnion('status', [
  z.object({ status: z.literal('kept'), request: contentsPart, answer: contentsPart.nullable() }),
  z.object({ status: z.literal('deleted') }),
]);

/** `contents` is the number that the call has for what was recorded of it. */
const ofCall = z.object({ contents: z.int() });

const MINUTE_MS = 60_000;

export const contentsRequests = {
  /** Begins to record, or continues for so much longer. Null means until the application quits. */
  recordContents: {
    input: z.object({ durationMs: z.literal([15 * MINUTE_MS, 60 * MINUTE_MS]).nullable() }),
    output: z.undefined(),
  },
  /** Ends it, and deletes what was recorded. */
  stopRecording: { input: z.undefined(), output: z.undefined() },
  callContents: { input: ofCall, output: callContents },
  copyContents: { input: ofCall, output: z.undefined() },
} as const;

export type Recording = z.output<typeof recording>;
export type ContentsPart = z.output<typeof contentsPart>;
export type CallContents = z.output<typeof callContents>;
