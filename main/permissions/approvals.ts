import { CausewayError } from '../platform/errors.ts';
import { onlyReads, type ToolHints } from './decide.ts';

/** A call that waits for the user. */
export interface CallToApprove {
  /** As the client names itself; undefined if it has not. */
  client: string | undefined;
  tool: string;
  /** As whom it would be sent, as far as that is known. */
  user?: string | undefined;
  /** The call's arguments as the client wrote them, in JSON. */
  arguments: string;
  /** The warehouse that the call itself names for its SQL, as the client or a pin has written it; undefined if it names none. */
  warehouseId?: string | undefined;
  /** The raw id of its request; undefined for a notification. */
  requestId?: string | undefined;
  /** What the server says about the tool; undefined if it has not listed it. */
  hints?: ToolHints | undefined;
  /** Whether the organization has each call asked about, so that the user cannot allow more than this one. */
  isManaged?: boolean | undefined;
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
  /** As permissions name it: a `serverKey`. */
  key: string;
}

/** A call that waits for the user's decision. Times are in milliseconds since the epoch. */
export interface PendingApproval extends CallToApprove {
  id: number;
  server: ApprovalServer;
  /** Whether the tool is known to change nothing. */
  readsOnly: boolean;
  askedAt: number;
  /** When the call is refused if the user has not answered. */
  expiresAt: number;
  /** Whether its client waits long enough for `extend`. */
  canExtend: boolean;
}

/** What the user allows for some time, without being asked about each call: one tool of a server, or those that only read. */
export interface Allowance {
  /** As the client names itself. */
  client: string;
  server: ApprovalServer;
  /** As whom the calls are sent: what the user allows as one user is not done as another. Undefined if that was not known. */
  user: string | undefined;
  /** Undefined: every tool that is known to only read. */
  tool: string | undefined;
  /** In milliseconds since the epoch. */
  until: number;
}

/** How long a client's call can wait, in milliseconds: at first, and with all extensions. */
interface WaitLimits {
  firstMs: number;
  mostMs: number;
}

export interface ApprovalQueueOptions {
  /** `client` is the name that it gives itself. */
  waits(client: string | undefined): WaitLimits;
  /** Called once a call that waited has its answer. */
  onAnswered?(approval: PendingApproval, answer: Approval): void;
  now?: () => number;
}

/** How many calls can wait at once: a user would not read more, and each keeps its arguments in memory. */
const MAX_PENDING = 50;
/** How much longer a call waits once the user asks for more time, in milliseconds. */
const EXTENSION_MS = 120_000;

interface Waiting {
  approval: PendingApproval;
  /** When the call is refused at the latest, however often it is extended. */
  latest: number;
  timer: NodeJS.Timeout;
  settle(answer: Approval): void;
}

/** The calls that wait for the user's permission, in the order in which they came, and what was allowed for some time. */
export class ApprovalQueue {
  readonly #waits: ApprovalQueueOptions['waits'];
  readonly #onAnswered: ApprovalQueueOptions['onAnswered'];
  readonly #now: () => number;
  readonly #pending = new Map<number, Waiting>();
  readonly #listeners = new Set<(pending: PendingApproval[]) => void>();
  /** Kept in memory only: they end with the application. */
  #allowances: Allowance[] = [];
  #lastId = 0;

  constructor({ waits, onAnswered, now = Date.now }: ApprovalQueueOptions) {
    this.#waits = waits;
    this.#onAnswered = onAnswered;
    this.#now = now;
  }

