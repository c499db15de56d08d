import { SilentHostError } from '../platform/silent-host.ts';
import { FRESH, gateOf, nextState, type SessionEvent, type SessionState } from './session.ts';

/** A frame that waits for the session to be ready for it. */
interface Waiting {
  method: string;
  go(state: SessionState): void;
  fail(error: unknown): void;
}

/** Holds the session's state, and the frames that wait for it to change. */
export class SessionGate {
  readonly #onChange: (event: SessionEvent) => void;
  readonly #waiting: Waiting[] = [];
  #state: SessionState = FRESH;

  /** @param onChange called when an event has changed the state, before waiting frames continue */
  constructor(onChange: (event: SessionEvent) => void) {
    this.#onChange = onChange;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Waits until a frame with this method may be sent, and returns the state whose session it carries. */
  admit(method: string): Promise<SessionState> | SessionState {
    if (method === 'initialize') this.apply({ name: 'initialize' });
    // Sent again after a refusal: later frames still wait for it, but it must not wait itself.
    else if (method === 'notifications/initialized' && this.#state.name === 'announcing') return this.#state;
    else {
      if (this.#lacksSession(method)) this.apply({ name: 'deferred', generation: this.#state.generation });
      if (gateOf(this.#state) === 'reconnect') this.apply({ name: 'expired', generation: this.#state.generation });
      if (gateOf(this.#state) === 'wait') {
        return new Promise((go, fail) => this.#waiting.push({ method, go, fail }));
      }
      if (method === 'notifications/initialized') this.apply({ name: 'initialized' });
    }
    return this.#state;
  }

  /** Waits for a session, and opens one if the client only believes that it has one. */
  async connected(): Promise<SessionState> {
    const { name, generation } = this.#state;
    if (name === 'fresh' && generation > 0) this.apply({ name: 'deferred', generation });
    return this.admit('tools/list');
  }

  apply(event: SessionEvent): void {
    const before = this.#state;
    this.#state = nextState(before, event);
    if (this.#state === before) return;
    this.#onChange(event);
    // The requests that waited as long as a host was silent do not wait for a second attempt.
    const isGivenUp = event.name === 'deferred' && event.error instanceof SilentHostError;
    if (event.name === 'reconnectFailed' || isGivenUp) {
      for (const { fail } of this.#waiting.splice(0)) fail(event.error);
    }
    this.#flush();
  }

  #flush(): void {
    while (gateOf(this.#state) === 'go') {
      const [first] = this.#waiting;
      if (!first) return;
      if (this.#lacksSession(first.method)) {
        const { generation } = this.#state;
        this.apply({ name: 'deferred', generation });
        this.apply({ name: 'expired', generation });
        return;
      }
      this.#waiting.shift();
      if (first.method === 'notifications/initialized') this.#state = nextState(this.#state, { name: 'initialized' });
      first.go(this.#state);
    }
  }

  /**
   * Whether a client announces a session that this bridge does not have: its `initialize` was refused here, but the
   * application answered it before it ended.
   */
  #lacksSession(method: string): boolean {
    return method === 'notifications/initialized' && this.#state.name === 'fresh' && this.#state.generation > 0;
  }
}
