import { z } from 'zod';
import { type EntryRequest, type Hello, HUB_PROTOCOL, isNonce, type Question, type SessionsAnswer } from './wire.ts';

// Separate from wire.ts, because a proxy loads that file and does without zod.

const HelloLine = z.object({ hub: z.literal(HUB_PROTOCOL), nonce: z.string().refine(isNonce) });

const EntryLine = z.object({
  proof: z.string(),
  version: z.string(),
  pid: z.number(),
  request: z.object({ profile: z.string().optional(), path: z.string(), origin: z.string().optional() }),
});

const asker = { proof: z.string(), version: z.string(), pid: z.number() };
const QuestionLine = z.discriminatedUnion('question', [
  z.object({ ...asker, question: z.literal('sessions') }),
  z.object({ ...asker, question: z.literal('quit') }),
  z.object({ ...asker, question: z.literal('proxies'), origin: z.url({ protocol: /^https?$/ }) }),
]);

const QuitLine = z.object({ hub: z.literal(HUB_PROTOCOL), quits: z.boolean() });

const count = z.number().int().nonnegative();
const SessionsLine = z.object({
  hub: z.literal(HUB_PROTOCOL),
  version: z.string(),
  sessions: z.array(
    z.object({
      id: count,
      pid: count,
      profile: z.string().optional(),
      path: z.string(),
      // Applications before this one did not tell.
      user: z.string().nullable().default(null),
      since: z.number(),
      clientName: z.string().nullable(),
      clientVersion: z.string().nullable(),
      protocolVersion: z.string().nullable(),
      open: count,
      done: count,
      failed: count,
      bytesFromClient: count,
      bytesToClient: count,
      lastCallAt: z.number().nullable(),
    }),
  ),
});

/** Reads a peer's first line; undefined for anything that is not a hello of this protocol. */
export function readHello(line: string): Hello | undefined {
  return readLine(HelloLine, line);
}

/** Reads a peer's second line; undefined for anything else. */
export function readEntry(line: string): EntryRequest | undefined {
  return readLine(EntryLine, line);
}

/** Reads a question, which can come in place of an entry; undefined for anything else. */
export function readQuestion(line: string): Question | undefined {
  return readLine(QuestionLine, line);
}

/** Reads the hub's answer to a question; undefined for anything else. */
export function readSessions(line: string): SessionsAnswer | undefined {
  const answer = readLine(SessionsLine, line);
  return answer && { ...answer, sessions: answer.sessions.map((session) => ({ profile: undefined, ...session })) };
}

/** Whether the hub has said that it quits. */
export function readQuits(line: string): boolean {
  return readLine(QuitLine, line)?.quits ?? false;
}

function readLine<T>(schema: z.ZodType<T>, line: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(line)).data;
  } catch {
    // Not JSON: not one of ours.
    return undefined;
  }
}
