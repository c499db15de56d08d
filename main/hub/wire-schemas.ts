import { z } from 'zod';
import { callStatement } from '../../preload/contract/activity.ts';
import { errorCode } from '../../preload/contract/parts.ts';
import { readRefusal } from '../../preload/contract/refusals.ts';
import { settingsChange } from '../../preload/contract/settings.ts';
import { parseText } from '../bridge/frame/frame.ts';
import {
  type ApprovalAnswer,
  type ApprovalsAnswer,
  type CallsAnswer,
  type DoneAnswer,
  type EntryRequest,
  type Hello,
  HUB_PROTOCOL,
  isNonce,
  type Question,
  type SessionsAnswer,
  type SettingsAnswer,
} from './wire.ts';

// Separate from wire.ts, because a proxy loads that file and does without zod.

const HelloLine = z.object({ hub: z.literal(HUB_PROTOCOL), nonce: z.string().refine(isNonce) });

const EntryLine = z.object({
  proof: z.string(),
  version: z.string(),
  pid: z.number(),
  request: z.object({
    profile: z.string().optional(),
    path: z.string(),
    origin: z.string().optional(),
    // Proxies before this one did not tell.
    caller: z.object({ project: z.string().optional(), tags: z.record(z.string(), z.string()).optional() }).optional(),
  }),
});

const asker = { proof: z.string(), version: z.string(), pid: z.number() };
const approvalId = { id: z.number(), askedAt: z.number() };
const QuestionLine = z.discriminatedUnion('question', [
  z.object({ ...asker, question: z.literal('sessions') }),
  z.object({ ...asker, question: z.literal('quit') }),
  z.object({ ...asker, question: z.literal('override-changed'), host: z.string() }),
  z.object({ ...asker, question: z.literal('proxies'), origin: z.url({ protocol: /^https?$/ }) }),
  z.object({ ...asker, question: z.literal('calls'), count: z.number().int().positive(), failed: z.boolean() }),
  z.object({ ...asker, question: z.literal('approvals') }),
  z.object({ ...asker, ...approvalId, question: z.literal('approval') }),
  z.object({
    ...asker,
    ...approvalId,
    question: z.literal('answer-approval'),
    answer: z.enum(['allow', 'block', 'extend']),
  }),
  z.object({ ...asker, question: z.literal('end-allowances') }),
  z.object({ ...asker, question: z.literal('settings') }),
  z.object({ ...asker, question: z.literal('change-settings'), ...settingsChange.shape }),
  z.object({ ...asker, question: z.literal('start-at-login'), on: z.boolean() }),
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

const wireCall = z.object({
  at: z.iso.datetime(),
  client: z.string().nullable(),
  profile: z.string().nullable(),
  path: z.string(),
  method: z.string(),
  tool: z.string().nullable(),
  outcome: z.enum(['answered', 'tool-error', 'error', 'cancelled', 'lost']),
  errorCode: z.number().nullable(),
  // Applications before this one did not tell, and later ones may know others.
  refusal: z.unknown().optional().transform(readRefusal),
  durationMs: z.number().nonnegative(),
  // Applications and journals before this version did not tell.
  statement: callStatement.nullable().default(null),
  isPoll: z.boolean().default(false),
});
const CallsLine = z.object({ hub: z.literal(HUB_PROTOCOL), calls: z.array(wireCall) });

const wireApproval = z.object({
  ...approvalId,
  client: z.string().nullable(),
  profile: z.string(),
  path: z.string(),
  user: z.string().nullable(),
  tool: z.string(),
  readsOnly: z.boolean(),
  expiresAt: z.number(),
  canExtend: z.boolean(),
});
const ApprovalsLine = z.object({
  hub: z.literal(HUB_PROTOCOL),
  approvals: z.array(wireApproval),
  allowances: z.array(
    z.object({
      client: z.string(),
      profile: z.string(),
      path: z.string(),
      tool: z.string().nullable(),
      until: z.number(),
    }),
  ),
});
const ApprovalLine = z.object({
  hub: z.literal(HUB_PROTOCOL),
  approval: wireApproval
    .extend({ statement: z.string().nullable(), rest: z.string().nullable(), cut: count })
    .nullable(),
});
const DoneLine = z.object({
  hub: z.literal(HUB_PROTOCOL),
  refused: z.object({ code: errorCode, message: z.string(), remedy: z.string().nullable() }).nullable(),
});
const SettingsLine = z.object({ hub: z.literal(HUB_PROTOCOL), startAtLogin: z.boolean().nullable() });

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

/** The same for the calls that have ended. */
export function readCalls(line: string): CallsAnswer | undefined {
  return readLine(CallsLine, line);
}

/** The same for the calls that wait. */
export function readApprovals(line: string): ApprovalsAnswer | undefined {
  return readLine(ApprovalsLine, line);
}

/** The same for one of them. */
export function readApproval(line: string): ApprovalAnswer | undefined {
  return readLine(ApprovalLine, line);
}

/** The same for what was done. */
export function readDone(line: string): DoneAnswer | undefined {
  return readLine(DoneLine, line);
}

/** The same for the settings. */
export function readSettings(line: string): SettingsAnswer | undefined {
  return readLine(SettingsLine, line);
}

/** Whether the hub has said that it quits. */
export function readQuits(line: string): boolean {
  return readLine(QuitLine, line)?.quits ?? false;
}

function readLine<T>(schema: z.ZodType<T>, line: string): T | undefined {
  return schema.safeParse(parseText(line)).data;
}
