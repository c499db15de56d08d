import { parseFrame } from '../bridge/envelope.ts';
import { scanFrame } from '../bridge/raw-id.ts';

/** Up to this size, in bytes, finding a frame's id by walking through it costs no more than a look at its ends. */
const SHORT = 2 * 1024;
/** Up to this size, in bytes, a frame is read whole where that is the only way to know. */
const WHOLE = 64 * 1024;
/** How much of a longer frame's beginning and of its end is looked at, in bytes. */
const EDGE = 512;

const SCALAR = String.raw`(?:"(?:[^"\\]|\\.)*"|-?[\d.eE+-]+|null)`;
const MEMBER = String.raw`\s*"(?:jsonrpc|id|method)"\s*:\s*${SCALAR}\s*`;
/** The small members that a frame begins with, and which large one follows them. */
const BEGINNING = new RegExp(String.raw`^\s*\{((?:${MEMBER},)*)\s*"(params|result|error)"\s*:`);
/** The small members behind the large one: nothing but the frame's own last brace may follow. */
const ENDING = new RegExp(String.raw`[\]}"\w]\s*((?:,${MEMBER})+)\}\s*$`);
const ID = new RegExp(String.raw`"id"\s*:\s*(${SCALAR})`);
const METHOD = /"method"\s*:\s*"([^"\\]*)"/;
const NAME_FIRST = /"params"\s*:\s*\{\s*"name"\s*:\s*("(?:[^"\\]|\\.)*")/;
const ERROR_FIRST = /"result"\s*:\s*\{\s*"isError"\s*:\s*true\b/;
const ERROR_LAST = new RegExp(String.raw`[{,]\s*"isError"\s*:\s*true\s*\}\s*(?:,${MEMBER})*\}\s*$`);

/** How a request was answered, as far as its answer tells. */
export type Verdict =
  | { outcome: 'answered' | 'tool-error' }
  /** `reason` is Causeway's own word for it, where the answer is Causeway's own. */
  | { outcome: 'error'; errorCode: number | null; reason: unknown };

/** A frame's id as it was written, and its method. The middle of a long frame is passed over where its ends tell both. */
export function glance(frame: Buffer): ReturnType<typeof scanFrame> {
  if (frame.length <= SHORT) return scanFrame(frame);
  const beginning = BEGINNING.exec(frame.toString('latin1', 0, EDGE));
  if (!beginning) return scanFrame(frame);
  const [, members = '', large] = beginning;
  const method = METHOD.exec(members)?.[1];
  const rest = ID.test(members) ? members : (ENDING.exec(frame.toString('latin1', frame.length - EDGE))?.[1] ?? '');
  const id = ID.exec(rest)?.[1];
  const isKnown =
    id !== undefined && (large === 'params') === (method !== undefined) && !METHOD.test(rest.slice(members.length));
  return isKnown ? { id: Buffer.from(id, 'latin1').toString('utf8'), method } : scanFrame(frame);
}

/** The name of the tool that a `tools/call` asks for. Null too where it stands behind more than 64 KiB of other things. */
export function toolOf(frame: Buffer): string | null {
  const first = NAME_FIRST.exec(frame.toString('latin1', 0, EDGE))?.[1];
  if (first !== undefined) return shown(parseFrame(Buffer.from(first, 'latin1')));
  return frame.length <= WHOLE ? shown(Object(paramsOf(frame)).name) : null;
}

/**
 * How an answer says that it went. In answers of more than 64 KiB a tool's error is seen only where `isError` is the
 * result's first or last member, and an error only where nothing but id and version stand before it.
 */
export function verdictOf(frame: Buffer): Verdict {
  if (frame.length > WHOLE) return verdictOfLong(frame);
  if (!frame.includes('"error"') && !frame.includes('"isError"')) return { outcome: 'answered' };
  const { error, result } = Object(parseFrame(frame));
  if (typeof error === 'object' && error !== null) {
    const errorCode = typeof error.code === 'number' ? error.code : null;
    return { outcome: 'error', errorCode, reason: Object(error.data).reason };
  }
  return { outcome: Object(result).isError === true ? 'tool-error' : 'answered' };
}

function verdictOfLong(frame: Buffer): Verdict {
  const beginning = frame.toString('latin1', 0, EDGE);
  if (BEGINNING.exec(beginning)?.[2] === 'error') return { outcome: 'error', errorCode: null, reason: undefined };
  const failed = ERROR_FIRST.test(beginning) || ERROR_LAST.test(frame.toString('latin1', frame.length - EDGE));
  return { outcome: failed ? 'tool-error' : 'answered' };
}

/** The parameters of a request that is not long. */
export function paramsOf(frame: Buffer): unknown {
  return frame.length <= WHOLE ? Object(parseFrame(frame)).params : undefined;
}

/** The frames of a batch that is not long; undefined for a frame of its own. */
export function batchOf(frame: Buffer): Buffer[] | undefined {
  if (frame[0] !== 0x5b || frame.length > WHOLE) return undefined;
  const entries: unknown = parseFrame(frame);
  return Array.isArray(entries) ? entries.map((entry) => Buffer.from(JSON.stringify(entry))) : [];
}

/** The longest name that is kept, in characters: names come from outside and are shown. */
const LONGEST_NAME = 128;

/** A name as it may be shown; null for what is none. */
export function shown(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, LONGEST_NAME) : null;
}
