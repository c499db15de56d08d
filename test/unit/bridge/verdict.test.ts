import { describe, expect, it } from 'vitest';
import { readEnvelope } from '../../../main/bridge/frame/frame.ts';
import { type HttpOutcome, UnsentError } from '../../../main/bridge/http-exchange.ts';
import { PendingRequest } from '../../../main/bridge/pending-request.ts';
import { REPEAT } from '../../../main/bridge/retry.ts';
import {
  attemptFailureIn,
  type Ended,
  failureOf,
  NOTHING_TRIED,
  type Tried,
  type Verdict,
  verdictOn,
} from '../../../main/bridge/verdict.ts';
import { Secret } from '../../../main/platform/secret.ts';

const head = { status: 200, headers: {} };
const place = { lastEventId: undefined, retryMs: undefined };
const streamed: HttpOutcome = { kind: 'streamed', head, place };
const refused = (status: number, text = ''): Extract<HttpOutcome, { kind: 'refused' }> => ({
  kind: 'refused',
  head: { status, headers: {} },
  text,
});
const broken = (sent: boolean, error: Error = new Error('it broke')): HttpOutcome => ({
  kind: 'broken',
  error,
  sent,
  head: undefined,
  place,
});
const received = (text: string) => ({ frame: Buffer.from(text), head });
const rpcError = (code: number, message: string) => JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message } });

const LOST = received(rpcError(-32600, 'Session not found'));
const DOUBTFUL = received(rpcError(-32603, 'Session not found'));
const ELICITATION = received(rpcError(-32042, 'Sign in'));
const EXHAUSTED: Partial<Tried> = { sessionLosses: REPEAT.sessionLosses };

const ended = (outcome: HttpOutcome, facts: Partial<Ended> = {}): Ended => ({
  method: 'tools/call',
  outcome,
  hasBegun: false,
  isRenewable: true,
  loss: undefined,
  elicitation: undefined,
  hasService: false,
  ...facts,
});
const verdict = (of: Ended, tried: Partial<Tried> = {}) => verdictOn(of, { ...NOTHING_TRIED, ...tried }, () => 0.5);

const PASS_ON: Verdict = { do: 'pass-on' };
const OF_SERVICE: Partial<Ended> = { hasService: true };

describe('the verdict on an exchange', () => {
  it.each<[name: string, Ended, Partial<Tried>, Verdict]>([
    ['a stream', ended(streamed), {}, PASS_ON],
    ['a frame', ended({ kind: 'frame', ...received('{"jsonrpc":"2.0","id":1,"result":{}}') }), {}, PASS_ON],
    ['an accepted notification', ended({ kind: 'accepted', head }), {}, PASS_ON],
    ['an answer that is too long', ended({ kind: 'too-long', head }), {}, PASS_ON],
    ['a cancellation', ended({ kind: 'cancelled' }), {}, { do: 'withdraw' }],

    ['404 in a session', ended(refused(404)), {}, { do: 'renew' }],
    ['404 without a session', ended(refused(404), { isRenewable: false }), {}, PASS_ON],
    [
      '404 in the last of several sessions',
      ended(refused(404)),
      EXHAUSTED,
      { do: 'fail', failure: { kind: 'forgotten' } },
    ],
    [
      'a lost session as an error that the client may see',
      ended(refused(400, rpcError(-32600, 'Session not found'))),
      EXHAUSTED,
      PASS_ON,
    ],
    ['a lost session in an event', ended(streamed, { loss: LOST }), {}, { do: 'renew' }],
    ['a lost session in an event, again and again', ended(streamed, { loss: LOST }), EXHAUSTED, PASS_ON],
    [
      'an internal error about a session',
      ended(streamed, { loss: DOUBTFUL }),
      {},
      { do: 'probe', error: { code: -32603, message: 'Session not found' } },
    ],
    [
      'the same with status 500',
      ended(refused(500, String(DOUBTFUL.frame))),
      {},
      { do: 'probe', error: { code: -32603, message: 'Session not found' } },
    ],
    ['the same after the probe', ended(streamed, { loss: DOUBTFUL, isLost: true }), {}, { do: 'renew' }],
    ["a tool's own error about a session", ended(streamed, { loss: DOUBTFUL, isLost: false }), {}, PASS_ON],
    ['the same, and then the connection broke', ended(broken(false), { loss: DOUBTFUL, isLost: false }), {}, PASS_ON],

    ['a refused token', ended(refused(401)), {}, { do: 'repeat', afterMs: 0 }],
    ['a second refused token', ended(refused(401)), { rejected: new Secret('x') }, PASS_ON],
    [
      'a refused token before a service',
      ended(refused(401), OF_SERVICE),
      {},
      { do: 'check-service', refusal: refused(401) },
    ],
    [
      'the same, once the user has signed in',
      ended(refused(401), { ...OF_SERVICE, service: 'again' }),
      {},
      { do: 'resend' },
    ],
    [
      'the same, if it is about the token',
      ended(refused(401), { ...OF_SERVICE, service: 'other' }),
      {},
      { do: 'repeat', afterMs: 0 },
    ],
    [
      'an elicitation',
      ended(streamed, { ...OF_SERVICE, elicitation: ELICITATION }),
      {},
      { do: 'check-service', refusal: ELICITATION.frame },
    ],
    [
      'an elicitation about something else',
      ended(streamed, { ...OF_SERVICE, elicitation: ELICITATION, service: 'other' }),
      {},
      PASS_ON,
    ],
    ['403 before a service', ended(refused(403), OF_SERVICE), {}, PASS_ON],

    ['503', ended(refused(503)), {}, { do: 'repeat', afterMs: 240 }],
    ['503 too often', ended(refused(503)), { repeats: REPEAT.times }, PASS_ON],
    ['503 after the answer has begun', ended(refused(503), { hasBegun: true }), {}, PASS_ON],
    ['a call that was never sent', ended(broken(false)), {}, { do: 'repeat', afterMs: 240 }],
    ['a call that no connection took in time', ended(broken(false, new UnsentError('late'))), {}, { do: 'time-out' }],
    ['a call that may have run', ended(broken(true)), {}, PASS_ON],
    [
      'a list whose connection broke',
      ended(broken(true), { method: 'tools/list' }),
      {},
      { do: 'repeat', afterMs: 240 },
    ],
  ])('%s', (_name, of, tried, expected) => {
    expect(verdict(of, tried)).toEqual(expected);
  });
});

