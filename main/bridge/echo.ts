import { foreignText, holdsSecret, type SentSecrets } from '../platform/foreign-text.ts';
import { withoutTokens } from '../platform/sent-tokens.ts';
import { parseFrame, rawId } from './frame/frame.ts';
import { memberAt, membersOf, rpcErrorIn } from './frame/members.ts';

/**
 * A well-formed response as the client may read it. An error that repeats a token, however that is written, becomes its code and
 * what its message says besides. What a tool says about its own failure loses the token alone. Any other result is the client's.
 */
export function withoutEcho(answer: Buffer, json: unknown, sent: SentSecrets): Buffer {
  if (memberAt(json, 'result', 'isError') === true) return withoutTokens(answer, sent);
  if (!membersOf(json).error || !holdsSecret(answer.toString('utf8'), sent)) return answer;
  const error = rpcErrorIn(parseFrame(answer));
  // What repeats it may be the result.
  if (!error) return answer;
  const rest = JSON.stringify({ code: error.code, message: foreignText(error.message, { sent }) });
  return Buffer.from(`{"jsonrpc":"2.0","id":${rawId(answer)},"error":${rest}}`);
}
