import type { AuditedCall } from './audited-call.ts';
import type { AuditedEvent } from './audited-event.ts';

/** The histogram of calls, in seconds (OpenTelemetry › Semantic conventions for MCP). */
export const DURATION = 'mcp.client.operation.duration';
/** The boundaries of its buckets, as the conventions give them. */
export const BOUNDARIES_S = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** What a metric or a log record says besides its value. */
export type Attributes = Record<string, string | number | boolean | string[]>;

/** What metrics are told apart by: few values each. */
export function attributesOf(call: AuditedCall): Attributes {
  const { client, profile, server, workspace, method, tool, outcome, errorCode, refusal } = call;
  return {
    'mcp.method.name': method,
    'network.transport': 'tcp',
    'causeway.server': server,
    'causeway.outcome': outcome,
    ...known({
      'server.address': hostnameOf(workspace),
      'causeway.client': client,
      'causeway.profile': profile,
      'gen_ai.tool.name': tool,
      'gen_ai.operation.name': method === 'tools/call' ? 'execute_tool' : null,
      'error.type': errorType(outcome, errorCode),
      'causeway.refusal': refusal,
      'rpc.response.status_code': errorCode === null ? null : String(errorCode),
    }),
  };
}

/** What only one call has, or only one person. */
export function detailsOf(call: AuditedCall): Attributes {
  const { user, workspaceId, clientVersion, session, requestId, statementId, durationMs } = call;
  return {
    'causeway.duration_ms': durationMs,
    'causeway.session': session,
    'jsonrpc.request.id': requestId,
    ...known({
      'enduser.id': user,
      'causeway.workspace_id': workspaceId,
      'causeway.client_version': clientVersion,
      'causeway.statement_id': statementId,
    }),
  };
}

/** OpenTelemetry › Semantic conventions for MCP › `error.type`. */
function errorType(outcome: AuditedCall['outcome'], errorCode: number | null): string | null {
  if (outcome === 'answered') return null;
  if (errorCode !== null) return String(errorCode);
  return outcome === 'tool-error' ? 'tool_error' : outcome;
}

/** What the resource or the record itself says. */
const SAID_ELSEWHERE = new Set(['at', 'event', 'host', 'osUser']);
const STANDARD: Record<string, string> = { user: 'enduser.id', workspace: 'server.address' };

/** The facts of an event. */
export function factsOf(event: AuditedEvent): Attributes {
  const facts: Attributes = {};
  for (const [name, fact] of Object.entries(event)) {
    if (fact === null || SAID_ELSEWHERE.has(name)) continue;
    const value = name === 'workspace' && typeof fact === 'string' ? hostnameOf(fact) : fact;
    if (value !== null)
      facts[STANDARD[name] ?? `causeway.${underscored(name)}`] = typeof value === 'object' ? [...value] : value;
  }
  return facts;
}

/** `workspaceId` and `sign-in` as OpenTelemetry writes names. */
export function underscored(name: string): string {
  return name.replaceAll('-', '_').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function known(values: Record<string, string | null>): Record<string, string> {
  const entries = Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  return Object.fromEntries(entries);
}

function hostnameOf(workspace: string | null): string | null {
  return workspace !== null && URL.canParse(workspace) ? new URL(workspace).hostname : null;
}
