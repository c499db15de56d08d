import { REFUSAL_FACTS, type RefusalKind, readRefusal } from '../../preload/contract/refusals.ts';
import { parseFrame, scanFrame } from '../bridge/frame/frame.ts';
import { memberAt, membersOf } from '../bridge/frame/members.ts';
import { readNote } from '../bridge/refusals.ts';
import { traceparentOf } from '../bridge/trace-context.ts';
import { failedResult } from './failed-result.ts';

/** Up to this size, in bytes, a frame is read whole if its ends are not enough. */
const MAX_WHOLE_BYTES = 64 * 1024;
/** How many bytes of a frame's beginning and of its end are read. */
const EDGE_BYTES = 512;

const SCALAR = String.raw`(?:"(?:[^"\\]|\\.)*"|-?[\d.eE+-]+|null)`;
const MEMBER = String.raw`\s*"(?:jsonrpc|id|method)"\s*:\s*${SCALAR}\s*`;
/** The small members that a frame begins with, and which large one follows them. */
const BEGINNING = new RegExp(String.raw`^\s*\{((?:${MEMBER},)*)\s*"(params|result|error)"\s*:`);
/** The small members after the large one. Only the frame's closing brace follows them. */
const ENDING = new RegExp(String.raw`[\]}"\w]\s*((?:,${MEMBER})+)\}\s*$`);
const ID = new RegExp(String.raw`"id"\s*:\s*(${SCALAR})`);
const METHOD = /"method"\s*:\s*"([^"\\]*)"/;
const NAME_FIRST = /"params"\s*:\s*\{\s*"name"\s*:\s*("(?:[^"\\]|\\.)*")/;
const ERROR_FIRST = /"result"\s*:\s*\{\s*"isError"\s*:\s*true\b/;
const ERROR_LAST = new RegExp(String.raw`[{,]\s*"isError"\s*:\s*true\s*\}\s*(?:,${MEMBER})*\}\s*$`);

/** The members that can be large. A frame has one of them. */
const BODIES = ['params', 'result', 'error'] as const;

/** A frame's id, method and kind of body. */
export interface FrameSummary {
  /** As it was written. */
  id: string | undefined;
  method: string | undefined;
  /** The member with the frame's content, if its beginning shows it. */
  body: (typeof BODIES)[number] | undefined;
}

/** The outcome of a request, as its answer shows it. */
export type CallOutcome = { outcome: 'answered' | 'tool-error' } | ErrorOutcome;

interface ErrorOutcome {
  outcome: 'error';
  errorCode: number | null;
  /** Present if Causeway itself wrote the answer, or knows the refusal in it. */
  problem: { code: string; message: string } | null;
  refusal: RefusalKind | null;
}

const ANSWERED: CallOutcome = { outcome: 'answered' };
const IS_ERROR = Buffer.from('"isError"');
/** How the structured content, or a text that holds it, names its state; most answers have none. */
const STATUS = Buffer.from('status');

/** Reads a frame's id and method. Only its ends are read if they show both, as with every known SDK. */
export function summarizeFrame(frame: Buffer): FrameSummary {
  const [, members = '', large] = BEGINNING.exec(frame.toString('latin1', 0, EDGE_BYTES)) ?? [];
  const body = BODIES.find((name) => name === large);
  if (!body) return { ...scanFrame(frame), body };
  const method = METHOD.exec(members)?.[1];
  let id = ID.exec(members)?.[1];
  if (id === undefined) {
    const behind = ENDING.exec(frame.subarray(-EDGE_BYTES).toString('latin1'))?.[1] ?? '';
    id = METHOD.test(behind) ? undefined : ID.exec(behind)?.[1];
  }
  if (id === undefined || (body === 'params') !== (method !== undefined)) return { ...scanFrame(frame), body };
  return { id: asUtf8(id), method, body };
}

/** The name of the tool that a `tools/call` asks for. Null also if more than 64 KiB of other members precede it. */
export function calledTool(frame: Buffer): string | null {
  const first = NAME_FIRST.exec(frame.toString('latin1', 0, EDGE_BYTES))?.[1];
  return nameOrNull(first === undefined ? memberAt(paramsOf(frame), 'name') : parseFrame(Buffer.from(first, 'latin1')));
}

/**
 * The outcome that an answer shows. In answers of more than 64 KiB a tool's error is seen only if `isError` is the
 * result's first or last member, and neither a failed statement nor the error's code is.
 * @param json the answer, if it has been parsed already
 */
export function callOutcome(frame: Buffer, { body }: FrameSummary, json?: unknown): CallOutcome {
  if (!isReadWhole(frame)) return outcomeOfLongFrame(frame, body);
  if (body === 'result' && !frame.includes(IS_ERROR) && !frame.includes(STATUS)) return ANSWERED;
  const { error, result } = membersOf(json ?? parseFrame(frame));
  if (typeof error === 'object' && error !== null) {
    return errorIn(error);
  }
  const { isError, structuredContent, content } = membersOf(result);
  return isError === true || failedResult(structuredContent, content) ? { outcome: 'tool-error' } : ANSWERED;
}

/** The longest message of an error that is kept, in characters. */
const MAX_MESSAGE_CHARACTERS = 600;

/** An error's code, and its message if that is Causeway's own or a refusal's: any other message of a server can hold contents. */
function errorIn(error: object): ErrorOutcome {
  const { code, message, data } = membersOf(error);
  const note = readNote(data);
  const isOwn = memberAt(data, 'source') === 'causeway';
  const own = isOwn ? nameOrNull(memberAt(data, 'reason') ?? 'internal') : null;
  const reason = note ? REFUSAL_FACTS[note.refusal].code : own;
  return {
    outcome: 'error',
    errorCode: typeof code === 'number' ? code : null,
    problem: reason === null ? null : { code: reason, message: String(message).slice(0, MAX_MESSAGE_CHARACTERS) },
    refusal: note?.refusal ?? (isOwn ? readRefusal(memberAt(data, 'refusal')) : null),
  };
}

function outcomeOfLongFrame(frame: Buffer, body: FrameSummary['body']): CallOutcome {
  if (body === 'error') return { outcome: 'error', errorCode: null, problem: null, refusal: null };
  const failed =
    ERROR_FIRST.test(frame.toString('latin1', 0, EDGE_BYTES)) ||
    ERROR_LAST.test(frame.toString('latin1', frame.length - EDGE_BYTES));
  return failed ? { outcome: 'tool-error' } : ANSWERED;
}

/** The text whose UTF-8 was read byte by byte. */
function asUtf8(latin1: string): string {
  return /[\x80-\xff]/.test(latin1) ? Buffer.from(latin1, 'latin1').toString() : latin1;
}

/** Whether a frame is short enough to be read whole. */
export function isReadWhole(frame: Buffer): boolean {
  return frame.length <= MAX_WHOLE_BYTES;
}

/** The trace that a request says it belongs to (MCP › `_meta`, `traceparent`); null for anything else under that name. */
export function traceparentIn(frame: Buffer): string | null {
  if (!isReadWhole(frame) || !frame.includes('"traceparent"')) return null;
  return traceparentOf(paramsOf(frame)) ?? null;
}

/** The parameters of a request that is not long. */
export function paramsOf(frame: Buffer): unknown {
  return isReadWhole(frame) ? memberAt(parseFrame(frame), 'params') : undefined;
}

/** The frames of a batch that is not long; undefined for a frame of its own. */
export function batchOf(frame: Buffer): Buffer[] | undefined {
  if (frame[0] !== 0x5b || !isReadWhole(frame)) return undefined;
  const entries: unknown = parseFrame(frame);
  return Array.isArray(entries) ? entries.map((entry) => Buffer.from(JSON.stringify(entry))) : [];
}

/** The longest name that is kept, in characters: names come from outside and are shown. */
const MAX_NAME_CHARACTERS = 128;

/** A name that is safe to show; null for anything else. */
export function nameOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_NAME_CHARACTERS) : null;
}
