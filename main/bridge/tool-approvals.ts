import type { Approval, AskApproval, CallToApprove } from '../permissions/approvals.ts';
import type { ServerPermissions } from '../permissions/server-permissions.ts';
import { textAt } from './frame/edit.ts';
import { foldCase } from './frame/fold-case.ts';
import { matchOfIds, parseText } from './frame/frame.ts';
import { membersOf } from './frame/members.ts';
import type { ProgressReports } from './progress.ts';

export type CallerAndTool = Pick<CallToApprove, 'client' | 'tool' | 'hints' | 'isManaged'>;

export interface ToolApprovalsOptions {
  permissions: ServerPermissions;
  /** What the permissions say about a call now; the text for the model if they refuse it. */
  decide(call: CallerAndTool): 'allow' | 'ask' | { text: string };
  askApproval: AskApproval | undefined;
  /** As whom calls are sent, as far as that is known. */
  user?: (() => string | undefined) | undefined;
  /** Tells the client that its call waits for the user. */
  progress: ProgressReports;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
}

/** A call that waits for the user, and can be cancelled meanwhile. */
interface WaitingCall {
  id: string | undefined;
  abort: AbortController;
}

/** Asks the user about the calls that need permission one by one. */
export class ToolApprovals {
  readonly #options: ToolApprovalsOptions;
  readonly #waiting = new Set<WaitingCall>();

  constructor(options: ToolApprovalsOptions) {
    this.#options = options;
  }

  /** Whether no call waits for the user. */
  get isIdle(): boolean {
    return this.#waiting.size === 0;
  }

  /**
   * Asks about a call. Returns `cancelled` if the client no longer waits for it, and the text of its answer if it is not
   * allowed.
   */
  async ask(frame: Buffer, call: CallerAndTool): Promise<'allowed' | 'cancelled' | { text: string }> {
    const { permissions, decide, progress } = this.#options;
    const waiting: WaitingCall = { id: textAt(frame, 'id'), abort: new AbortController() };
    this.#waiting.add(waiting);
    const signal = AbortSignal.any([this.#options.signal, waiting.abort.signal]);
    const endProgress = progress.askingUser(frame);
    const approval = await this.#approvalOf(frame, { ...call, requestId: waiting.id }, signal);
    endProgress();
    this.#waiting.delete(waiting);
    if (signal.aborted) return 'cancelled';
    if (typeof approval === 'object') return approval;
    if (approval !== 'allowed') return { text: NOT_ALLOWED[approval](call.tool) };
    // The permissions may have become stricter while the user was asked.
    await permissions.refresh();
    const now = decide(call);
    return typeof now === 'object' ? now : 'allowed';
  }

  /** The client has cancelled the request with this raw id. */
  cancel(requestId: string | undefined): void {
    if (requestId === undefined) return;
    for (const { id, abort } of this.#waiting) if (id !== undefined && matchOfIds(requestId, id)) abort.abort();
  }

  /** The user's answer about a call, or the permissions' decision once the user has changed them. */
  async #approvalOf(
    frame: Buffer,
    call: CallerAndTool & Pick<CallToApprove, 'requestId'>,
    signal: AbortSignal,
  ): Promise<Approval | { text: string }> {
    const { permissions, decide, askApproval, user } = this.#options;
    if (!askApproval) return 'absent';
    const decided = new AbortController();
    const byPermissions = new Promise<'allowed' | { text: string }>((resolve) => {
      const unsubscribe = permissions.subscribe(() => {
        const now = decide(call);
        if (now !== 'ask') resolve(now === 'allow' ? 'allowed' : now);
      });
      decided.signal.addEventListener('abort', unsubscribe, { once: true });
    });
    const args = textAt(frame, 'params', 'arguments') ?? '{}';
    const asked = { ...call, user: user?.(), arguments: args, ...warehouseIn(frame) };
    const byUser = askApproval(asked, AbortSignal.any([signal, decided.signal]));
    const approval = await Promise.race([byPermissions, byUser]);
    decided.abort();
    return approval;
  }
}

/** The warehouse that a call names, in whatever case: a server may read it so. */
function warehouseIn(frame: Buffer): Pick<CallToApprove, 'warehouseId'> {
  const meta = membersOf(parseText(textAt(frame, 'params', '_meta') ?? ''));
  const named = Object.entries(meta).find(([name]) => foldCase(name) === 'warehouse_id');
  return named ? { warehouseId: String(named[1]) } : {};
}

/** The text for the model if a call needed the user's permission and did not get it. */
export const NOT_ALLOWED: Record<Exclude<Approval, 'allowed'> | 'batch' | 'meanwhile', (tool: string) => string> = {
  refused: (tool) =>
    `The user refused this call of "${tool}". Nothing was run. Do not repeat it: ask the user what to do instead.`,
  late: (tool) =>
    `"${tool}" needs the user's permission for each call, and the request timed out. Nothing was run. Ask the user to look at Causeway, then call it again.`,
  crowded: (tool) =>
    `"${tool}" needs the user's permission for each call, and too many calls are already waiting for it. Nothing was run. Wait for those.`,
  absent: (tool) =>
    `"${tool}" needs the user's permission for each call, and Causeway is not running to ask for it. Nothing was run. Ask the user to open Causeway, then call it again.`,
  meanwhile: (tool) =>
    `"${tool}" now needs the user's permission for each call. Nothing was run. Call it again to ask the user.`,
  batch: (tool) =>
    `"${tool}" needs the user's permission for each call. Nothing was run. Send the call on its own, not in a batch.`,
};
