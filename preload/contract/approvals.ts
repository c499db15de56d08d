import { z } from 'zod';
import { clientMark } from './parts.ts';

/** A call that waits until the user has allowed or refused it. */
export const pendingApproval = z.object({
  id: z.number(),
  /** What the user calls the client; null for one that has not named itself. */
  client: z.string().nullable(),
  mark: clientMark.nullable(),
  /** The server's name, or its path if it is not in the list. */
  server: z.string(),
  profile: z.string(),
  /** As whom it would be sent; null if that is not known. */
  user: z.string().nullable(),
  /** The warehouse that would run its SQL; null if there is none, or it is not known. */
  warehouse: z.string().nullable(),
  tool: z.string(),
  /** The SQL among the arguments, with what cannot be seen shown by its code. */
  statement: z.string().nullable(),
  /** The other arguments as JSON; null if there are none. */
  arguments: z.string().nullable(),
  /** Why it can only be blocked, if it is too long to be shown whole; null otherwise. */
  tooLong: z.string().nullable(),
  /** Whether the tool is known to change nothing. */
  readsOnly: z.boolean(),
  /** Why no more than this call can be allowed; null if more can. */
  onlyOnce: z.enum(['organization', 'no-name']).nullable(),
  /** When it is refused for lack of an answer, in milliseconds since the epoch. */
  expiresAt: z.number(),
  canExtend: z.boolean(),
});

/** What is allowed for some time without being asked about. */
export const allowance = z.object({
  client: z.string(),
  server: z.string(),
  /** Null: every tool of the server that only reads. */
  tool: z.string().nullable(),
  /** In milliseconds since the epoch. */
  until: z.number(),
});

const ofCall = z.object({ id: z.number() });

export const approvalRequests = {
  answerCall: { input: ofCall.extend({ answer: z.enum(['allow', 'block']) }), output: z.undefined() },
  /** Allows this call and later ones of the same client at the same server, without asking: of its tool, or of every one that only reads. */
  allowCalls: {
    input: ofCall.extend({ what: z.enum(['tool', 'reads']), until: z.enum(['hour', 'day', 'always']) }),
    output: z.undefined(),
  },
  /** Two more minutes, or as long as the client still waits. */
  extendCall: { input: ofCall, output: z.undefined() },
  /** Ends all that was allowed for some time. */
  endAllowances: { input: z.undefined(), output: z.undefined() },
  /** Brings the window with the calls that wait to the front. */
  reviewCalls: { input: z.undefined(), output: z.undefined() },
} as const;

export type PendingApprovalInfo = z.output<typeof pendingApproval>;
export type AllowanceInfo = z.output<typeof allowance>;