function request(text: string): PendingRequest {
  const envelope = readEnvelope(Buffer.from(text));
  if (envelope.kind === 'invalid') throw new Error(envelope.message);
  return new PendingRequest(Buffer.from(text), envelope);
}

const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call"}';
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const CANCELLED = '{"jsonrpc":"2.0","method":"notifications/cancelled"}';

describe('the failure of a frame whose exchange is over', () => {
  it.each<[name: string, HttpOutcome, frame: string, ReturnType<typeof failureOf>]>([
    ['a call without an answer', streamed, CALL, { kind: 'unanswered' }],
    ['a refused call', refused(403), CALL, { kind: 'refused', head: { status: 403, headers: {} }, text: '' }],
    ['a call with too long an answer', { kind: 'too-long', head }, CALL, { kind: 'too-long' }],
    ['initialized, accepted', { kind: 'accepted', head }, INITIALIZED, undefined],
    [
      'initialized, refused',
      refused(403),
      INITIALIZED,
      { kind: 'refused', head: { status: 403, headers: {} }, text: '' },
    ],
    ['another notification, refused', refused(403), CANCELLED, undefined],
  ])('%s', (_name, outcome, frame, failure) => {
    expect(failureOf(outcome, request(frame))).toEqual(failure);
  });

  it('is none once there is an answer, but not if that came from the cache', () => {
    const answered = request(CALL);
    answered.settle('server', '1');
    expect(failureOf(streamed, answered)).toBeUndefined();
    const cached = request(CALL);
    cached.settle('cache');
    expect(failureOf(streamed, cached)).toEqual({ kind: 'unanswered' });
  });

  it("names another request's id", () => {
    const waiting = request(CALL);
    waiting.misaddressed();
    expect(failureOf(streamed, waiting)).toEqual({ kind: 'misaddressed' });
  });
});

describe('an attempt', () => {
  it.each<[name: string, Ended, ReturnType<typeof attemptFailureIn>]>([
    ['that was answered has no failure', ended(streamed), undefined],
    ['that was refused', ended(refused(503)), { status: 503, reason: 'refused' }],
    ['in a lost session', ended(streamed, { loss: LOST }), { status: 200, reason: 'session-lost' }],
    ['whose connection broke', ended(broken(true)), { status: null, reason: 'broken' }],
    ['that was never sent', ended(broken(false)), { status: null, reason: 'not-sent' }],
    ['with too long an answer', ended({ kind: 'too-long', head }), { status: 200, reason: 'too-long' }],
    ['that brought an error before it broke', ended(broken(true), { loss: DOUBTFUL, isLost: false }), undefined],
  ])('%s', (_name, of, failure) => {
    expect(attemptFailureIn(of)).toEqual(failure);
  });
});
