import type { Secret } from '../../platform/secret.ts';
import { PATIENCE } from '../instant.ts';
import type { Line, OnFrame } from '../line.ts';
import type { EraMemory } from '../memory.ts';
import { jsonRpcError } from '../session-death.ts';
import type { Session } from '../session-state.ts';
import type { Outcome, StreamPlace } from '../upstream.ts';
import { isModernRefusal, mayBeModern, readDiscovered } from './discovery.ts';
import type { ModernServer } from './modern-server.ts';

const AT_ONCE = { atOnce: true };
const BATCH = { atOnce: true, isBatch: true };

/**
 * The way to a server of either era. Servers with sessions are what the line reaches by itself, at no cost; one that
 * refuses `initialize` as the stateless revision does is asked what it is, and from then on spoken to in its own way.
 */
export class EitherEra {
  readonly #line: Line;
  readonly #memory: EraMemory;
  readonly #write: (frame: Buffer) => void;
  readonly #remembered: Promise<boolean>;
  /** What only begins or lists does not take long. */
  readonly #soon: { silenceMs: number };
  readonly #list: { silenceMs: number; atOnce: boolean };
  #modern: ModernServer | undefined;

  constructor(
    line: Line,
    memory: EraMemory,
    write: (frame: Buffer) => void,
    silenceMs: number = PATIENCE.firstBytesMs,
  ) {
    this.#soon = { silenceMs };
    this.#list = { ...AT_ONCE, silenceMs };
    this.#line = line;
    this.#memory = memory;
    this.#write = write;
    this.#remembered = memory.isModern();
  }

  get signal(): AbortSignal {
    return this.#line.signal;
  }

  post(method: string, frame: Buffer, session: Session, token: Secret, onFrame: OnFrame): Promise<Outcome> {
    if (method === 'initialize') return this.#begin(frame, session, token, onFrame);
    if (method === 'server/discover' && session.protocolVersion === undefined && !this.#modern) {
      return this.#discover(frame, token, onFrame);
    }
    return this.#modern
      ? this.#modern.post(method, frame, token, onFrame)
      : this.#line.post(
          frame,
          session,
          token,
          onFrame,
          method === 'batch' ? BATCH : method === 'tools/list' ? this.#list : AT_ONCE,
        );
  }

  listen(session: Session, place: StreamPlace | undefined, onFrame: OnFrame, signal: AbortSignal): Promise<Outcome> {
    return this.#modern ? this.#modern.listen(onFrame, signal) : this.#line.listen(session, place, onFrame, signal);
  }

  /** A client of the stateless revision asks what the server is: the answer tells the bridge too. */
  async #discover(frame: Buffer, token: Secret, onFrame: OnFrame): Promise<Outcome> {
    const { ModernServer } = await import('./modern-server.ts');
    const modern = new ModernServer(this.#line, this.#write);
    const learn = (answer: Buffer) => {
      if (readDiscovered(answer)) this.#modern = modern;
    };
    const outcome = await modern.post('server/discover', frame, token, (answer, head) => {
      learn(answer);
      onFrame(answer, head);
    });
    if (outcome.kind === 'frame') learn(outcome.frame);
    if (outcome.kind === 'refused' && isModernRefusal(jsonRpcError(outcome.text)?.code)) this.#modern = modern;
    if (this.#modern) void this.#memory.setModern(true);
    return outcome;
  }

  async #begin(frame: Buffer, session: Session, token: Secret, onFrame: OnFrame): Promise<Outcome> {
    const isKnown = this.#modern !== undefined || (await this.#remembered);
    if (isKnown) {
      const outcome = await this.#asModern(frame, token);
      if (outcome) return outcome;
    }
    const outcome = await this.#line.post(frame, session, token, onFrame, this.#soon);
    return (!isKnown && mayBeModern(outcome) && (await this.#asModern(frame, token))) || outcome;
  }

  /** Undefined where the server is of the other era. */
  async #asModern(frame: Buffer, token: Secret): Promise<Outcome | undefined> {
    const { ModernServer } = await import('./modern-server.ts');
    const modern = this.#modern ?? new ModernServer(this.#line, this.#write);
    const outcome = await modern.begin(frame, token);
    if (outcome && outcome.kind !== 'frame') return outcome;
    this.#modern = outcome && modern;
    void this.#memory.setModern(outcome !== undefined);
    return outcome;
  }
}
