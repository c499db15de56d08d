import type { OverrideChange } from '../../../preload/contract.ts';
import type { StoredEvent } from '../../activity/store.ts';
import type { Approval, PendingApproval } from '../../permissions/approvals.ts';

/** What came of a call that waited for the user. */
export function approvalEvent({ client, server, tool }: PendingApproval, answer: Approval): StoredEvent {
  return {
    at: Date.now(),
    kind: 'approval',
    client: client ?? null,
    subject: `${tool} of ${server.path}`,
    outcome: answer,
  };
}

/** A change of a profile's override that was made neither here nor by the command. */
export function overrideEvent(profile: string, { at, by, after }: OverrideChange): StoredEvent | undefined {
  if (by !== 'elsewhere') return undefined;
  const warehouse = after === null ? null : (after.warehouseId ?? after.type);
  return { at, kind: 'override-change', client: null, subject: profile, outcome: JSON.stringify({ warehouse, by }) };
}
