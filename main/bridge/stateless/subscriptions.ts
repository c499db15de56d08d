import { textAt, withMembers } from '../frame/edit.ts';
import { parseFrame } from '../frame/frame.ts';
import { itemsOf, memberAt, membersOf } from '../frame/members.ts';
import type { HttpOutcome } from '../http-exchange.ts';
import type { OnFrame } from '../upstream-client.ts';
import type { ClientRequest } from './client-request.ts';

/** Sends one `subscriptions/listen` and reads its stream to the end. `params` is JSON text without braces. */
export type Subscribe = (params: string, onFrame: OnFrame, signal: AbortSignal) => Promise<HttpOutcome>;

/** Which notification each capability promises. */
const PROMISED = [
  ['tools', 'toolsListChanged'],
  ['prompts', 'promptsListChanged'],
  ['resources', 'resourcesListChanged'],
] as const;

const OVER: HttpOutcome = {
  kind: 'streamed',
  head: { status: 200, headers: {} },
  place: { lastEventId: undefined, retryMs: 0 },
};

/**
 * What a client of the session revisions receives on its listening stream, from a server of the stateless revision
 * (MCP 2026-07-28 › Subscriptions): all changes that the server announces, and those of the resources subscribed to.
 */
export class Subscriptions {
  readonly #subscribe: Subscribe;
  readonly #resources = new Set<string>();
  #capabilities: Record<string, unknown> = {};
  #changed = new AbortController();

  constructor(subscribe: Subscribe) {
    this.#subscribe = subscribe;
  }

  /** The server's capabilities are known now. */
  offer(capabilities: Record<string, unknown>): void {
    this.#capabilities = capabilities;
    this.#change();
  }

  get canSubscribe(): boolean {
    return Boolean(memberAt(this.#capabilities, 'resources', 'subscribe'));
  }

  setSubscribed(uri: string, wanted: boolean): void {
    if (wanted) this.#resources.add(uri);
    else this.#resources.delete(uri);
    this.#change();
  }

  /** Listens until the stream ends or something else is to be listened to. */
  async listen(onFrame: OnFrame, signal: AbortSignal): Promise<HttpOutcome> {
    const changed = this.#changed.signal;
    const over = AbortSignal.any([changed, signal]);
    const filter = this.#filter();
    let isHeard = filter !== undefined;
    if (filter !== undefined) {
      const outcome = await this.#subscribe(
        `"notifications":${filter}`,
        (frame, head) => {
          const { method, params } = membersOf(parseFrame(frame));
          if (method === 'notifications/subscriptions/acknowledged') {
            isHeard = Object.keys(membersOf(memberAt(params, 'notifications'))).length > 0;
          } else if (method !== undefined) onFrame(frame, head);
        },
        over,
      );
      if (!changed.aborted && (isHeard || outcome.kind !== 'streamed')) return asOutage(outcome);
    }
    await aborted(over);
    return OVER;
  }

  #filter(): string | undefined {
    const wanted: Record<string, unknown> = {};
    for (const [capability, notification] of PROMISED) {
      if (memberAt(this.#capabilities, capability, 'listChanged')) wanted[notification] = true;
    }
    if (this.#resources.size > 0) wanted.resourceSubscriptions = [...this.#resources];
    return Object.keys(wanted).length > 0 ? JSON.stringify(wanted) : undefined;
  }

  #change(): void {
    this.#changed.abort();
    this.#changed = new AbortController();
  }
}

/** A server that has the method but not now, because it has too many listeners: tried again as after an outage. */
function asOutage(outcome: HttpOutcome): HttpOutcome {
  if (outcome.kind !== 'frame') return outcome;
  const error = new Error('the server refused to be listened to');
  return {
    kind: 'broken',
    error,
    sent: true,
    head: outcome.head,
    place: { lastEventId: undefined, retryMs: undefined },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** The subscription filter and the server capability that each notification needs. */
const ANNOUNCEMENTS = new Map([
  ['notifications/tools/list_changed', ['toolsListChanged', 'tools']],
  ['notifications/prompts/list_changed', ['promptsListChanged', 'prompts']],
  ['notifications/resources/list_changed', ['resourcesListChanged', 'resources']],
]);
const UPDATED = 'notifications/resources/updated';

/** The two sides of a session's subscriptions. */
export interface SubscriptionPort {
  /** Sends a request of the bridge's own. `params` is JSON text. */
  request(method: string, params: string): void;
  toClient(frame: Buffer): void;
}

/**
 * What a client of the stateless revision listens to (MCP 2026-07-28 › Subscriptions), in a session: announcements come on
 * the session's own stream, resources are subscribed to one by one, and each once however many listen.
 */
export class StatelessSubscriptions {
  readonly #port: SubscriptionPort;
  /** What each `subscriptions/listen` that is open asked for, by raw id. */
  readonly #open = new Map<string, Record<string, unknown>>();

  constructor(port: SubscriptionPort) {
    this.#port = port;
  }

  /** A client listens. `capabilities` are the server's. */
  open({ id, params }: ClientRequest, capabilities: Record<string, unknown>): void {
    const wanted = membersOf(memberAt(params, 'notifications'));
    const granted: Record<string, unknown> = {};
    for (const [filter = '', capability = ''] of ANNOUNCEMENTS.values()) {
      if (wanted[filter] === true && memberAt(capabilities, capability, 'listChanged') === true) granted[filter] = true;
    }
    const uris = memberAt(capabilities, 'resources', 'subscribe') === true ? itemsOf(wanted.resourceSubscriptions) : [];
    const subscribed = new Set(this.#subscribed());
    if (uris.length > 0) granted.resourceSubscriptions = uris;
    this.#open.set(id, granted);
    this.#port.toClient(
      Buffer.from(
        `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":${JSON.stringify(granted)},"_meta":{${subscriptionId(id)}}}}`,
      ),
    );
    for (const uri of new Set(uris)) {
      if (!subscribed.has(uri)) this.#port.request('resources/subscribe', JSON.stringify({ uri }));
    }
  }

  /** Takes a cancellation; false if it is of something else. */
  cancel(notification: Buffer): boolean {
    const id = textAt(notification, 'params', 'requestId') ?? '';
    const dropped = this.#open.get(id);
    if (!this.#open.delete(id)) return false;
    const subscribed = new Set(this.#subscribed());
    for (const uri of new Set(itemsOf(dropped?.resourceSubscriptions))) {
      if (!subscribed.has(uri)) this.#port.request('resources/unsubscribe', JSON.stringify({ uri }));
    }
    return true;
  }

  /** Sends a change to all subscriptions that include it; false if the notification is no such change. */
  announce(method: string, frame: Buffer): boolean {
    const [filter] = ANNOUNCEMENTS.get(method) ?? [];
    if (filter === undefined && method !== UPDATED) return false;
    const uri = memberAt(parseFrame(frame), 'params', 'uri');
    for (const [id, wanted] of this.#open) {
      const isWanted =
        filter === undefined ? itemsOf(wanted.resourceSubscriptions).includes(uri) : wanted[filter] === true;
      if (isWanted) this.#port.toClient(withMembers(frame, ['params', '_meta'], subscriptionId(id)));
    }
    return true;
  }

  #subscribed(): unknown[] {
    return [...this.#open.values()].flatMap(({ resourceSubscriptions }) => itemsOf(resourceSubscriptions));
  }
}

function subscriptionId(id: string): string {
  return `"io.modelcontextprotocol/subscriptionId":${id}`;
}
