import { CausewayError } from '../platform/errors.ts';

/** A call that waits for the user. */
export interface CallToApprove {
  /** As the client names itself; undefined if it has not. */
  client: string | undefined;
  tool: string;
  /** As whom it would be sent, as far as that is known. */
  user?: string | undefined;
  /** The call's arguments as the client wrote them, in JSON. */
  arguments: string;
}

/**
 * What the user decided about a call. `late`: they did not answer in time; `crowded`: too many calls were waiting already;
 * `absent`: the application is not running, so nobody can be asked.
 */
export type Approval = 'allowed' | 'refused' | 'late' | 'crowded' | 'absent';

/** Asks the user to allow a call. Once `signal` is aborted, the answer is no longer needed. */
export type AskApproval = (call: CallToApprove, signal: AbortSignal) => Promise<Approval>;

/** The server that a call is for. */
export interface ApprovalServer {
  profile: string;
  path: string;
  /** As rules name it: a `serverKey`. */
  key: string;
}

/** A call that waits for the user's decision. Times are in milliseconds since the epoch. */
export interface PendingApproval extends CallToApprove {
  id: number;
  server: ApprovalServer;
  askedAt: number;
  /** When the call is refused if the user has not answered. */
  expiresAt: number;
}

export interface ApprovalQueueOptions {
  /** How long a client's call can wait, in milliseconds. `client` is the name that it gives itself. */
  waitMs(client: string | undefined): number;
  now?: () => number;
}

/** How many calls can wait at once: a user would not read more, and each keeps its arguments in memory. */
const MAX_PENDING = 50;

/** The calls that wait for the user's permission, in the order in which they came. */
export class ApprovalQueue {
  readonly #waitMs: ApprovalQueueOptions['waitMs'];
  readonly #now: () => number;
  readonly #pending = new Map<number, { approval: PendingApproval; settle(answer: Approval): void }>();
  readonly #listeners = new Set<(pending: PendingApproval[]) => void>();
  #lastId = 0;

  constructor({ waitMs, now = Date.now }: ApprovalQueueOptions) {
    this.#waitMs = waitMs;
    this.#now = now;
  }

  get pending(): PendingApproval[] {
    return Array.from(this.#pending.values(), ({ approval }) => approval);
  }

  /** How the sessions with a server ask the user. */
  askFor(server: ApprovalServer): AskApproval {
    return (call, signal) => this.#ask(server, call, signal);
  }

  /** @throws {CausewayError} `not_found` if the call no longer waits */
  find(id: number): PendingApproval {
    const found = this.#pending.get(id);
    if (found) return found.approval;
    throw new CausewayError('not_found', 'This call is no longer waiting for an answer.', {
      remedy: 'The client withdrew it, or it was already answered.',
    });
  }

  /** @throws {CausewayError} `not_found` if the call no longer waits */
  answer(id: number, answer: 'allowed' | 'refused'): void {
    this.find(id);
    this.#pending.get(id)?.settle(answer);
  }

  /** Calls back after each change, until the function that is returned is called. */
  subscribe(listener: (pending: PendingApproval[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #ask(server: ApprovalServer, call: CallToApprove, signal: AbortSignal): Promise<Approval> {
    if (signal.aborted) return Promise.resolve('late');
    if (this.#pending.size >= MAX_PENDING) return Promise.resolve('crowded');
    const id = ++this.#lastId;
    const askedAt = this.#now();
    const waitMs = this.#waitMs(call.client);
    return new Promise((resolve) => {
      const settle = (answer: Approval) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', cancelled);
        this.#pending.delete(id);
        resolve(answer);
        this.#changed();
      };
      const cancelled = () => settle('late');
      const timer = setTimeout(() => settle('late'), waitMs);
      timer.unref();
      signal.addEventListener('abort', cancelled);
      this.#pending.set(id, { approval: { ...call, id, server, askedAt, expiresAt: askedAt + waitMs }, settle });
      this.#changed();
    });
  }

  #changed(): void {
    const { pending } = this;
    for (const listener of this.#listeners) listener(pending);
  }
}
