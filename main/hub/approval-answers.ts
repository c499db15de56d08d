import { type ApprovalQueue, noLongerWaits, type PendingApproval } from '../permissions/approvals.ts';
import { shownCall } from '../permissions/shown-call.ts';
import { CausewayError } from '../platform/errors.ts';
import { remedyFor } from '../words/failure.ts';
import {
  type ApprovalAnswer,
  type ApprovalId,
  type ApprovalsAnswer,
  type DoneAnswer,
  HUB_PROTOCOL,
  type HubQuestion,
  type WireApproval,
} from './wire.ts';

/** What the hub needs of the calls that wait. */
export type ApprovalPort = Pick<ApprovalQueue, 'pending' | 'allowances' | 'answer' | 'extend' | 'endAllowances'>;

type ApprovalQuestion = Extract<
  HubQuestion,
  { question: 'approvals' | 'approval' | 'answer-approval' | 'end-allowances' }
>;

/** Answers a command's question about the calls that wait for the user. */
export function answerAboutApprovals(
  approvals: ApprovalPort | undefined,
  asked: ApprovalQuestion,
): ApprovalsAnswer | ApprovalAnswer | DoneAnswer {
  const hub = HUB_PROTOCOL;
  switch (asked.question) {
    case 'approvals':
      return { hub, approvals: (approvals?.pending ?? []).map(onWire), allowances: allowancesOf(approvals) };
    case 'approval': {
      const found = find(approvals, asked);
      return { hub, approval: found ? { ...onWire(found), ...shownCall(found.arguments) } : null };
    }
    case 'answer-approval':
      return done(() => {
        if (!approvals || !find(approvals, asked)) throw noLongerWaits();
        if (asked.answer === 'extend') approvals.extend(asked.id);
        else approvals.answer(asked.id, asked.answer === 'allow' ? 'allowed' : 'refused');
      });
    case 'end-allowances':
      return done(() => approvals?.endAllowances());
  }
}

function find(approvals: ApprovalPort | undefined, { id, askedAt }: ApprovalId): PendingApproval | undefined {
  return approvals?.pending.find((waiting) => waiting.id === id && waiting.askedAt === askedAt);
}

function onWire(waiting: PendingApproval): WireApproval {
  const { id, askedAt, client = null, server, user = null, tool, readsOnly, expiresAt, canExtend } = waiting;
  const { profile, path } = server;
  return { id, askedAt, client, profile, path, user, tool, readsOnly, expiresAt, canExtend };
}

function allowancesOf(approvals: ApprovalPort | undefined): ApprovalsAnswer['allowances'] {
  const allowances = approvals?.allowances ?? [];
  return allowances.map(({ client, server: { profile, path }, tool = null, until }) => ({
    client,
    profile,
    path,
    tool,
    until,
  }));
}

function done(work: () => void): DoneAnswer {
  try {
    work();
    return { hub: HUB_PROTOCOL, refused: null };
  } catch (error) {
    if (!(error instanceof CausewayError)) throw error;
    const remedy = remedyFor('command', error) ?? null;
    const code = error.code === 'not_found' ? 'not_found' : 'usage';
    return { hub: HUB_PROTOCOL, refused: { code, message: error.message, remedy } };
  }
}
