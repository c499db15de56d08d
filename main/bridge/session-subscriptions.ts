import { parseFrame } from './frame/frame.ts';
import { memberAt } from './frame/members.ts';
import { isSticky } from './methods.ts';

/**
 * The subscriptions and the log level that a client was granted in its session. A session that replaces it does not have
 * them, so the requests are sent again.
 */
export class SessionSubscriptions {
  readonly #frames = new Map<string, { method: string; frame: Buffer }>();

  /** The server has granted a request. */
  granted(method: string, frame: Buffer): void {
    if (!isSticky(method)) return;
    if (method === 'logging/setLevel') this.#frames.set(method, { method, frame });
    else {
      const uri = memberAt(parseFrame(frame), 'params', 'uri');
      if (method === 'resources/subscribe') this.#frames.set(`uri ${uri}`, { method, frame });
      else this.#frames.delete(`uri ${uri}`);
    }
  }

  /** The client opens its own new session. */
  clear(): void {
    this.#frames.clear();
  }

  /** The requests to send again. */
  all(): { method: string; frame: Buffer }[] {
    return [...this.#frames.values()];
  }
}
