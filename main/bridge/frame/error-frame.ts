import { CausewayError } from '../../platform/errors.ts';
import { inOneLine } from '../../words/failure.ts';
import { isStateless } from '../stateless/headers.ts';

/** Implementation-defined, outside the range that JSON-RPC reserves, so that it never looks like the server's own. */
const LOCAL_ERROR_CODE = -31_999;

/** The errors from which this process made error frames, for callers in the same process. */
const behind = new WeakMap<Buffer, unknown>();

/** The JSON-RPC error frame for a request that cannot succeed. `id` is the raw text of the request's id. */
export function errorFrame(id: string, error: unknown): Buffer {
  const known = error instanceof CausewayError ? error : undefined;
  const data = { source: 'causeway', reason: known?.code, refusal: known?.refusal };
  const body = JSON.stringify({ code: LOCAL_ERROR_CODE, message: inOneLine(error), data });
  const frame = Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${body}}`);
  behind.set(frame, error);
  return frame;
}

/** The result of a tool call with this text, which the model reads. `id` is the raw id of `call`, or of the call in its batch. */
export function toolTextFrame(id: string, call: Buffer, text: string, isError = true): Buffer {
  const result = JSON.stringify({
    content: [{ type: 'text', text }],
    ...(isError ? { isError } : {}),
    ...(isStateless(call) ? { resultType: 'complete' } : {}),
  });
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
}

/** The error from which `errorFrame` made this frame; undefined for any other frame. */
export function errorOfFrame(frame: Buffer): unknown {
  return behind.get(frame);
}

/** The application that carried a call ended before the answer came. */
export function lostApplication(method: string): CausewayError {
  return new CausewayError('outcome_unknown', `Causeway was closed before it received the response to ${method}.`, {
    remedy: 'It may have run. Check the result before you repeat it.',
  });
}

/** The application that carried a call has been silent for too long. */
export function silentApplication(method: string): CausewayError {
  return new CausewayError('outcome_unknown', `Causeway stopped responding during ${method}.`, {
    remedy: 'It may have run. Check the result before you repeat it.',
  });
}
