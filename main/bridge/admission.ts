import type { Secret } from '../platform/secret.ts';
import type { PendingRequest } from './pending-request.ts';
import { type Session, type SessionEvent, type SessionState, sessionOf } from './session.ts';
import type { SessionRenewal } from './session-renewal.ts';
import type { ToolGuard } from './tool-guard.ts';
import type { UpstreamClient } from './upstream-client.ts';
import type { Tried } from './verdict.ts';
import { ANSWER_TIMEOUTS, CANCELLED, type WaitingRequests } from './waiting-requests.ts';

/** How long a call may have waited before it is sent, in milliseconds, without the permissions being checked again. */
const UNCHECKED_WAIT_MS = 500;

/** The session, as far as it decides when a frame is sent. */
export interface AdmittingSession {
  /** Waits until a frame with this method may be sent, and returns the state it is sent in. */
  admit(method: string): Promise<SessionState> | SessionState;
  report(event: SessionEvent): void;
}

/** What admission depends on. */
export interface AdmissionPort {
  upstream: UpstreamClient;
  waiting: WaitingRequests;
  session: AdmittingSession;
  renewal: Pick<SessionRenewal, 'hasAnnounced'>;
  /** Checks calls again that have waited. */
  guard: Pick<ToolGuard, 'refusalAfterWait'> | undefined;
}

/** With what a frame is sent. */
export interface Admission {
  generation: number;
  session: Session;
  token: Secret;
}

/** Decides when a client's frame may be sent, and with what. */
export class Admissions {
  readonly #port: AdmissionPort;
  /** Ends the wait for a server that does not answer `notifications/initialized`. */
  #announcement: NodeJS.Timeout | undefined;

  constructor(port: AdmissionPort) {
    this.#port = port;
  }

  /**
   * Waits until the frame may be sent; undefined if it need not be. A text says why a call may not be sent anymore: the permissions
   * have changed while it waited. @throws {CausewayError} why it may not be sent
   */
  async admit(pending: PendingRequest, { rejected, isServiceChecked }: Tried): Promise<Admission | string | undefined> {
    const { upstream, waiting, session: port } = this.#port;
    for (;;) {
      const state = await this.#stateFor(pending);
      if (!state) return undefined;
      const { generation } = state;
      const token = await waiting.bounded(pending, upstream.token(rejected));
      if (token === CANCELLED) return undefined;
      const refusal = upstream.owner.refusal(pending);
      if (refusal) throw refusal;
      const session = sessionOf(state);
      if (upstream.mayUse(session, token))
        return (await this.#refusalNow(pending, isServiceChecked)) ?? { generation, session, token };
      port.report({ name: 'expired', generation });
    }
  }

  /** The frame is settled. */
  ended({ method }: PendingRequest): void {
    if (method === 'notifications/initialized') clearTimeout(this.#announcement);
  }

  /** The state of the session that it is sent in; undefined if it need not be sent. */
  async #stateFor(pending: PendingRequest): Promise<SessionState | undefined> {
    // While it waited to be sent again it may have been answered on the server's own stream.
    if (pending.isForAnswer && !pending.isOpen) return undefined;
    const admitted = this.#port.session.admit(pending.method);
    const state = admitted instanceof Promise ? await this.#port.waiting.bounded(pending, admitted) : admitted;
    if (state === CANCELLED) return undefined;
    pending.admitted(state.generation);
    const isDone = pending.method === 'notifications/initialized' && this.#isAnnounced(state.generation);
    return isDone ? undefined : state;
  }

  /** Whether `initialized` was sent in this session already. If not, later frames wait for it, but not long. */
  #isAnnounced(generation: number): boolean {
    const announce = () => this.#port.session.report({ name: 'announced', generation });
    const isAnnounced = this.#port.renewal.hasAnnounced(generation);
    if (isAnnounced) announce();
    else {
      clearTimeout(this.#announcement);
      const late = () => this.#port.upstream.signal.aborted || announce();
      this.#announcement = setTimeout(late, ANSWER_TIMEOUTS.initializedMs).unref();
    }
    return isAnnounced;
  }

  async #refusalNow(pending: PendingRequest, isServiceChecked: boolean): Promise<string | undefined> {
    if (pending.method !== 'tools/call' && pending.envelope.kind !== 'batch') return undefined;
    const hasWaited = isServiceChecked || performance.now() - pending.cameAt > UNCHECKED_WAIT_MS;
    return hasWaited ? this.#port.guard?.refusalAfterWait(pending.frame) : undefined;
  }
}
