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

/** Names as the protocol wants them (MCP › Tools). A name of another form may be anything, contents too. */
const NAME = /^[\w.\-/]{1,128}$/;
const CLIENT_NAME = /^[\w.\-/@+() ]{1,64}$/;
const UNUSUAL = '(unusual name)';

/** A call as it is audited; undefined if it is not. */
export function auditedCall(call: Omit<HubCall, 'id'>): AuditedCall | undefined {
  const { clientName, profile, path, method, tool, startedAt, durationMs, outcome, errorCode } = call;
  if (!AUDITED.has(method)) return undefined;
  return {
    at: new Date(startedAt).toISOString(),
    client: named(clientName, CLIENT_NAME),
    profile: profile ?? null,
    server: path.split('?')[0] ?? '',
    method,
    tool: named(tool, NAME),
    outcome,
    errorCode,
    durationMs: Math.round(durationMs * 1000) / 1000,
  };
}

function named(name: string | null, usual: RegExp): string | null {
  return name === null || usual.test(name) ? name : UNUSUAL;
}
