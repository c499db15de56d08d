import type { OverrideChange } from '../../../preload/contract.ts';
import type { StoredEvent } from '../../activity/store.ts';
import type { Approval, PendingApproval } from '../../permissions/approvals.ts';
import type { PermissionsFile } from '../../permissions/permissions-file.ts';
import { CausewayError } from '../../platform/errors.ts';

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

/** A change of a profile's override. */
export function overrideEvent(profile: string, { at, by, after }: OverrideChange): StoredEvent {
  const outcome = after === null ? 'cleared' : (after.warehouseId ?? 'last selected');
  return { at, kind: 'override', client: null, subject: profile, outcome: `${outcome}, by ${by}` };
}

/** Notes each change of the permissions that their file tells of, whoever made it. Returns what ends that. */
export function notePermissionChanges(permissions: PermissionsFile, note: (event: StoredEvent) => void): () => void {
  let known: string | undefined;
  const look = async () => {
    await permissions.refresh();
    const now = permissions.permissions;
    const history = now instanceof CausewayError ? [] : (now.history ?? []);
    // What is there at first was noted when it was made.
    const news = known === undefined ? [] : history.filter(({ at }) => at > (known ?? ''));
    known = history.at(-1)?.at ?? known ?? '';
    for (const { at, by, what } of news) {
      note({ at: Date.parse(at), kind: 'permission', client: null, subject: what, outcome: `changed by ${by}` });
    }
  };
  void look();
  return permissions.subscribe(() => void look());
}
