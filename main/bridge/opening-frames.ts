import { parseFrame, withId } from './frame/frame.ts';
import { memberAt } from './frame/members.ts';
import { isSticky } from './methods.ts';

/**
 * A client's own frames that begin its session, and those that were granted what lasts as long as it: subscriptions and log
 * level. They are replayed to a session that takes its place (spec/managed-mcp-endpoints.md › Stdio proxy pattern, 6).
 */
export class OpeningFrames {
  initialize: Buffer | undefined;
  /** Undefined if the client has not sent it yet. */
  initialized: Buffer | undefined;
  readonly #granted = new Map<string, { method: string; frame: Buffer }>();

  /** The client sends a frame. With `initialize` it opens a new session of its own. */
  sent(method: string, frame: Buffer): void {
    if (method === 'initialize') {
      this.initialize = frame;
      this.#granted.clear();
    }
    if (method === 'notifications/initialized') this.initialized = frame;
  }

  /** The server has granted a client's request. */
  granted(method: string, frame: Buffer): void {
    if (!isSticky(method)) return;
    const uri = method === 'logging/setLevel' ? undefined : memberAt(parseFrame(frame), 'params', 'uri');
    const key = uri === undefined ? method : `uri ${uri}`;
    if (method === 'resources/unsubscribe') this.#granted.delete(key);
    else this.#granted.set(key, { method, frame });
  }

  /** The requests to send again after the opening, each with a new id. */
  again(newId: () => string): { method: string; frame: Buffer }[] {
    return [...this.#granted.values()].map(({ method, frame }) => ({ method, frame: withId(frame, newId()) }));
  }
}
