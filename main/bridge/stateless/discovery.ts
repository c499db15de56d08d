import { SESSION_REVISIONS } from '../early-answer.ts';
import { textAt } from '../frame/edit.ts';
import { parseFrame } from '../frame/frame.ts';
import { itemsOf, type Members, memberAt, membersOf, rpcErrorIn } from '../frame/members.ts';
import type { HttpOutcome } from '../http-exchange.ts';
import { jsonRpcError } from '../session.ts';
import { STATELESS_REVISION } from './headers.ts';

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
/** Errors of the stateless revision alone, and the one for a method that a server does not have. */
const STATELESS_REFUSALS = new Set([-32601, -32020, -32021, -32022]);
/** Whether only servers of the stateless revision refuse with this error code. */
export function isStatelessRefusal(code: unknown): boolean {
  return code === -32020 || code === -32021 || code === -32022;
}

/** Errors that a server of the stateless revision may have for a request without its `_meta`, with status 400. */
const POSSIBLE_REFUSALS = new Set([-32600, -32602]);

/**
 * Whether an answer to `initialize` may come from a server of the stateless revision, which has no such method
 * (MCP 2026-07-28 › Versioning). Asking it `server/discover` then makes certain.
 */
export function mayBeStateless(outcome: HttpOutcome): boolean {
  if (outcome.kind !== 'refused' && outcome.kind !== 'frame') return false;
  const error = outcome.kind === 'frame' ? rpcErrorIn(parseFrame(outcome.frame)) : jsonRpcError(outcome.text);
  if (!error) return false;
  return STATELESS_REFUSALS.has(error.code) || (outcome.head.status === 400 && POSSIBLE_REFUSALS.has(error.code));
}

/** The answer to `server/discover`, as far as the bridge needs it. Texts are raw JSON. */
export interface Discovered {
  capabilities: Members;
  /** `capabilities` as it was written. */
  capabilitiesText: string;
  serverInfo: string;
  instructions: string | undefined;
}

/** Reads the answer to `server/discover`; undefined if it is none, or the server does not speak the revision. */
export function readDiscovered(frame: Buffer): Discovered | undefined {
  const result = memberAt(parseFrame(frame), 'result');
  if (!itemsOf(memberAt(result, 'supportedVersions')).includes(STATELESS_REVISION)) return undefined;
  return {
    capabilities: membersOf(memberAt(result, 'capabilities')),
    capabilitiesText: textAt(frame, 'result', 'capabilities') ?? '{}',
    serverInfo:
      textAt(frame, 'result', '_meta', SERVER_INFO) ??
      textAt(frame, 'result', 'serverInfo') ??
      '{"name":"unnamed","version":"0"}',
    instructions: textAt(frame, 'result', 'instructions'),
  };
}

/** The answer to a client's `initialize`, made of the server's answer to `server/discover`. `id` is raw JSON text. */
export function initializeAnswer(discovered: Discovered, id: string, asked: unknown): Buffer {
  const version = typeof asked === 'string' && SESSION_REVISIONS.has(asked) ? asked : '2025-11-25';
  const members = [
    `"protocolVersion":"${version}"`,
    `"capabilities":${discovered.capabilitiesText}`,
    `"serverInfo":${discovered.serverInfo}`,
    ...(discovered.instructions === undefined ? [] : [`"instructions":${discovered.instructions}`]),
  ];
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":{${members.join(',')}}}`);
}
