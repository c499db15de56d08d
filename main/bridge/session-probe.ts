import { setTimeout as sleep } from 'node:timers/promises';
import type { RpcError } from './frame/members.ts';
import type { HttpOutcome } from './http-exchange.ts';
import type { Session } from './session.ts';
import { isSessionLost, jsonRpcError } from './session.ts';

type Send = (method: string, frame: Buffer, session: Session, onFrame: (frame: Buffer) => void) => Promise<HttpOutcome>;

/** How long a server may take to answer the ping, in milliseconds. The answer to a call waits for it. */
const PROBE_TIMEOUT_MS = 5_000;
const PING = Buffer.from('{"jsonrpc":"2.0","id":"causeway-alive","method":"ping"}');

/**
 * Finds out whether an internal error that mentions a lost session means this session. If so, the server answers a ping,
 * which no tool handles, with the same error. Otherwise the error is a tool's own, and its call has run.
 */
export class SessionProbe {
  readonly #send: Send;
  /** The latest probe, shared by all requests that meet the same error at once. */
  #latest: { of: string; confirmed: Promise<boolean> } | undefined;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Whether the server answers any request in this session with `error`. */
  confirms(error: RpcError, session: Session): Promise<boolean> {
    const of = JSON.stringify([session.id, error.code, error.message]);
    if (this.#latest?.of === of) return this.#latest.confirmed;
    const confirmed = this.#ask(error, session).catch(() => false);
    this.#latest = { of, confirmed };
    void confirmed.then(() => {
      if (this.#latest?.confirmed === confirmed) this.#latest = undefined;
    });
    return confirmed;
  }

  async #ask(error: RpcError, session: Session): Promise<boolean> {
    let answer = '';
    const take = (frame: Buffer) => {
      answer ||= frame.toString('utf8');
    };
    const timeout = new AbortController();
    const tooLong = sleep(PROBE_TIMEOUT_MS, undefined, { signal: timeout.signal });
    tooLong.catch(() => {});
    const outcome = await Promise.race([this.#send('ping', PING, session, take), tooLong]);
    timeout.abort();
    if (outcome?.kind === 'frame') take(outcome.frame);
    if (outcome?.kind === 'refused') {
      if (isSessionLost({ status: outcome.head.status, text: outcome.text })) return true;
      answer = outcome.text;
    }
    const said = jsonRpcError(answer);
    return said?.code === error.code && said.message === error.message;
  }
}
