import { withMembers } from '../frame/edit.ts';
import { parseFrame } from '../frame/frame.ts';
import { memberAt } from '../frame/members.ts';
import { isStateless } from './headers.ts';

/**
 * An answer with what the stateless revision demands in each result (MCP 2026-07-28), where its result lacks it. Whatever the bridge
 * answers by itself, or for a server of another revision, passes here.
 * @param isCacheable whether clients may keep results of this method for a time
 * @param json the answer as it was parsed
 */
export function completed(answer: Buffer, isCacheable: boolean, json: unknown = parseFrame(answer)): Buffer {
  const result = memberAt(json, 'result');
  if (typeof result !== 'object' || result === null) return answer;
  const members = [
    ...('resultType' in result ? [] : ['"resultType":"complete"']),
    ...(isCacheable && !('ttlMs' in result) ? ['"ttlMs":0'] : []),
    ...(isCacheable && !('cacheScope' in result) ? ['"cacheScope":"private"'] : []),
  ];
  return members.length === 0 ? answer : withMembers(answer, ['result'], members.join(','));
}

/**
 * An answer that is not the server's, in the revision of the client's request.
 * @param isCacheable whether clients may keep results of this method for a time
 */
export function inRevisionOf(request: Buffer, answer: Buffer, isCacheable = true): Buffer {
  return isStateless(request) ? completed(answer, isCacheable) : answer;
}
