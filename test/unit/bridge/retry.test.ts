import { describe, expect, it } from 'vitest';
import type { HttpOutcome } from '../../../main/bridge/http-exchange.ts';
import { type Attempted, REPEAT, retryAfterOutcome } from '../../../main/bridge/retry.ts';

const middling = () => 0.5;
const call: Attempted = { method: 'tools/call', repeats: 0, responseStarted: false, rejected: undefined };
const list: Attempted = { ...call, method: 'tools/list' };

function refused(status: number, headers: Record<string, string> = {}, text = ''): HttpOutcome {
  return { kind: 'refused', head: { status, headers }, text };
}

const place = { lastEventId: undefined, retryMs: undefined };

function broken(code: string, sent: boolean, head?: { status: number; headers: object }): HttpOutcome {
  const error = Object.assign(new Error(code), { code });
  return { kind: 'broken', error, sent, head: head && { status: head.status, headers: {} }, place };
}

const head = { status: 200, headers: {} };

describe('a frame is sent again', () => {
  it.each<[name: string, outcome: HttpOutcome, tried: Attempted, milliseconds: number]>([
    ['at once after 401, with another token', refused(401), call, 0],
    ['at once after 400 for the token, as AI Gateway words it', refused(400, {}, 'Invalid Token'), call, 0],
    ['after 429, at the time that Retry-After names', refused(429, { 'retry-after': '7' }), call, 7_000],
    ['not at once, whatever Retry-After says', refused(503, { 'retry-after': '0' }), call, 250],
    ['after 429 without Retry-After', refused(429), call, 240],
    ['after 503 a second time', refused(503), { ...call, repeats: 1 }, 960],
    ['after 503 a third time', refused(503), { ...call, repeats: 2 }, 3_840],
    ['after a Retry-After that cannot be parsed', refused(503, { 'retry-after': 'soon' }), call, 240],
    ['if it was never sent: connection refused', broken('ECONNREFUSED', false), call, 240],
    ['if it was never sent, a second time', broken('ECONNREFUSED', false), { ...call, repeats: 1 }, 960],
    ['if it is idempotent and the connection broke', broken('ECONNRESET', true), list, 240],
  ])('%s', (_name, outcome, tried, milliseconds) => {
    expect(retryAfterOutcome(outcome, tried, middling)).toBe(milliseconds);
  });

  it.each([
    'initialize',
    'ping',
    'tools/list',
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'prompts/list',
    'prompts/get',
    'completion/complete',
    'server/discover',
    'resources/subscribe',
    'resources/unsubscribe',
    'subscriptions/listen',
    'logging/setLevel',
  ])('if it is %s and the connection broke', (method) => {
    expect(retryAfterOutcome(broken('UND_ERR_SOCKET', true), { ...call, method }, middling)).toBe(240);
  });

  it('a retry is delayed with jitter, so that many clients do not return at once', () => {
    expect(retryAfterOutcome(refused(503), call, () => 0)).toBe(160);
    expect(retryAfterOutcome(refused(503), call, () => 1)).toBe(320);
  });
});

describe('a frame is not sent again', () => {
  it.each<[name: string, outcome: HttpOutcome, tried: Attempted]>([
    ['a call whose connection broke', broken('ECONNRESET', true), call],
    [
      'a notification whose connection broke',
      broken('ECONNRESET', true),
      { ...call, method: 'notifications/cancelled' },
    ],
    ['once the response has begun', refused(503), { ...call, responseStarted: true }],
    ['a list whose response was cut off', broken('UND_ERR_SOCKET', true, head), list],
    ['after a second 401', refused(401), { ...call, rejected: 'a token' }],
    ['after the last retry', refused(503), { ...call, repeats: REPEAT.times }],
    ['if it was never sent, a third time', broken('ECONNREFUSED', false), { ...call, repeats: 2 }],
    ['if Retry-After is longer than a client waits', refused(429, { 'retry-after': '31' }), call],
    ['over a certificate that is not trusted', broken('SELF_SIGNED_CERT_IN_CHAIN', false), list],
    ['over a certificate for another host', broken('ERR_TLS_CERT_ALTNAME_INVALID', false), list],
    ['through a proxy that refuses', broken('UND_ERR_ABORTED', false), list],
    ['to a host name that does not exist', broken('ENOTFOUND', false), list],
    ['after minutes of silence', broken('UND_ERR_HEADERS_TIMEOUT', true), list],
    ['after ten seconds without a connection', broken('UND_ERR_CONNECT_TIMEOUT', false), list],
    ['after 400', refused(400), list],
    ['after 400 that only mentions a token', refused(400, {}, 'The next page token is an invalid token'), list],
    ['after 403', refused(403), list],
    ['after 500', refused(500), list],
    ['after 502', refused(502), list],
    ['after an answer', { kind: 'frame', head, frame: Buffer.from('{}') }, list],
    ['after a stream without the response', { kind: 'streamed', head, place }, list],
    ['after 202', { kind: 'accepted', head }, list],
  ])('%s', (_name, outcome, tried) => {
    expect(retryAfterOutcome(outcome, tried, middling)).toBeUndefined();
  });
});
