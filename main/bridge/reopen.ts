import { parseFrame } from './envelope.ts';
import type { Failure } from './explain.ts';
import type { Session } from './session-state.ts';
import { type Head, header, type Outcome } from './upstream.ts';

/** The client's own frames that begin a session; `initialized` is missing where the client has not sent it yet. */
export interface OpeningFrames {
  initialize: Buffer | undefined;
  initialized: Buffer | undefined;
}

type Send = (
  method: string,
  frame: Buffer,
  session: Session,
  onFrame: (frame: Buffer, head: Head) => void,
) => Promise<Outcome>;

const NONE: Session = { id: undefined, protocolVersion: undefined };

/**
 * Begins a new session with the client's own frames (spec/managed-mcp-endpoints.md › Stdio proxy pattern, 6), and waits
 * until the server has taken `initialized`: a frame that overtook it would be refused.
 */
export async function reopen(
  frames: OpeningFrames,
  send: Send,
  explained: (failure: Failure) => Promise<Error>,
): Promise<Session> {
  if (!frames.initialize) throw new Error('there is no initialize to replay');
  let session: Session | undefined;
  const take = (frame: Buffer, head: Head) => {
    session ??= openedBy(parseFrame(frame), head);
  };
  const outcome = await send('initialize', frames.initialize, NONE, take);
  if (outcome.kind === 'frame') take(outcome.frame, outcome.head);
  if (!session) {
    throw await explained(outcome.kind === 'refused' || outcome.kind === 'broken' ? outcome : { kind: 'unanswered' });
  }
  if (frames.initialized) await send('notifications/initialized', frames.initialized, session, () => {});
  return session;
}

/** The session that an answer to `initialize` begins; undefined if the answer is an error or another frame. */
export function openedBy(json: unknown, head: Head): Session | undefined {
  if (typeof json !== 'object' || json === null || !('result' in json)) return undefined;
  const { result } = json;
  const version =
    typeof result === 'object' && result !== null && 'protocolVersion' in result && result.protocolVersion;
  return {
    id: header(head, 'mcp-session-id'),
    protocolVersion: typeof version === 'string' ? version : undefined,
  };
}