  get pending(): PendingApproval[] {
    return Array.from(this.#pending.values(), ({ approval }) => approval);
  }

  /** What is allowed for some time, and not over. */
  get allowances(): readonly Allowance[] {
    const now = this.#now();
    this.#allowances = this.#allowances.filter(({ until }) => until > now);
    return this.#allowances;
  }

  /** How the sessions with a server ask the user. */
  askFor(server: ApprovalServer): AskApproval {
    return (call, signal) => this.#ask(server, call, signal);
  }

  /** @throws {CausewayError} `not_found` if the call no longer waits */
  find(id: number): PendingApproval {
    return this.#waiting(id).approval;
  }

  /** @throws {CausewayError} `not_found` if the call no longer waits */
  answer(id: number, answer: 'allowed' | 'refused'): void {
    this.#waiting(id).settle(answer);
  }

  /**
   * Gives the user two more minutes, or what its client still waits for.
   * @throws {CausewayError} `not_found` if the call no longer waits, `usage` if its client does not wait longer
   */
  extend(id: number): void {
    const waiting = this.#waiting(id);
    const { approval, latest } = waiting;
    if (!approval.canExtend) {
      throw new CausewayError('usage', 'The AI client of this call does not wait any longer.', {
        remedy: 'Answer it, or let the client call again.',
      });
    }
    const expiresAt = Math.min(approval.expiresAt + EXTENSION_MS, latest);
    waiting.approval = { ...approval, expiresAt, canExtend: expiresAt < latest };
    this.#startTimer(waiting);
    this.#changed();
  }

  /**
   * Allows a call, and those like it of the same client at the same server until a time.
   * @param what the call's tool, or every tool there that is known to only read
   * @param until in milliseconds since the epoch
   * @throws {CausewayError} `not_found` if the call no longer waits, `usage` if only this call can be allowed
   */
  allowUntil(id: number, what: 'tool' | 'reads', until: number): void {
    const { client, server, user, tool } = this.#mayAllowMore(id);
    this.#allowances = [...this.allowances, { client, server, user, tool: what === 'tool' ? tool : undefined, until }];
    this.answer(id, 'allowed');
    for (const { approval, settle } of Array.from(this.#pending.values())) {
      if (this.#isAllowed(approval)) settle('allowed');
    }
  }

  /** Ends everything that was allowed for some time. */
  endAllowances(): void {
    this.#allowances = [];
    this.#changed();
  }

  /** Calls back after each change, until the function that is returned is called. */
  subscribe(listener: (pending: PendingApproval[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #waiting(id: number): Waiting {
    const found = this.#pending.get(id);
    if (found) return found;
    throw noLongerWaits();
  }

  #mayAllowMore(id: number): PendingApproval & { client: string } {
    const { client, ...call } = this.find(id);
    if (client !== undefined && call.isManaged !== true) return { ...call, client };
    const why = call.isManaged
      ? 'Your organization has each of these calls approved.'
      : 'This client did not give its name.';
    throw new CausewayError('usage', `${why} Only this call can be allowed.`, { remedy: 'Allow it once.' });
  }

  #isAllowed(call: Omit<PendingApproval, 'id' | 'askedAt' | 'expiresAt' | 'canExtend'>): boolean {
    const isSame = ({ client, server, user, tool }: Allowance) =>
      client === call.client &&
      user === call.user &&
      server.key === call.server.key &&
      server.profile === call.server.profile &&
      (tool === undefined ? call.readsOnly : tool === call.tool);
    return call.isManaged !== true && this.allowances.some(isSame);
  }

  #ask(server: ApprovalServer, call: CallToApprove, signal: AbortSignal): Promise<Approval> {
    if (signal.aborted) return Promise.resolve('late');
    const asked = { ...call, server, readsOnly: onlyReads(server.key, call.tool, call.hints) === true };
    if (this.#isAllowed(asked)) return Promise.resolve('allowed');
    if (this.#pending.size >= MAX_PENDING) return Promise.resolve('crowded');
    const id = ++this.#lastId;
    const askedAt = this.#now();
    const { firstMs, mostMs } = this.#waits(call.client);
    return new Promise((resolve) => {
      const settle = (answer: Approval) => {
        clearTimeout(waiting.timer);
        signal.removeEventListener('abort', cancelled);
        this.#pending.delete(id);
        resolve(answer);
        this.#onAnswered?.(waiting.approval, answer);
        this.#changed();
      };
      const cancelled = () => settle('late');
      const approval = { ...asked, id, askedAt, expiresAt: askedAt + firstMs, canExtend: mostMs > firstMs };
      const waiting: Waiting = { approval, latest: askedAt + mostMs, timer: setTimeout(cancelled), settle };
      this.#startTimer(waiting);
      signal.addEventListener('abort', cancelled);
      this.#pending.set(id, waiting);
      this.#changed();
    });
  }

  #startTimer(waiting: Waiting): void {
    clearTimeout(waiting.timer);
    waiting.timer = setTimeout(() => waiting.settle('late'), waiting.approval.expiresAt - this.#now());
    waiting.timer.unref();
  }

  #changed(): void {
    const { pending } = this;
    for (const listener of this.#listeners) listener(pending);
  }
}

/** The error for a call that is gone. */
export function noLongerWaits(): CausewayError {
  return new CausewayError('not_found', 'This call is no longer waiting for an answer.', {
    remedy: 'The client withdrew it, its time ended, or it was already answered.',
  });
}
