import { parseFrame } from '../envelope.ts';
import type { OnFrame } from '../line.ts';
import type { Outcome } from '../upstream.ts';

/** Sends one `subscriptions/listen` and reads its stream to the end. `params` is JSON text without braces. */
export type Subscribe = (params: string, onFrame: OnFrame, signal: AbortSignal) => Promise<Outcome>;

/** Which notification each capability promises. */
const PROMISED = [
  ['tools', 'toolsListChanged'],
  ['prompts', 'promptsListChanged'],
  ['resources', 'resourcesListChanged'],
] as const;

const OVER: Outcome = {
  kind: 'streamed',
  head: { status: 200, headers: {} },
  place: { lastEventId: undefined, retryMs: 0 },
};

/**
 * What a client of the session revisions would hear on its listening stream, from a server of the stateless revision
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

  /** The server has said what it can do. */
  offer(capabilities: Record<string, unknown>): void {
    this.#capabilities = capabilities;
    this.#change();
  }

  get hasResources(): boolean {
    return Boolean(Object(this.#capabilities.resources).subscribe);
  }

  follow(uri: string, wanted: boolean): void {
    if (wanted) this.#resources.add(uri);
    else this.#resources.delete(uri);
    this.#change();
  }

  /** Listens until the stream ends or something else is to be listened to. */
  async listen(onFrame: OnFrame, signal: AbortSignal): Promise<Outcome> {
    const changed = this.#changed.signal;
    const over = AbortSignal.any([changed, signal]);
    const filter = this.#filter();
    let isHeard = filter !== undefined;
    if (filter !== undefined) {
      const outcome = await this.#subscribe(
        `"notifications":${filter}`,
        (frame, head) => {
          const { method, params } = Object(parseFrame(frame));
          if (method === 'notifications/subscriptions/acknowledged') {
            isHeard = Object.keys(Object(Object(params).notifications)).length > 0;
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
      if (Object(this.#capabilities[capability]).listChanged) wanted[notification] = true;
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
function asOutage(outcome: Outcome): Outcome {
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
