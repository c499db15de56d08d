import { REFUSAL_FACTS, type RefusalKind, readRefusal } from '../../preload/contract/refusals.ts';
import { sentences } from '../platform/errors.ts';
import { type RefusedPlace, refusalStep } from '../words/refusal-steps.ts';
import { FORBIDDEN_BY_RULE, refusalIn } from '../workspace/refusals.ts';
import { serviceOf } from '../workspace/service-name.ts';
import { placeAt, withMembers, withTexts } from './frame/edit.ts';
import { parseFrame } from './frame/frame.ts';
import { memberAt, membersOf, rpcErrorIn } from './frame/members.ts';
import type { HttpOutcome } from './http-exchange.ts';

/** What a server's error says to the user besides its own words, in `error.data.causeway`. */
export interface RefusalNote {
  refusal: RefusalKind;
  /** The server's own message. */
  said: string;
  /** What to do about it. */
  next: string;
}

/**
 * A server's error with what to do about it, if it is a refusal that is known; any other answer unchanged. Clients show their users
 * the message and little else, so the step follows the server's words there; programs find both in `error.data.causeway`.
 * @param status of the HTTP response that it came in
 */
export function withNextStep(answer: Buffer, json: unknown, status: number, place: RefusedPlace): Buffer {
  if (!('error' in membersOf(json))) return answer;
  const read = parseFrame(answer);
  const { rpcCode, words: said } = rpcRefusal(read);
  const refusal = refusalIn({ status, rpcCode, words: said, isService: isService(place.path) });
  const at = placeAt(answer, 'error', 'message');
  if (!refusal || !at) return answer;
  const next = refusalStep(refusal, place);
  const told = withTexts(answer, [at], () => JSON.stringify(sentences(said, next)));
  return withNote(told, memberAt(read, 'error', 'data'), { refusal, said, next });
}

/** What `withNextStep` has added to an error's data; undefined if nothing. */
export function readNote(data: unknown): RefusalNote | undefined {
  const { refusal, said, next } = membersOf(memberAt(data, 'causeway'));
  const kind = readRefusal(refusal);
  return kind && typeof said === 'string' && typeof next === 'string' ? { refusal: kind, said, next } : undefined;
}

/**
 * A refusal with an error status as the answer that it is, if the gateway has decided about the request: the status then says nothing
 * about the token, the session or the load, after which the request would be sent again.
 */
export function withDecision(outcome: HttpOutcome, path: string): HttpOutcome {
  if (outcome.kind !== 'refused' || !isService(path)) return outcome;
  const frame = Buffer.from(outcome.text);
  const { rpcCode } = rpcRefusal(parseFrame(frame));
  return rpcCode === FORBIDDEN_BY_RULE ? { kind: 'frame', head: outcome.head, frame } : outcome;
}

/** Whether administrators have decided a refusal, by its words: the request is not sent again, whatever the status. */
export function isDecided({ head, text }: Extract<HttpOutcome, { kind: 'refused' }>): boolean {
  const refusal = refusalIn({ status: head.status, words: text, isService: false });
  return refusal !== undefined && REFUSAL_FACTS[refusal].isDecided;
}

function isService(path: string): boolean {
  return serviceOf(path) !== undefined;
}

/** The code and the message of an error. Drafts of the stateless revision had the gateway's code for what a client cannot do. */
function rpcRefusal(json: unknown): { rpcCode: number | undefined; words: string } {
  const error = rpcErrorIn(json);
  const isOfDraft = memberAt(json, 'error', 'data', 'requiredCapabilities') !== undefined;
  return { rpcCode: isOfDraft ? undefined : error?.code, words: error?.message ?? '' };
}

function withNote(answer: Buffer, data: unknown, note: RefusalNote): Buffer {
  const member = `"causeway":${JSON.stringify(note)}`;
  const empty = data === null ? placeAt(answer, 'error', 'data') : undefined;
  return empty ? withTexts(answer, [empty], () => `{${member}}`) : withMembers(answer, ['error', 'data'], member);
}
