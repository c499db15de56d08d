import { parseFrame } from '../envelope.ts';
import { textAt, withMembers } from './members.ts';
import type { ClientRequest } from './modern-request.ts';

/** Which wish of a subscription, and which capability behind it, brings a notification. */
const ANNOUNCEMENTS = new Map([
  ['notifications/tools/list_changed', ['toolsListChanged', 'tools']],
  ['notifications/prompts/list_changed', ['promptsListChanged', 'prompts']],
  ['notifications/resources/list_changed', ['resourcesListChanged', 'resources']],
]);
const UPDATED = 'notifications/resources/updated';

/** Where a session's subscriptions go, and what the client hears. */
export interface SubscriptionRim {
  /** Sends a request of the bridge's own. `params` is JSON text. */
  request(method: string, params: string): void;
  toClient(frame: Buffer): void;
}

/**
 * What a client of the stateless revision listens to (MCP 2026-07-28 › Subscriptions), in a session: announcements come on
 * the session's own stream, resources are subscribed to one by one, and each once however many listen.
 */
export class ModernSubscriptions {
  readonly #rim: SubscriptionRim;
  /** What each `subscriptions/listen` that is open asked for, by raw id. */
  readonly #open = new Map<string, Record<string, unknown>>();

  constructor(rim: SubscriptionRim) {
    this.#rim = rim;
  }

  /** A client listens. `capabilities` are the server's. */
  open({ id, params }: ClientRequest, capabilities: Record<string, unknown>): void {
    const wanted = Object(Object(params).notifications);
    const honoured: Record<string, unknown> = {};
    for (const [wish = '', capability = ''] of ANNOUNCEMENTS.values()) {
      if (wanted[wish] === true && Object(capabilities[capability]).listChanged === true) honoured[wish] = true;
    }
    const uris = Object(capabilities.resources).subscribe === true ? listOf(wanted.resourceSubscriptions) : [];
    const followed = new Set(this.#followed());
    if (uris.length > 0) honoured.resourceSubscriptions = uris;
    this.#open.set(id, honoured);
    this.#rim.toClient(
      Buffer.from(
        `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":${JSON.stringify(honoured)},"_meta":{${subscriptionId(id)}}}}`,
      ),
    );
    for (const uri of new Set(uris)) {
      if (!followed.has(uri)) this.#rim.request('resources/subscribe', JSON.stringify({ uri }));
    }
  }

  /** Takes a cancellation; false where it is of something else. */
  cancel(notification: Buffer): boolean {
    const id = textAt(notification, 'params', 'requestId') ?? '';
    const dropped = this.#open.get(id);
    if (!this.#open.delete(id)) return false;
    const followed = new Set(this.#followed());
    for (const uri of new Set(listOf(dropped?.resourceSubscriptions))) {
      if (!followed.has(uri)) this.#rim.request('resources/unsubscribe', JSON.stringify({ uri }));
    }
    return true;
  }

  /** Tells a change to all who listen to it; false where the notification is no such change. */
  announce(method: string, frame: Buffer): boolean {
    const [wish] = ANNOUNCEMENTS.get(method) ?? [];
    if (wish === undefined && method !== UPDATED) return false;
    const uri = Object(Object(parseFrame(frame)).params).uri;
    for (const [id, wanted] of this.#open) {
      const isWanted = wish === undefined ? listOf(wanted.resourceSubscriptions).includes(uri) : wanted[wish] === true;
      if (isWanted) this.#rim.toClient(withMembers(frame, ['params', '_meta'], subscriptionId(id)));
    }
    return true;
  }

  #followed(): unknown[] {
    return [...this.#open.values()].flatMap(({ resourceSubscriptions }) => listOf(resourceSubscriptions));
  }
}

function subscriptionId(id: string): string {
  return `"io.modelcontextprotocol/subscriptionId":${id}`;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
