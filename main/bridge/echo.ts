import { foreignText, holdsSecret, type SentSecrets } from '../platform/foreign-text.ts';
import { withoutTokens } from '../platform/sent-tokens.ts';
import { parseFrame, rawId } from './frame/frame.ts';
import { memberAt, membersOf, rpcErrorIn } from './frame/members.ts';

/**
 * A well-formed response without our tokens. An error that repeats a token, in any encoding, keeps its code and the rest of its
 * message. A tool's own failure loses only the token. Any other result is left alone.
 */
export function withoutEcho(answer: Buffer, json: unknown, sent: SentSecrets): Buffer {
  if (memberAt(json, 'result', 'isError') === true) return withoutTokens(answer, sent);
  if (!membersOf(json).error || !holdsSecret(answer.toString('utf8'), sent)) return answer;
  const error = rpcErrorIn(parseFrame(answer));
  // The text that repeats it can be the result.
  if (!error) return answer;
  const rest = JSON.stringify({ code: error.code, message: foreignText(error.message, { sent }) });
  return Buffer.from(`{"jsonrpc":"2.0","id":${rawId(answer)},"error":${rest}}`);
}
