import { isSameUser, type SignInIdentity, userKey } from '../auth/identity.ts';
import { CausewayError } from '../platform/errors.ts';
import type { PendingRequest } from './pending-request.ts';

/** Requests that may continue as another user without a word: they open, list or listen, and neither act nor read contents. */
const CONTINUES = new Set([
  'initialize',
  'ping',
  'response',
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/subscribe',
  'resources/unsubscribe',
  'subscriptions/listen',
  'logging/setLevel',
]);

/** Whether a frame may be sent again as another user. */
export function continuesAsAnother(method: string): boolean {
  return CONTINUES.has(method) || method.startsWith('notifications/');
}

export interface SessionPlace {
  profile: string;
  host: string;
  /** Whether the client is Causeway itself, which nobody has to tell. */
  isOwnClient: boolean;
}

/**
 * As whom a client's session acts. When another user has signed in, nothing more is sent as the first one, and the client's
 * next call is answered with words instead of being sent: what was meant for one user must not be done by another unnoticed.
 */
export class SessionOwner {
  readonly #place: SessionPlace;
  readonly #onChange: () => void;
  #owner: SignInIdentity | undefined;
  /** The change that the client is to be told of; `announcedAt` is by `performance.now()`. */
  #change: { from: SignInIdentity; announcedAt: number | undefined } | undefined;

  /** @param onChange called when another user has signed in */
  constructor(place: SessionPlace, onChange: () => void) {
    this.#place = place;
    this.#onChange = onChange;
  }

  get userName(): string | undefined {
    return this.#owner?.userName;
  }

  /** Whether a sign-in of Causeway's own says who it is. */
  get isOfSignIn(): boolean {
    return this.#owner?.generation !== undefined;
  }

  /** A key of the user whose answers the server gives now. */
  get key(): string {
    return this.#owner ? userKey(this.#owner) : '';
  }

  /** The client begins a session of its own, as whoever is signed in now, or continues one that it began as this user. */
  begin(userName?: string): void {
    this.#owner = userName === undefined ? undefined : { generation: undefined, userName };
    this.#change = undefined;
  }

  /** The next request is sent as this user. */
  take(now: SignInIdentity): void {
    const before = this.#owner;
    this.#owner = now;
    if (!before || isSameUser(before, now)) return;
    const from = this.#change?.announcedAt === undefined ? (this.#change?.from ?? before) : before;
    this.#change = isSameUser(from, now) || this.#place.isOwnClient ? undefined : { from, announcedAt: undefined };
    this.#onChange();
  }

  /** The answer to a call that was under way as the user before. */
  cutOff(method: string): CausewayError {
    if (this.#change) this.#change.announcedAt = performance.now();
    return new CausewayError('user_changed', `${this.#words()} Causeway ended it without the response to ${method}.`, {
      remedy: 'It may have run. Check the result before you repeat it.',
    });
  }

  /** Why a request is not sent, if its client has not been told of the change yet. */
  refusal({ method, cameAt }: Pick<PendingRequest, 'method' | 'cameAt'>): CausewayError | undefined {
    const change = this.#change;
    if (!change || continuesAsAnother(method)) return undefined;
    // Calls that came together are answered alike.
    if (change.announcedAt !== undefined && cameAt > change.announcedAt) return undefined;
    change.announcedAt ??= performance.now();
    return new CausewayError('user_changed', `${this.#words()} Nothing was sent.`, {
      remedy: `Send it again to continue as ${nameOf(this.#owner)}, or restart the AI client.`,
    });
  }

  /** Why a call that the user has allowed meanwhile is not sent. */
  notAllowed(): CausewayError {
    return new CausewayError('user_changed', `${this.#words()} The call was allowed before that. Nothing was sent.`, {
      remedy: `Send it again to be asked again, as ${nameOf(this.#owner)}.`,
    });
  }

  #words(): string {
    const { profile, host } = this.#place;
    const before = this.#change ? ` This session was started as ${nameOf(this.#change.from)}.` : '';
    return `You are now signed in to ${new URL(host).host} as ${nameOf(this.#owner)} (profile ${profile}).${before}`;
  }
}

function nameOf(identity: SignInIdentity | undefined): string {
  return identity?.userName ?? 'another user';
}
