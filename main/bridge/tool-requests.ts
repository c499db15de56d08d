import { placeAt, textAt } from './frame/edit.ts';
import { scanFrame } from './frame/frame.ts';

/** A request for a list of tools, or for the page behind a cursor. */
export interface ListRequest {
  /** The name of its client. */
  client: string | undefined;
  continues: boolean;
}

const CANCELLED = 'notifications/cancelled';
const SUBSCRIBE = 'subscriptions/listen';

/** How many open requests for a list may have the same id, and how many subscriptions may be open. */
const MAX_OPEN = 100;

/**
 * One client's open requests for lists of tools, and a stateless client's for notifications that they have changed (MCP
 * 2026-07-28 › Subscriptions), by their raw ids. A client that gives an id twice gets two lists.
 */
export class ToolRequests {
  /** The methods of the frames that `sent` must see. */
  static readonly METHODS: ReadonlySet<string> = new Set(['tools/list', SUBSCRIBE, CANCELLED]);

  readonly #lists = new Map<string, ListRequest[]>();
  readonly #subscriptions = new Set<string>();

  /** The raw ids of the open subscriptions. */
  get subscriptions(): Iterable<string> {
    return this.#subscriptions;
  }

  /** Whether any request waits for an answer. */
  get isWaiting(): boolean {
    return this.#lists.size + this.#subscriptions.size > 0;
  }

  /** A frame goes to the server. */
  sent(frame: Buffer, clientOf: () => string | undefined): void {
    const { id, method } = scanFrame(frame);
    if (method === CANCELLED) this.#subscriptions.delete(textAt(frame, 'params', 'requestId') ?? '');
    if (id === undefined) return;
    if (method === SUBSCRIBE && textAt(frame, 'params', 'notifications', 'toolsListChanged') === 'true') {
      if (this.#subscriptions.size < MAX_OPEN) this.#subscriptions.add(id);
    }
    if (method !== 'tools/list') return;
    const request = { client: clientOf(), continues: placeAt(frame, 'params', 'cursor') !== undefined };
    this.#lists.set(id, [...(this.#lists.get(id) ?? []).slice(1 - MAX_OPEN), request]);
  }

  /** The request with this raw id has its answer. Returns the oldest one for a list, if it is one. */
  answered(id: string): ListRequest | undefined {
    this.#subscriptions.delete(id);
    const [first, ...others] = this.#lists.get(id) ?? [];
    if (others.length > 0) this.#lists.set(id, others);
    else this.#lists.delete(id);
    return first;
  }
}
