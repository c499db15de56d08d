import { isWireName } from '../../platform/wire-name.ts';
import { CLIENT_INFO } from '../client-name.ts';
import { textAt, withMembers } from '../frame/edit.ts';
import { parseFrame, rawId, withId } from '../frame/frame.ts';
import { type Members, memberAt, membersOf } from '../frame/members.ts';
import { revisionOf, STATELESS_REVISION } from './headers.ts';

/** Methods that the stateless revision has removed (MCP 2026-07-28 › Changes). */
const REMOVED = new Set(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);

/** Requests whose results may ask for input (MCP 2026-07-28 › Multi Round-Trip Requests). */
export const INPUT_METHODS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** A request of the client's, and what has been read of it: frames may be large, and are read once. */
export interface ClientRequest {
  frame: Buffer;
  /** As it was written. */
  id: string;
  method: string;
  params: unknown;
}

/** The request in a frame that is known to hold one. `json` is the frame, where it has been parsed. */
export function requestIn(frame: Buffer, json: unknown = parseFrame(frame)): ClientRequest {
  const { method, params } = membersOf(json);
  return { frame, id: rawId(frame), method: typeof method === 'string' ? method : '', params };
}

/** The parts of a client's request that decide whether it may be answered with a request for input. */
export interface RequestContext {
  method: string;
  /** What its client can do. */
  capabilities: Record<string, unknown>;
}

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/**
 * What GitHub Copilot CLI calls itself. Seen in 1.0.102: it declares that it opens addresses, and fails where a result asks it to
 * ("expected CallToolResult from tools/call, got CustomResult").
 */
const FAILS_AT_REQUESTS_FOR_INPUT = ['copilot-cli', 'github-copilot-developer'];

/** Whether the client of a request is known to fail at a result that asks for input, whatever it declares. */
export function failsAtInput(params: unknown): boolean {
  const name = memberAt(metaOf(params)[CLIENT_INFO], 'name');
  return typeof name === 'string' && FAILS_AT_REQUESTS_FOR_INPUT.some((known) => isWireName(name, known));
}
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

/** The capabilities that a request of the stateless revision declares, without those that its client lacks; undefined if it declares none. */
export function capabilitiesOf(params: unknown): Record<string, unknown> | undefined {
  const declared = metaOf(params)[CAPABILITIES];
  if (typeof declared !== 'object' || declared === null) return undefined;
  return failsAtInput(params) ? {} : { ...declared };
}

/** The least severe level of log messages that a stateless request asks for; undefined for none. */
export function logLevelOf(params: unknown): string | undefined {
  const level = metaOf(params)[LOG_LEVEL];
  return typeof level === 'string' ? level : undefined;
}

/**
 * Why a server of the stateless revision refuses a request, as the error's JSON text; undefined if it does not. A server
 * with sessions would accept what that revision forbids, so the bridge refuses.
 */
export function protocolErrorFor({ method, params }: ClientRequest): string | undefined {
  const revision = revisionOf(params);
  if (revision === undefined || capabilitiesOf(params) === undefined) {
    return protocolError(-32602, 'Invalid params: _meta names no protocol version or no client capabilities.');
  }
  if (revision !== STATELESS_REVISION) {
    const data = { supported: [STATELESS_REVISION], requested: revision };
    return protocolError(-32022, `Unsupported protocol version: ${revision}`, data);
  }
  return REMOVED.has(method) ? protocolError(-32601, `Method not found: ${method}`) : undefined;
}

/** A JSON-RPC error as JSON text. */
export function protocolError(code: number, message: string, data?: unknown): string {
  return JSON.stringify({ code, message, ...(data === undefined ? {} : { data }) });
}

function metaOf(params: unknown): Members {
  return membersOf(memberAt(params, '_meta'));
}

/**
 * Requests as a stateless server expects them: each carries its client's `_meta` and an id that was not used
 * before. All their other bytes stay as the client wrote them.
 */
export class OutgoingRequests {
  /** The frames sent already: a retry needs another id. */
  readonly #sent = new WeakSet<Buffer>();
  #ids = 0;
  /** The client's own `initialize`; a stateless client has none. */
  initialize: Buffer | undefined;
  /** As JSON text. */
  logLevel: string | undefined;

  /** Whether the client is stateless too: its requests are complete, and it understands every answer. */
  get isNative(): boolean {
    return this.initialize === undefined;
  }

  /** A request of the client's, with what it was asked for: members of `params`, as JSON text without braces. */
  ofClient(frame: Buffer, input: string): Buffer {
    const isAgain = this.#sent.has(frame);
    this.#sent.add(frame);
    const numbered = isAgain && rawId(frame) !== 'null' ? withId(frame, this.#freshId()) : frame;
    const withInput = input === '' ? numbered : withMembers(numbered, ['params'], input);
    return this.isNative ? withInput : withMembers(withInput, ['params', '_meta'], this.#meta());
  }

  /** A request of the bridge's own. `params` is JSON text without braces. */
  own(method: string, params = ''): Buffer {
    const members = `${params}${params === '' ? '' : ','}"_meta":{${this.#meta()}}`;
    return Buffer.from(`{"jsonrpc":"2.0","id":${this.#freshId()},"method":"${method}","params":{${members}}}`);
  }

  #freshId(): string {
    this.#ids += 1;
    return `"causeway-${this.#ids}"`;
  }

  /** What each request says about the client (MCP 2026-07-28 › `_meta`), as the client wrote it. */
  #meta(): string {
    const capabilities = (this.initialize && textAt(this.initialize, 'params', 'capabilities')) ?? '{}';
    const clientInfo = this.initialize && textAt(this.initialize, 'params', 'clientInfo');
    return [
      `"io.modelcontextprotocol/protocolVersion":"${STATELESS_REVISION}"`,
      `"io.modelcontextprotocol/clientCapabilities":${capabilities}`,
      ...(clientInfo === undefined ? [] : [`"io.modelcontextprotocol/clientInfo":${clientInfo}`]),
      ...(this.logLevel === undefined ? [] : [`"io.modelcontextprotocol/logLevel":${this.logLevel}`]),
    ].join(',');
  }
}
