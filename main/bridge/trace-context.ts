import { parseFrame } from './frame/frame.ts';
import { memberAt } from './frame/members.ts';

const TRACEPARENT = Buffer.from('"traceparent"');
/** Version, trace id, parent id, flags (W3C Trace Context › traceparent). */
const FORM = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;
/** W3C Trace Context › tracestate: at most this many characters have to be passed on, all of them of ASCII. */
const STATE = /^[\x20-\x7e]{1,512}$/;

/** The longest frame that is searched, in bytes. */
const MAX_BYTES = 1024 * 1024;

/**
 * The trace that a client's frame belongs to, as headers too: it names it in `_meta`, where it stays (MCP › _meta › OpenTelemetry
 * trace context). None for a batch, whose frames may be of several traces, and for what does not have the form of a trace.
 */
export function traceHeaders(frame: Buffer): Record<string, string> {
  if (frame.length > MAX_BYTES || !frame.includes(TRACEPARENT)) return {};
  const params = memberAt(parseFrame(frame), 'params');
  const traceparent = traceparentOf(params);
  const tracestate = memberAt(params, '_meta', 'tracestate');
  if (traceparent === undefined) return {};
  const hasState = typeof tracestate === 'string' && STATE.test(tracestate);
  return { traceparent, ...(hasState && { tracestate }) };
}

/** The trace that a request with these parameters says it belongs to; undefined for anything else under that name. */
export function traceparentOf(params: unknown): string | undefined {
  const value = memberAt(params, '_meta', 'traceparent');
  return typeof value === 'string' && FORM.test(value) ? value : undefined;
}
