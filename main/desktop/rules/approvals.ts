import type { ConfiguredServer, PendingApprovalInfo } from '../../../preload/contract.ts';
import { clientOnWire, displayNameOf } from '../../clients/table.ts';
import { displayText } from '../../platform/display.ts';
import type { PendingApproval } from '../../rules/approvals.ts';

/** How long a call may wait where the client's own limit is not known, in milliseconds: many clients give up after 60 s. */
const UNKNOWN_WAIT_MS = 45_000;
/** How much sooner than the client's own limit a call is refused, in milliseconds. */
const MARGIN_MS = 15_000;
const MAX_WAIT_MS = 240_000;

/** How long a call of the client that calls itself so may wait for the user, in milliseconds. */
export function approvalWaitMs(client: string | undefined): number {
  const patience = clientOnWire(client ?? '')?.patience;
  return patience ? Math.min(patience.ms - MARGIN_MS, MAX_WAIT_MS) : UNKNOWN_WAIT_MS;
}

/** The longest statement, and the longest other arguments, that the window receives, in characters. */
const MAX_SHOWN_LENGTH = 20_000;
/** The argument in which a tool of the SQL server takes its SQL; others spell it otherwise. */
const STATEMENT_ARGUMENTS = ['query', 'statement', 'sql'];

/** A call that waits, as tray and window show it. */
export function approvalForWindow(waiting: PendingApproval, servers: readonly ConfiguredServer[]): PendingApprovalInfo {
  const { id, client, tool, expiresAt } = waiting;
  const { profile, path } = waiting.server;
  const { statement, rest } = argumentsOf(waiting.arguments);
  const cutLength = (text: string | null) => Math.max(0, (text?.length ?? 0) - MAX_SHOWN_LENGTH);
  return {
    id,
    client: client === undefined ? null : displayNameOf(client),
    mark: clientOnWire(client ?? '')?.mark ?? null,
    server: servers.find((server) => server.profile === profile && server.path === path)?.name ?? path,
    profile,
    tool,
    statement: statement?.slice(0, MAX_SHOWN_LENGTH) ?? null,
    arguments: rest?.slice(0, MAX_SHOWN_LENGTH) ?? null,
    cut: cutLength(statement) + cutLength(rest),
    expiresAt,
  };
}

function argumentsOf(json: string): { statement: string | null; rest: string | null } {
  const values: unknown = JSON.parse(json);
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return { statement: null, rest: json };
  const entries = Object.entries(values);
  const statement = entries.find(([name, value]) => STATEMENT_ARGUMENTS.includes(name) && typeof value === 'string');
  const others = entries.filter((entry) => entry !== statement);
  return {
    statement: statement ? String(statement[1]) : null,
    rest: others.length > 0 ? JSON.stringify(Object.fromEntries(others), null, 2) : null,
  };
}

/** The longest beginning of a call's arguments in a notification or a menu, in characters. */
const MAX_BEGINNING_LENGTH = 80;

/** The beginning of what a call would do, in one line; empty where it has no arguments. */
export function beginningOf({ statement, arguments: rest }: PendingApprovalInfo): string {
  return displayText((statement ?? rest ?? '').replace(/\s+/g, ' ').trim(), { maxLength: MAX_BEGINNING_LENGTH });
}

/** `Claude Code asks to use execute_sql`. */
export function questionOf({ client, tool }: PendingApprovalInfo): string {
  return `${client ?? 'An AI client'} asks to use ${tool}`;
}

/** The calls that wait now and did not before. */
export function newApprovals(
  before: readonly PendingApprovalInfo[],
  now: readonly PendingApprovalInfo[],
): readonly PendingApprovalInfo[] {
  const known = new Set(before.map(({ id }) => id));
  return now.filter(({ id }) => !known.has(id));
}
