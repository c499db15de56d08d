import { setTimeout as sleep } from 'node:timers/promises';
import { rawId } from '../raw-id.ts';
import { membersOf, placeAt, textAt, withMembers } from './members.ts';

/** The pause before a request is sent again for which the server asks no more than that, in milliseconds. */
const PAUSE_MS = 250;

/** What the client gave: members for the next round's parameters, or the error with which it refused. All JSON text. */
export type Given = { kind: 'members'; members: string } | { kind: 'refused'; error: string };

interface Question {
  answered(frame: Buffer): void;
}

/** Whether a frame is a result that says that the server needs input first (MCP 2026-07-28 › Multi Round-Trip Requests). */
export function needsInput(frame: Buffer): boolean {
  // Answers may be large: the exact look is only for those in which the word occurs.
  return frame.includes('input_required') && textAt(frame, 'result', 'resultType') === '"input_required"';
}

/**
 * Puts what a server of the stateless revision asks inside its results to a client of the session revisions, as the
 * requests that such a client knows: sampling, elicitation, roots.
 */
export class InputRounds {
  readonly #write: (frame: Buffer) => void;
  readonly #open = new Map<string, Question>();
  #asked = 0;

  constructor(write: (frame: Buffer) => void) {
    this.#write = write;
  }

  /** A response of the client's has come. What answers none of these questions is dropped. */
  answer(frame: Buffer): void {
    this.#open.get(rawId(frame))?.answered(frame);
  }

  /** Asks the client all that `frame` demands. Rejects when `signal` does; the questions are then taken back. */
  async ask(frame: Buffer, signal: AbortSignal): Promise<Given> {
    const place = placeAt(frame, 'result', 'inputRequests');
    const requests = place ? membersOf(frame, place) : [];
    if (requests.length === 0) await sleep(PAUSE_MS, undefined, { signal });
    const refused = new AbortController();
    const over = AbortSignal.any([signal, refused.signal]);
    let error: string | undefined;
    const answers = requests.map(async ({ name, place: { start, end } }) => {
      const answer = await this.#put(frame.subarray(start, end), over);
      const result = textAt(answer, 'result');
      if (result !== undefined) return `${JSON.stringify(name)}:${result}`;
      error ??= textAt(answer, 'error') ?? '{"code":-32603,"message":"The client gave no answer."}';
      refused.abort(new Error('the client has refused another of these requests'));
      return '';
    });
    const settled = await Promise.allSettled(answers);
    if (error !== undefined) return { kind: 'refused', error };
    signal.throwIfAborted();
    const responses = settled.map((answer) => (answer.status === 'fulfilled' ? answer.value : ''));
    const state = textAt(frame, 'result', 'requestState');
    return {
      kind: 'members',
      members: [
        ...(requests.length > 0 ? [`"inputResponses":{${responses.join(',')}}`] : []),
        ...(state === undefined ? [] : [`"requestState":${state}`]),
      ].join(','),
    };
  }

  #put(request: Buffer, signal: AbortSignal): Promise<Buffer> {
    this.#asked += 1;
    const id = `"causeway-input-${this.#asked}"`;
    return new Promise((resolve, reject) => {
      const takeBack = () => {
        this.#open.delete(id);
        this.#write(Buffer.from(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`));
        reject(signal.reason);
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener('abort', takeBack, { once: true });
      this.#open.set(id, {
        answered: (frame) => {
          this.#open.delete(id);
          signal.removeEventListener('abort', takeBack);
          resolve(frame);
        },
      });
      this.#write(withMembers(asSessionsHaveIt(request, id), [], `"jsonrpc":"2.0","id":${id}`));
    });
  }
}

/** The session revisions number an elicitation by URL; the stateless one does not. */
function asSessionsHaveIt(request: Buffer, id: string): Buffer {
  const isByUrl = textAt(request, 'params', 'mode') === '"url"';
  const isNumbered = !isByUrl || textAt(request, 'params', 'elicitationId') !== undefined;
  return isNumbered ? request : withMembers(request, ['params'], `"elicitationId":${id}`);
}
