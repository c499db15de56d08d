import { within } from '../platform/within.ts';
import type { AnswerCache } from './answer-cache.ts';
import type { UpstreamFailure } from './errors.ts';
import { parseFrame } from './frame/frame.ts';
import { toolsRequest } from './held-tools.ts';
import type { HttpOutcome, ResponseHead } from './http-exchange.ts';
import { OpeningFrames } from './opening-frames.ts';
import { type SendOwn, type Session, sessionFrom } from './session.ts';
import { ANSWER_TIMEOUTS } from './waiting-requests.ts';

/** What a renewal depends on. */
export interface SessionRenewalPort {
  send: SendOwn;
  explained(failure: UpstreamFailure): Promise<Error>;
  answerCache: AnswerCache;
}

/**
 * Opens a new session in place of a lost one, with the client's own frames, and requests again what the client was granted in
 * the lost one. The client does not notice.
 */
export class SessionRenewal {
  readonly #port: SessionRenewalPort;
  /** The client's own frames, for replaying. */
  readonly opening = new OpeningFrames();
  /** The generation in which a replay has sent `initialized` already. */
  #announcedIn: number | undefined;

  constructor(port: SessionRenewalPort) {
    this.#port = port;
  }

  /** Whether a replay has sent `initialized` in the session of `generation`. */
  hasAnnounced(generation: number): boolean {
    return this.#announcedIn === generation;
  }

  /** Replays `initialize` and `initialized`, to open the session of `generation`. */
  async open(generation: number): Promise<Session> {
    const { send, explained, answerCache } = this.#port;
    const session = await reopenSession(this.opening, send, explained, (frame, json) => {
      if (this.opening.initialize)
        answerCache.store({ method: 'initialize', frame: this.opening.initialize }, frame, json);
    });
    if (this.opening.initialized) this.#announcedIn = generation;
    return session;
  }

  /** Requests in a new session what the lost one had granted. The client already has the answers. */
  async restore(session: Session): Promise<void> {
    for (const { method, frame } of this.opening.again(() => '"causeway-again"')) {
      await this.#port.send(method, frame, session, () => {});
    }
    await this.checkTools(session);
  }

  /** Requests the tools for the bridge itself, for a client that got them from the cache. */
  async checkTools(session: Session): Promise<void> {
    const { answerCache, send } = this.#port;
    if (!answerCache.hasUncheckedTools) return;
    const frame = toolsRequest('"causeway-tools"');
    const take = (answer: Buffer) => answerCache.store({ method: 'tools/list', frame }, answer, parseFrame(answer));
    const outcome = await send('tools/list', frame, session, take);
    if (outcome.kind === 'frame') take(outcome.frame);
  }
}

/** Why an answer begins no session. An error with an error status is a refusal in the server's words. */
function failureIn(outcome: HttpOutcome): UpstreamFailure {
  if (outcome.kind === 'refused' || outcome.kind === 'broken') return outcome;
  const isError = outcome.kind === 'frame' && outcome.head.status >= 300;
  return isError ? { kind: 'refused', head: outcome.head, text: String(outcome.frame) } : { kind: 'unanswered' };
}

const NO_SESSION: Session = { id: undefined, protocolVersion: undefined };

/**
 * Begins a new session with the client's own frames (spec/managed-mcp-endpoints.md › Stdio proxy pattern, 6), and waits
 * until the server has accepted `initialized`: a frame that overtook it would be refused. It does not wait for long: some
 * servers never answer a notification.
 */
export async function reopenSession(
  frames: Pick<OpeningFrames, 'initialize' | 'initialized'>,
  send: SendOwn,
  explained: (failure: UpstreamFailure) => Promise<Error>,
  onOpened: (answer: Buffer, json: unknown) => void = () => {},
): Promise<Session> {
  if (!frames.initialize) throw new Error('there is no initialize to replay');
  let session: Session | undefined;
  const take = (frame: Buffer, head: ResponseHead) => {
    const json = parseFrame(frame);
    if (session) return;
    session = sessionFrom(json, head);
    if (session) onOpened(frame, json);
  };
  const outcome = await send('initialize', frames.initialize, NO_SESSION, take);
  if (outcome.kind === 'frame') take(outcome.frame, outcome.head);
  if (!session) throw await explained(failureIn(outcome));
  if (frames.initialized) {
    const accepted = send('notifications/initialized', frames.initialized, session, () => {});
    await within(ANSWER_TIMEOUTS.initializedMs, accepted, undefined);
  }
  return session;
}
