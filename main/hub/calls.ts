import type { HubCall } from './session-record.ts';
import type { WireCall } from './wire.ts';

/** Names as the protocol wants them (MCP › Tools). A name of another form may be anything, contents too. */
const NAME = /^[\w.\-/]{1,128}$/;
const CLIENT_NAME = /^[\w.\-/@+() ]{1,64}$/;
const UNUSUAL = '(unusual name)';

/** What is kept of a call outside the application's memory: no arguments, results, tokens or SQL. */
export function onWire(call: Omit<HubCall, 'id' | 'profile'> & { profile?: string | null | undefined }): WireCall {
  const { clientName, profile, path, method, tool, startedAt, durationMs, outcome, errorCode } = call;
  return {
    at: new Date(startedAt).toISOString(),
    client: named(clientName, CLIENT_NAME),
    profile: profile ?? null,
    path: path.split('?')[0] ?? '',
    method: named(method, NAME) ?? UNUSUAL,
    tool: named(tool, NAME),
    outcome,
    errorCode,
    durationMs: Math.round(durationMs * 1000) / 1000,
  };
}

function named(name: string | null, usual: RegExp): string | null {
  return name === null || usual.test(name) ? name : UNUSUAL;
}
