import { describe, expect, it, vi } from 'vitest';
import type { HttpOutcome } from '../../../main/bridge/http-exchange.ts';
import { type SendOwn, SessionProbe } from '../../../main/bridge/session.ts';

const SESSION = { id: 'one', protocolVersion: '2025-06-18' };
const LOST = { code: -32603, message: 'Session not found' };
const HEAD = { status: 200, headers: {} };
const errorOf = (error: object) => JSON.stringify({ jsonrpc: '2.0', id: 'causeway-alive', error });
const frame = (text: string): HttpOutcome => ({ kind: 'frame', head: HEAD, frame: Buffer.from(text) });
const refused = (status: number, text: string): HttpOutcome => ({ kind: 'refused', head: { ...HEAD, status }, text });
const streamed: HttpOutcome = { kind: 'streamed', head: HEAD, place: { lastEventId: undefined, retryMs: undefined } };

/** A probe whose pings are answered so, and the pings. */
function probeOf(answer: (...args: Parameters<SendOwn>) => Promise<HttpOutcome>) {
  const send = vi.fn<SendOwn>(answer);
  return { probe: new SessionProbe(send), send };
}

describe('a session that an internal error calls lost', () => {
  it('is lost if a ping gets the same error', async () => {
    const { probe, send } = probeOf(async () => frame(errorOf(LOST)));
    expect(await probe.confirms(LOST, SESSION)).toBe(true);
    const [method, ping, session] = send.mock.calls[0] ?? [];
    expect([method, JSON.parse(String(ping)).method, session]).toEqual(['ping', 'ping', SESSION]);
  });

  it.each<[how: string, outcome: HttpOutcome, isLost: boolean]>([
    ['in a response with an error status', refused(500, errorOf(LOST)), true],
    ['as a status that says so', refused(410, ''), true],
    ['as a page with another status', refused(502, '<html>Session not found</html>'), false],
    ['with another code', frame(errorOf({ ...LOST, code: -32000 })), false],
    ['with another message', frame(errorOf({ ...LOST, message: 'Session expired' })), false],
    ['as a result', frame('{"jsonrpc":"2.0","id":"causeway-alive","result":{}}'), false],
    ['as nothing', { kind: 'accepted', head: HEAD }, false],
    ['as an empty stream', streamed, false],
  ])('is judged by what the ping gets: %s', async (_how, outcome, isLost) => {
    const { probe } = probeOf(async () => outcome);
    expect(await probe.confirms(LOST, SESSION)).toBe(isLost);
  });

  it('is judged by the first frame of a stream', async () => {
    const { probe } = probeOf(async (_method, _ping, _session, onFrame) => {
      onFrame(Buffer.from(errorOf(LOST)), HEAD);
      onFrame(Buffer.from('{"jsonrpc":"2.0","method":"notifications/message"}'), HEAD);
      return streamed;
    });
    expect(await probe.confirms(LOST, SESSION)).toBe(true);
  });

  it('counts as alive if the ping fails', async () => {
    const { probe } = probeOf(async () => {
      throw new Error('socket hang up');
    });
    expect(await probe.confirms(LOST, SESSION)).toBe(false);
  });
});

describe('one ping', () => {
  it('serves all who meet the same error meanwhile, and not those after it', async () => {
    let answer = (_outcome: HttpOutcome) => {};
    const { probe, send } = probeOf(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const both = [probe.confirms(LOST, SESSION), probe.confirms({ ...LOST }, { ...SESSION })];
    expect(send).toHaveBeenCalledTimes(1);
    answer(frame(errorOf(LOST)));
    expect(await Promise.all(both)).toEqual([true, true]);
    void probe.confirms(LOST, SESSION);
    expect(send).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['another session', LOST, { ...SESSION, id: 'two' }],
    ['another code', { ...LOST, code: -32600 }, SESSION],
    ['another message', { ...LOST, message: 'Invalid session' }, SESSION],
  ])('does not serve %s', async (_what, error, session) => {
    const { probe, send } = probeOf(() => new Promise(() => {}));
    void probe.confirms(LOST, SESSION);
    void probe.confirms(error, session);
    expect(send).toHaveBeenCalledTimes(2);
    // The latest one is shared from now on.
    void probe.confirms(error, session);
    expect(send).toHaveBeenCalledTimes(2);
  });

  it('that another has followed does not end the sharing of that one', async () => {
    let end = (_outcome: HttpOutcome) => {};
    const { probe, send } = probeOf(
      () =>
        new Promise((resolve) => {
          if (send.mock.calls.length === 1) end = resolve;
        }),
    );
    const first = probe.confirms(LOST, SESSION);
    const second = { ...SESSION, id: 'two' };
    void probe.confirms(LOST, second);
    end(streamed);
    await first;
    void probe.confirms(LOST, second);
    expect(send).toHaveBeenCalledTimes(2);
  });
});

it('a ping without an answer is given up, and the session counts as alive', async () => {
  const probe = new SessionProbe(() => new Promise(() => {}), 10);
  expect(await probe.confirms(LOST, SESSION)).toBe(false);
});
