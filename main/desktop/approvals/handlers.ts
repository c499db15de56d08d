import type { approvalRequests } from '../../../preload/contract/approvals.ts';
import { clientOfCall } from '../../app/permissions.ts';
import type { PendingApproval } from '../../permissions/approvals.ts';
import { changePermissions, scopeOf } from '../../permissions/change.ts';
import { onlyReads } from '../../permissions/decide.ts';
import { CausewayError } from '../../platform/errors.ts';
import type { DesktopContext, HandlersOf } from '../context.ts';
import { nameOf } from './shown-approval.ts';

const HOUR_MS = 3_600_000;

/** Answers the requests about calls that wait for the user. */
export function approvalHandlers(context: DesktopContext): HandlersOf<typeof approvalRequests> {
  const { approvals, model, permissions, servers, shell } = context;

  /** The tools that a permission allows from now on: the call's own, or all of its server that are known to only read. */
  const toolsFor = async (call: PendingApproval, what: 'tool' | 'reads'): Promise<string[]> => {
    if (what === 'tool') return [call.tool];
    const { key } = call.server;
    const listed = await servers.listedTools(nameOf(call.server, model.state.servers)).catch(() => []);
    const reading = listed.filter(({ name, hints }) => onlyReads(key, name, hints)).map(({ name }) => name);
    return Array.from(new Set([call.tool, ...reading]));
  };

  return {
    answerCall: async ({ id, answer }) => {
      approvals.answer(id, answer === 'allow' ? 'allowed' : 'refused');
    },
    allowCalls: async ({ id, what, until }) => {
      const call = approvals.find(id);
      if (what === 'reads' && !call.readsOnly) {
        throw new CausewayError('usage', `"${call.tool}" is not known to only read.`, { remedy: 'Allow it once.' });
      }
      if (until !== 'always') {
        approvals.allowUntil(id, what, until === 'hour' ? Date.now() + HOUR_MS : midnight());
        return;
      }
      const scope = scopeOf(clientOfCall(call.client), {
        key: call.server.key,
        name: nameOf(call.server, model.state.servers),
      });
      await changePermissions(permissions, scope, { on: await toolsFor(call, what) }, { by: 'window' });
      // With the permission, the call may have gone on already.
      if (approvals.pending.some((waiting) => waiting.id === id)) approvals.answer(id, 'allowed');
    },
    extendCall: async ({ id }) => {
      approvals.extend(id);
    },
    endAllowances: async () => {
      approvals.endAllowances();
    },
    reviewCalls: async () => {
      shell.reviewCalls();
    },
  };
}

/** The end of this day, in milliseconds since the epoch. */
function midnight(): number {
  const end = new Date();
  end.setHours(24, 0, 0, 0);
  return end.getTime();
}
