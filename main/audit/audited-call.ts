import { onWire, requestIdOnWire, versionOnWire } from '../hub/calls.ts';
import type { HubCall } from '../hub/session-record.ts';
import type { Origin } from './origin.ts';
import { type Acted, userOnRecord, workspaceOnRecord } from './who.ts';

/** What is kept of a call: no arguments, results, tokens or SQL. */
export interface AuditedCall extends Acted {
  event: 'call';
  /** As the AI client names itself; null until it has. */
  client: string | null;
  clientVersion: string | null;
  /** The server's path. */
  server: string;
  method: string;
  /** For `tools/call`. */
  tool: string | null;
  outcome: HubCall['outcome'];
  /** The JSON-RPC code, if there is one. */
  errorCode: number | null;
  /** Who in the workspace refused it, if that is known. */
  refusal: HubCall['refusal'];
  durationMs: number;
  /** The process's instance, and the number of the client's session in it. */
  session: string;
  /** The JSON-RPC id that the client gave it; unique in its session. */
  requestId: string;
  /** The SQL statement that its answer names. */
  statementId: string | null;
  /** The trace that the client says the call belongs to (W3C Trace Context); not in the file. */
  traceparent: string | null;
}

/** The requests by which a client acts, or reads what it has not listed only. */
const AUDITED = new Set(['tools/call', 'resources/read', 'prompts/get']);

/** A call as it is audited; undefined if it is not. */
export function auditedCall(call: Omit<HubCall, 'id'>, { instance, host, osUser }: Origin): AuditedCall | undefined {
  if (!AUDITED.has(call.method)) return undefined;
  const { at, client, profile, path: server, method, tool, ...ended } = onWire(call, null, false);
  const { outcome, errorCode, refusal, durationMs } = ended;
  return {
    at,
    client,
    profile,
    server,
    method,
    tool,
    outcome,
    errorCode,
    refusal,
    durationMs,
    event: 'call',
    clientVersion: versionOnWire(call.clientVersion),
    user: userOnRecord(call.user),
    osUser,
    host,
    ...workspaceOnRecord(call.workspace),
    session: `${instance}/${call.session}`,
    requestId: requestIdOnWire(call.requestId),
    statementId: call.statement?.id ?? null,
    traceparent: call.traceparent,
  };
}
