import type { Secret } from '../platform/secret.ts';
import type { Ending } from './ending.ts';
import { envelopeOf, type SendableEnvelope } from './envelope.ts';
import { rawId } from './raw-id.ts';

/** What is known of one frame of the client's while it is on its way. */
export class Trip implements Ending {
  place = -1;
  readonly frame: Buffer;
  readonly envelope: SendableEnvelope;
  readonly method: string;
  /** Answers that the client still waits for. */
  owed: number;
  /** Whether any frame of the answer has gone to the client: from then on nothing may be sent again. */
  begun = false;
  /** The generation of the session that the frame was last sent in. */
  generation = 0;
  /** Whether the client was answered from memory: what the server says goes no further. */
  silent = false;
  deaths = 0;
  repeats = 0;
  /** The token that the workspace refused on the last attempt. */
  rejected: Secret | undefined;
  readonly #cutOff: Trip[];
  #id: string | undefined;

  /** @param cutOff where the trip is noted if the bridge is closed before its answer has come */
  constructor(frame: Buffer, envelope: SendableEnvelope, cutOff: Trip[]) {
    this.#cutOff = cutOff;
    this.frame = frame;
    this.envelope = envelope;
    this.method = 'method' in envelope ? envelope.method : envelope.kind;
    this.owed = envelope.kind === 'request' ? 1 : envelope.kind === 'batch' ? envelope.requests : 0;
  }

  end(): void {
    if (this.owed > 0) this.#cutOff.push(this);
  }

  /** The request's id as it was written. */
  get id(): string {
    this.#id ??= rawId(this.frame);
    return this.#id;
  }

  /** The ids of all the requests in the frame, as JSON text. */
  ids(): string[] {
    if (this.envelope.kind !== 'batch') return [this.id];
    const entries: unknown = JSON.parse(this.frame.toString('utf8'));
    if (!Array.isArray(entries)) return [];
    return entries.filter((entry) => envelopeOf(entry).kind === 'request').map(({ id }) => JSON.stringify(id));
  }
}
