import type { HubCall } from '../main/hub/session-record.ts';

/** A call as the hub tells of it: answered at once at the first attempt, unless the test says otherwise. */
export function endedCall(change: Partial<Omit<HubCall, 'id'>> = {}): Omit<HubCall, 'id'> {
  return {
    session: 1,
    requestId: '1',
    traceparent: null,
    workspace: null,
    pid: 100,
    clientName: 'claude-ai',
    clientVersion: '1.2',
    profile: 'ana',
    path: '/api/2.0/mcp/sql',
    user: null,
    method: 'tools/call',
    tool: 'execute_sql',
    startedAt: 0,
    durationMs: 1,
    outcome: 'answered',
    errorCode: null,
    bytesFromClient: 300,
    bytesToClient: 900,
    contents: null,
    attempts: [{ afterMs: 0.1, tookMs: 0.8, failure: null }],
    problem: null,
    refusal: null,
    statement: null,
    ...change,
  };
}
