import { rawId, withId } from '../raw-id.ts';
import { MODERN_REVISION } from './headers.ts';
import { textAt, withMembers } from './members.ts';

/**
 * Frames as a server of the stateless revision wants them: with what each request has to say of its client, and under an id
 * that was not used before. All their other bytes stay as the client wrote them.
 */
export class OutgoingFrames {
  /** What has been sent once: a second time it needs another id. */
  readonly #sent = new WeakSet<Buffer>();
  #ids = 0;
  /** The client's own; a client of the same era has none. */
  initialize: Buffer | undefined;
  /** As JSON text. */
  logLevel: string | undefined;

  /** A client of the same era says all that is to be said itself, and understands every answer. */
  get isNative(): boolean {
    return this.initialize === undefined;
  }

  /** A request of the client's, with what it was asked for: members of `params`, as JSON text without braces. */
  ofClient(frame: Buffer, input: string): Buffer {
    const isAgain = this.#sent.has(frame);
    this.#sent.add(frame);
    const numbered = isAgain && rawId(frame) !== 'null' ? withId(frame, this.#freshId()) : frame;
    const given = input === '' ? numbered : withMembers(numbered, ['params'], input);
    return this.isNative ? given : withMembers(given, ['params', '_meta'], this.#meta());
  }

  /** A request of the bridge's own. `params` is JSON text without braces. */
  own(method: string, params = ''): Buffer {
    const members = `${params}${params === '' ? '' : ','}"_meta":{${this.#meta()}}`;
    return Buffer.from(`{"jsonrpc":"2.0","id":${this.#freshId()},"method":"${method}","params":{${members}}}`);
  }

  #freshId(): string {
    this.#ids += 1;
    return `"causeway-${this.#ids}"`;
  }

  /** What each request says of the client (MCP 2026-07-28 › `_meta`), in the client's own words. */
  #meta(): string {
    const capabilities = (this.initialize && textAt(this.initialize, 'params', 'capabilities')) ?? '{}';
    const clientInfo = this.initialize && textAt(this.initialize, 'params', 'clientInfo');
    return [
      `"io.modelcontextprotocol/protocolVersion":"${MODERN_REVISION}"`,
      `"io.modelcontextprotocol/clientCapabilities":${capabilities}`,
      ...(clientInfo === undefined ? [] : [`"io.modelcontextprotocol/clientInfo":${clientInfo}`]),
      ...(this.logLevel === undefined ? [] : [`"io.modelcontextprotocol/logLevel":${this.logLevel}`]),
    ].join(',');
  }
}
