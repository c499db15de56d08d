import type { EventFact, NotedEvent } from '../platform/noted-events.ts';
import type { AuditedCall } from './audited-call.ts';
import type { Origin, Program } from './origin.ts';
import { type Acted, userOnRecord, workspaceOnRecord } from './who.ts';

/**
 * An event besides calls: `sign-in`, `sign-out`, `permission-change`, `entry-change`, `override-change` and
 * `default-warehouse-change`, with facts of its own.
 */
export interface AuditedEvent extends Acted {
  event: string;
  /** Where it was done: `application` is the window or the tray. */
  by: Program;
  /** The facts of its kind. */
  [fact: string]: EventFact;
}

/** A call or another event, as it is written and sent. */
export type AuditRecord = AuditedCall | AuditedEvent;

const textOf = (fact: EventFact | undefined) => (typeof fact === 'string' ? fact : undefined);

/** An event as it is audited. @param at when it happened, in milliseconds since 1970 */
export function auditedEvent({ event, facts }: NotedEvent, origin: Origin, at: number): AuditedEvent {
  const { user, workspace, workspaceId, profile, ...rest } = facts;
  const host = textOf(workspace);
  return {
    at: new Date(at).toISOString(),
    event,
    by: origin.program,
    profile: textOf(profile) ?? null,
    user: userOnRecord(textOf(user)),
    osUser: origin.osUser,
    host: origin.host,
    ...workspaceOnRecord(host === undefined ? null : { host, workspaceId: textOf(workspaceId) }),
    ...rest,
  };
}
