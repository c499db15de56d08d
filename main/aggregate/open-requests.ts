import { placesAt, textAt, withTexts } from '../bridge/frame/edit.ts';
import { matchOfIds, rawId, withId } from '../bridge/frame/frame.ts';

/** A request that was forwarded and is not answered yet. */
interface Open<Asker> {
  asker: Asker;
  /** Its id and its progress token as its sender wrote them. */
  id: string;
  token: string | undefined;
}

const TOKEN_IN_REQUEST = ['params', '_meta', 'progressToken'];
const TOKEN_IN_PROGRESS = ['params', 'progressToken'];
const ID_IN_CANCELLED = ['params', 'requestId'];

/**
 * Requests from several senders to one receiver. Each is given an id and a progress token that are unique at the receiver, by
 * which answers and progress find their sender. An answer to no open request is dropped.
 */
export class OpenRequests<Asker> {
  /** By the id at the receiver. */
  readonly #open = new Map<string, Open<Asker>>();
  #last = 0;

  get size(): number {
    return this.#open.size;
  }

  /** The senders whose requests are open, the oldest first. */
  get askers(): Asker[] {
    return [...this.#open.values()].map(({ asker }) => asker);
  }

  /** The request as the receiver gets it. */
  pass(request: Buffer, asker: Asker): Buffer {
    this.#last += 1;
    const id = String(this.#last);
    const tokens = placesAt(request, TOKEN_IN_REQUEST);
    this.#open.set(id, { asker, id: rawId(request), token: textAt(request, ...TOKEN_IN_REQUEST) });
    return withId(
      withTexts(request, tokens, () => id),
      id,
    );
  }

  /** Closes a request. Returns the receiver's answer with the sender's own id. */
  answered(answer: Buffer): { asker: Asker; frame: Buffer } | undefined {
    const id = rawId(answer);
    const open = this.#open.get(id);
    if (!open) return undefined;
    this.#open.delete(id);
    return { asker: open.asker, frame: withId(answer, open.id) };
  }

  /** The receiver's progress notification with the sender's own token. */
  progressed(notification: Buffer): { asker: Asker; frame: Buffer } | undefined {
    const open = this.#open.get(textAt(notification, ...TOKEN_IN_PROGRESS) ?? '');
    if (open?.token === undefined) return undefined;
    const { asker, token } = open;
    return { asker, frame: withTexts(notification, placesAt(notification, TOKEN_IN_PROGRESS), () => token) };
  }

  /** Closes a request. Returns the sender's cancellation with the receiver's id. */
  cancelled(notification: Buffer, isAsker: (asker: Asker) => boolean): { asker: Asker; frame: Buffer } | undefined {
    const wanted = textAt(notification, ...ID_IN_CANCELLED);
    if (wanted === undefined) return undefined;
    for (const [id, open] of this.#open) {
      if (!isAsker(open.asker) || matchOfIds(wanted, open.id) === undefined) continue;
      this.#open.delete(id);
      return { asker: open.asker, frame: withTexts(notification, placesAt(notification, ID_IN_CANCELLED), () => id) };
    }
    return undefined;
  }

  /** Removes the requests of some senders, and returns them with their ids at the receiver. */
  drop(isAsker: (asker: Asker) => boolean): { asker: Asker; id: string }[] {
    const dropped = [...this.#open].filter(([, { asker }]) => isAsker(asker));
    for (const [id] of dropped) this.#open.delete(id);
    return dropped.map(([id, { asker }]) => ({ asker, id }));
  }
}
