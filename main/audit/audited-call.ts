import { onWire } from '../hub/calls.ts';
import type { HubCall } from '../hub/session-record.ts';

/** What is kept of a call: no arguments, results, tokens or SQL. */
export interface AuditedCall {
  /** When it began, in ISO 8601. */
  at: string;
  /** As the AI client names itself; null until it has. */
  client: string | null;
  profile: string | null;
  /** The server's path. */
  server: string;
  method: string;
  /** For `tools/call`. */
  tool: string | null;
  outcome: HubCall['outcome'];
  /** The JSON-RPC code, if there is one. */
  errorCode: number | null;
  durationMs: number;
}

/** The requests by which a client acts, or reads what it has not listed only. */
const AUDITED = new Set(['tools/call', 'resources/read', 'prompts/get']);

/** A call as it is audited; undefined if it is not. */
export function auditedCall(call: Omit<HubCall, 'id'>): AuditedCall | undefined {
  if (!AUDITED.has(call.method)) return undefined;
  const { at, client, profile, path: server, statement: _, isPoll: __, ...rest } = onWire(call, null, false);
  return { at, client, profile, server, ...rest };
}
