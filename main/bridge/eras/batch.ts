import { readEnvelope } from '../envelope.ts';
import { errorFrame } from '../error-frame.ts';
import { MAX_FRAME_BYTES } from '../limits.ts';
import type { Line, OnFrame } from '../line.ts';
import { matchOfIds, rawId, withId } from '../raw-id.ts';
import { isServersOwnError } from '../session-death.ts';
import type { Outcome } from '../upstream.ts';
import { elementsOf, wholeOf } from './members.ts';

type Post = (method: string, frame: Buffer, onFrame: OnFrame) => Promise<Outcome>;
type Explained = Line['explained'];

/**
 * Sends the frames of a batch one by one, and gives the answers as one frame: batches belong to revision 2025-03-26 alone.
 * Undefined where no answer is owed.
 */
export async function oneByOne(
  batch: Buffer,
  onFrame: OnFrame,
  post: Post,
  explained: Explained,
): Promise<Buffer | undefined> {
  let bytes = 0;
  const carried = elementsOf(batch, wholeOf(batch)).map(async ({ start, end }) => {
    const frame = batch.subarray(start, end);
    const envelope = readEnvelope(frame);
    if (envelope.kind === 'invalid') return [];
    const method = 'method' in envelope ? envelope.method : envelope.kind;
    const id = rawId(frame);
    let answered: Buffer | undefined;
    const take: OnFrame = (answer, head) => {
      if (readEnvelope(answer).kind !== 'response') onFrame(answer, head);
      else if (rawId(answer) === 'null' || matchOfIds(rawId(answer), id)) answered ??= answer;
    };
    const outcome = await post(method, frame, take);
    if (outcome.kind === 'frame') take(outcome.frame, outcome.head);
    if (envelope.kind !== 'request' || outcome.kind === 'cancelled') return [];
    let answer = answered ?? (await failure(outcome, method, explained));
    bytes += answer.length;
    if (bytes > MAX_FRAME_BYTES) answer = errorFrame('null', await explained({ kind: 'too-long' }, method));
    return [withId(answer, id)];
  });
  const answers = (await Promise.all(carried)).flat().map(String);
  return answers.length === 0 ? undefined : Buffer.from(`[${answers.join(',')}]`);
}

async function failure(outcome: Outcome, method: string, explained: Explained): Promise<Buffer> {
  if (outcome.kind === 'refused' && isServersOwnError(outcome.head.status, outcome.text)) {
    return Buffer.from(outcome.text);
  }
  const isFailure = outcome.kind === 'refused' || outcome.kind === 'broken' || outcome.kind === 'too-long';
  return errorFrame('null', await explained(isFailure ? outcome : { kind: 'unanswered' }, method));
}
