import type { ActivityCall, CallStatement } from '../../preload/contract/activity.ts';
import type { HubCall } from './session-record.ts';
import type { WireCall } from './wire.ts';

/** Names as the protocol wants them (MCP › Tools). A name of another form may be anything, contents too. */
const NAME = /^[\w.\-/]{1,128}$/;
const CLIENT_NAME = /^[\w.\-/@+() ]{1,64}$/;
const UNUSUAL = '(unusual name)';
const REQUEST_ID = /^[\w.\-:]{1,64}$/;
const UNUSUAL_ID = '(unusual id)';

/** What is known of a call's statement when the call has ended; null if it ran none. */
export function startedStatement(
  { statement, startedAt, durationMs }: Pick<HubCall, 'statement' | 'startedAt' | 'durationMs'>,
  lookUp: 'waiting' | 'off',
): CallStatement | null {
  if (!statement) return null;
  const { id, state, isPinned } = statement;
  return { id, state, isPinned, polls: 0, seenAt: startedAt + durationMs, lookUp, record: null };
}

/** A poll that has shown more of a statement; undefined for a call that stands for itself, as a poll that failed does. */
export function shownByPoll<Call extends Pick<ActivityCall, 'outcome' | 'statement'>>(
  first: Call | undefined,
  poll: { outcome: ActivityCall['outcome']; statement: CallStatement | null },
): Call | undefined {
  if (!first?.statement || !poll.statement) return undefined;
  if (poll.outcome !== 'answered' && poll.outcome !== 'tool-error') return undefined;
  const { state, polls } = first.statement;
  const { seenAt } = poll.statement;
  return {
    ...first,
    outcome: poll.outcome === 'tool-error' ? poll.outcome : first.outcome,
    statement: { ...first.statement, state: poll.statement.state ?? state, polls: polls + 1, seenAt },
  };
}

/** What is kept of a call outside the application's memory: no arguments, results, tokens or SQL. */
export function onWire(
  call: Omit<HubCall, 'id' | 'profile' | 'statement' | 'requestId' | 'traceparent' | 'workspace'> & {
    profile?: string | null | undefined;
  },
  statement: CallStatement | null,
  isPoll: boolean,
): WireCall {
  const { clientName, profile, path, method, tool, startedAt, durationMs, outcome, errorCode, refusal } = call;
  return {
    at: new Date(startedAt).toISOString(),
    client: named(clientName, CLIENT_NAME),
    profile: profile ?? null,
    path: path.split('?')[0] ?? '',
    method: named(method, NAME) ?? UNUSUAL,
    tool: named(tool, NAME),
    outcome,
    errorCode,
    refusal,
    durationMs: Math.round(durationMs * 1000) / 1000,
    statement,
    isPoll,
  };
}

/** A version as a client names it. */
export function versionOnWire(version: string | null): string | null {
  return named(version, CLIENT_NAME);
}

/** A JSON-RPC id without the quotes of a text. One of an unusual form may hold anything. */
export function requestIdOnWire(raw: string): string {
  const id = raw.replace(/^"([^"]*)"$/, '$1');
  return REQUEST_ID.test(id) ? id : UNUSUAL_ID;
}

function named(name: string | null, usual: RegExp): string | null {
  return name === null || usual.test(name) ? name : UNUSUAL;
}
