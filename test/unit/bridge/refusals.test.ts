import { describe, expect, it } from 'vitest';
import type { HttpOutcome } from '../../../main/bridge/http-exchange.ts';
import { readNote, withDecision, withNextStep } from '../../../main/bridge/refusals.ts';
import { retryAfterOutcome } from '../../../main/bridge/retry.ts';

const PATH = '/ai-gateway/mcp-services/main.support.tickets';
const ASK = 'Ask your administrator (it@acme.example).';
const SAID = 'Customer names stay in the workspace';

function shown(error: object, { status = 200, path = PATH } = {}) {
  // An id that no number of JavaScript holds, and a member that nobody knows: both have to stay.
  const frame = `{"jsonrpc":"2.0","id":12345678901234567890,"trace":1.0,"error":${JSON.stringify(error)}}`;
  const bytes = withNextStep(Buffer.from(frame), JSON.parse(frame), status, { path, ask: ASK });
  return { frame, text: String(bytes), error: JSON.parse(String(bytes)).error };
}

describe('an error of the gateway', () => {
  it('keeps its code and its words, and says whose decision it is and whom to ask', () => {
    const { text, error } = shown({ code: -32003, message: SAID, data: { policy: 'p' } });
    expect(text).toContain('"id":12345678901234567890,"trace":1.0,');
    expect(error.code).toBe(-32003);
    expect(error.message).toBe(
      `${SAID}. Your administrators decided this, with a policy on this service. Do not try it again, or another way: it may have run. AI Gateway > MCPs in the workspace shows the service. ${ASK}`,
    );
    expect(error.data).toMatchObject({ policy: 'p', causeway: { refusal: 'policy', said: SAID } });
    expect(readNote(error.data)?.next).toContain(ASK);
  });

  it.each([
    [undefined, { causeway: { refusal: 'policy' } }],
    [null, { causeway: { refusal: 'policy' } }],
    ['text', 'text'],
    [['a'], ['a']],
  ])('keeps its data: %j', (data, expected) => {
    const { error } = shown({ code: -32003, message: SAID, ...(data !== undefined && { data }) });
    if (typeof expected === 'string' || Array.isArray(expected)) expect(error.data).toEqual(expected);
    else expect(error.data).toMatchObject(expected);
    expect(error.message).toMatch(/^Customer names .* Your administrators decided this/);
  });

  it.each<[what: string, error: object, where?: object]>([
    ['another code', { code: -32602, message: SAID }],
    ['the code of another server', { code: -32003, message: SAID }, { path: '/api/2.0/mcp/sql' }],
    ['that code in a draft of MCP', { code: -32003, message: SAID, data: { requiredCapabilities: { sampling: {} } } }],
    ['a missing session', { code: -32001, message: 'Session not found' }, { status: 404 }],
  ])('with %s is unchanged', (_what, error, where) => {
    const { frame, text } = shown(error, where);
    expect(text).toBe(frame);
  });

  it('is the answer to its request with every status, and sent once', () => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32003, message: SAID } });
    for (const status of [400, 401, 403, 404, 410, 429, 500, 503]) {
      const refused: HttpOutcome = { kind: 'refused', head: { status, headers: {} }, text };
      const decided = withDecision(refused, PATH);
      expect(decided).toMatchObject({ kind: 'frame', frame: Buffer.from(text) });
      const tried = { method: 'tools/list', repeats: 0, responseStarted: false, rejected: undefined };
      expect(retryAfterOutcome(decided, tried)).toBeUndefined();
      expect(withDecision(refused, '/api/2.0/mcp/sql')).toBe(refused);
    }
  });
});

describe('a refusal that administrators have decided', () => {
  const tried = { method: 'tools/list', repeats: 0, responseStarted: false, rejected: undefined };
  const refused = (status: number, text: string): HttpOutcome => ({
    kind: 'refused',
    head: { status, headers: {} },
    text,
  });

  it.each([401, 403, 429, 503])('is not sent again, whatever the status: %i', (status) => {
    const text = 'CUSTOMER_UNAUTHORIZED: Access to a.test is denied because of serverless network policy.';
    expect(retryAfterOutcome(refused(status, text), tried)).toBeUndefined();
  });

  it('leaves a limit to be waited for', () => {
    const text = "User defined rate limit(s) exceeded for 'a.b.c'. rate limit exceeded for user";
    expect(retryAfterOutcome(refused(429, text), tried, () => 0.5)).toBe(240);
  });
});
