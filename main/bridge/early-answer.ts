import { VERSION } from '../platform/version.ts';
import type { StoredAnswer, StoredMethod } from './answer-store.ts';
import { ALL_CAPABILITIES } from './features.ts';
import { textAt } from './frame/edit.ts';
import { parseFrame, rawId, withId } from './frame/frame.ts';
import { memberAt, membersOf } from './frame/members.ts';
import { completed, inRevisionOf } from './stateless/completed.ts';
import { isStateless, STATELESS_REVISION } from './stateless/headers.ts';
import { ANSWER_TIMEOUTS } from './waiting-requests.ts';

/** The revisions that have sessions: the bridge may answer their `initialize` itself. */
export const SESSION_REVISIONS = new Set(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']);
const LATEST_SESSION_REVISION = '2025-11-25';

/** The `initialize` result for a server that has never answered. */
const UNKNOWN_SERVER = {
  protocolVersion: LATEST_SESSION_REVISION,
  capabilities: ALL_CAPABILITIES,
  serverInfo: { name: 'causeway', title: 'Causeway', version: VERSION },
};

/** The last known answer of the server to a method; undefined if there is none. */
export type Remembered = (answer: StoredAnswer) => Promise<Buffer | undefined>;

const URGENT: ReadonlySet<string> = new Set(['initialize', 'server/discover', 'ping']);

/** Whether clients give up on such a request first: it begins a session, or asks whether this side is alive. */
export function isUrgent(method: string | undefined): method is string {
  return method !== undefined && URGENT.has(method);
}

/**
 * The answer to a request that the client gets before its server answers: what is known without the server, or what it answered
 * last. Undefined if only the server can answer.
 */
export async function earlyAnswer(
  request: Buffer,
  method: string,
  remembered: Remembered,
): Promise<Buffer | undefined> {
  // The stateless revision has no ping: the bridge refuses it.
  const known = isStateless(request) ? undefined : answerWithoutServer(request, method);
  if (known) return known;
  if (method === 'initialize') {
    const { answer, revision } = await foreseenOpening(request, remembered);
    return provisionalInitialize(request, answer, revision);
  }
  if (method === 'server/discover') {
    const discovered = await remembered('server/discover');
    const answer = discovered ?? discoverAnswer(provisionalInitialize(request, await remembered('initialize')));
    return withId(answer, rawId(request));
  }
  if (!isFirstPage(request, method)) return undefined;
  const list = await remembered(method);
  return list && parseFrame(list) !== undefined ? inRevisionOf(request, withId(list, rawId(request))) : undefined;
}

/**
 * How long a client waits for the server's own answer to an opening request before it is answered without the server, in
 * milliseconds: longer where it is not known what the server would answer.
 */
export async function handshakeMs(request: Buffer, method: string, remembered: Remembered): Promise<number> {
  const { handshakeMs, firstHandshakeMs } = ANSWER_TIMEOUTS;
  return (await isForeseen(request, method, remembered)) ? handshakeMs : firstHandshakeMs;
}

async function isForeseen(request: Buffer, method: string, remembered: Remembered): Promise<boolean> {
  if (answerWithoutServer(request, method) && !isStateless(request)) return true;
  if (method !== 'initialize')
    return Boolean((await remembered('server/discover')) ?? (await remembered('initialize')));
  const { answer, revision } = await foreseenOpening(request, remembered);
  return answer !== undefined && (revision !== undefined || revisionIn(request) === undefined);
}

/**
 * What is remembered for an `initialize`: the server's last answer, and the revision that it chose where a client asked for the
 * one that is asked for now.
 */
async function foreseenOpening(
  request: Buffer,
  remembered: Remembered,
): Promise<{ answer?: Buffer; revision?: string }> {
  const [answer, revisions] = await Promise.all([remembered('initialize'), remembered('revisions')]);
  const asked = revisionIn(request);
  const revision = revisions && asked !== undefined ? memberAt(parseFrame(revisions), asked) : undefined;
  return { ...(answer && { answer }), ...(typeof revision === 'string' && { revision }) };
}

/** What is remembered of the revisions once a server has answered this request with this `result`. */
export function withNegotiated(revisions: Buffer | undefined, request: Buffer, result: unknown): Buffer | undefined {
  const asked = revisionIn(request);
  const { protocolVersion } = membersOf(result);
  if (asked === undefined || !SESSION_REVISIONS.has(asked) || typeof protocolVersion !== 'string') return undefined;
  const known = membersOf(revisions && parseFrame(revisions));
  return Buffer.from(JSON.stringify({ ...known, [asked]: protocolVersion }));
}

function revisionIn(initialize: Buffer): string | undefined {
  const asked = memberAt(parseFrame(initialize), 'params', 'protocolVersion');
  return typeof asked === 'string' ? asked : undefined;
}

/** Whether this is an answer to `initialize` of `provisionalInitialize` for a server of which nothing is known. */
export function isOfUnknownServer(answer: unknown): boolean {
  return memberAt(answer, 'result', 'serverInfo', 'name') === UNKNOWN_SERVER.serverInfo.name;
}

/** The answer to a probe in the revisions with sessions, which needs no server; undefined for anything else. */
export function answerWithoutServer(request: Buffer, method: string): Buffer | undefined {
  if (method === 'ping') return outcomeFrame(request, '"result":{}');
  // The stateless revision's probe: the client then sends `initialize`.
  const unknown = '"error":{"code":-32601,"message":"Method not found: server/discover"}';
  return method === 'server/discover' ? outcomeFrame(request, unknown) : undefined;
}

/** Whether answers to this method are remembered. */
export function isStored(method: string): method is StoredMethod {
  return method === 'initialize' || method === 'tools/list';
}

/** Whether the answer to this request is remembered: of a list of tools, only the whole one. */
export function isFirstPage(request: Buffer, method: string): method is StoredMethod {
  return isStored(method) && !request.includes('"cursor"');
}

/**
 * The answer to an `initialize` that needs no server, announcing that the tools may change.
 * @param remembered the server's own last answer, if there is one
 * @param revision the one that the server would choose; left out, it is the client's
 */
export function provisionalInitialize(request: Buffer, remembered: Buffer | undefined, revision?: string): Buffer {
  const known = remembered && memberAt(parseFrame(remembered), 'result');
  const result = typeof known === 'object' && known !== null ? membersOf(known) : UNKNOWN_SERVER;
  const asked = revisionIn(request);
  const capabilities = membersOf(result.capabilities);
  const tools = { ...membersOf(capabilities.tools), listChanged: true };
  const answer = {
    ...result,
    protocolVersion: revision ?? (asked !== undefined && SESSION_REVISIONS.has(asked) ? asked : result.protocolVersion),
    capabilities: { ...capabilities, tools },
  };
  return outcomeFrame(request, `"result":${JSON.stringify(answer)}`);
}

/** The answer to `server/discover` that a session's `initialize` answer amounts to, with the id 0. */
export function discoverAnswer(opened: Buffer): Buffer {
  const instructions = textAt(opened, 'result', 'instructions');
  const members = [
    `"supportedVersions":["${STATELESS_REVISION}"]`,
    `"capabilities":${textAt(opened, 'result', 'capabilities') ?? '{}'}`,
    ...(instructions === undefined ? [] : [`"instructions":${instructions}`]),
    `"_meta":{"io.modelcontextprotocol/serverInfo":${textAt(opened, 'result', 'serverInfo') ?? '{"name":"unnamed","version":"0"}'}}`,
  ];
  return completed(Buffer.from(`{"jsonrpc":"2.0","id":0,"result":{${members.join(',')}}}`), true);
}

/** @param outcome the member `result` or `error` */
function outcomeFrame(request: Buffer, outcome: string): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","id":${rawId(request)},${outcome}}`);
}
