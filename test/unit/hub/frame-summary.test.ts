import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanFrame } from '../../../main/bridge/frame/frame.ts';
import {
  batchOf,
  calledTool,
  callOutcome,
  nameOrNull,
  paramsOf,
  summarizeFrame,
} from '../../../main/hub/frame-summary.ts';

const statement = (state: string) => ({ statement_id: 's', status: { state, error: { message: 'No such column' } } });
const LONG = 'x'.repeat(100_000);
const verdict = (value: unknown) => callOutcome(frame(value), summarizeFrame(frame(value)));
const frame = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

/** JSON-RPC frames as SDKs order them, and as none does, with something large in the middle. */
const frames = fc
  .record({
    id: fc.oneof(fc.integer(), fc.string({ unit: 'binary' }), fc.constant('"},"id":5}'), fc.constant(null)),
    large: fc.oneof(
      fc.constantFrom({ id: 5 }, { 'a","id': 5 }, [{ id: 6, method: 'm' }], '","id":7}', 1),
      fc.jsonValue(),
    ),
    padding: fc.constantFrom(0, 600, 3_000),
    shape: fc.constantFrom('request', 'notification', 'result', 'error'),
    order: fc.shuffledSubarray(['jsonrpc', 'id', 'method', 'large'], { minLength: 4 }),
    space: fc.constantFrom(undefined, 1),
  })
  .map(({ id, large, padding, shape, order, space }) => {
    const body = [large, 'y'.repeat(padding), large];
    const members: Record<string, [string, unknown][]> = {
      jsonrpc: [['jsonrpc', '2.0']],
      id: shape === 'notification' ? [] : [['id', id]],
      method: shape === 'result' || shape === 'error' ? [] : [['method', 'tools/call']],
      large: [[shape === 'result' || shape === 'error' ? shape : 'params', body]],
    };
    return frame(JSON.stringify(Object.fromEntries(order.flatMap((name) => members[name] ?? [])), null, space));
  });

describe('the summary of a frame', () => {
  it('the summary says the same as a scan of the whole frame', () => {
    fc.assert(
      fc.property(frames, (bytes) => {
        expect(summarizeFrame(bytes)).toMatchObject(scanFrame(bytes));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    { method: 'tools/call', params: { name: 'query', arguments: { text: LONG } }, jsonrpc: '2.0', id: 9 },
    { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'query', arguments: { text: LONG } } },
    { jsonrpc: '2.0', method: 'tools/call', params: { name: 'query', text: LONG }, id: 9 },
  ])('the summary has id, method and tool on either side of long arguments', (value) => {
    expect(summarizeFrame(frame(value))).toEqual({ id: '9', method: 'tools/call', body: 'params' });
    expect(calledTool(frame(value))).toBe('query');
  });
});

describe('the middle of a large frame', () => {
  // A quotation mark that is never closed: whoever walks through it finds nothing behind it.
  const broken = (length: number) => `{"text":"${'x'.repeat(length)}}`;

  it.each([20, 2_000])('the middle is not read if the ends show id and method (%i bytes)', (length) => {
    const request = `{"jsonrpc":"2.0","method":"tools/call","params":${broken(length)},"id":9}`;
    expect(summarizeFrame(frame(request))).toStrictEqual({ id: '9', method: 'tools/call', body: 'params' });
    const spaced = `{ "jsonrpc" : "2.0", "method" : "tools/call", "params" : ${broken(length)} , "id" : 9 }\n`;
    expect(summarizeFrame(frame(spaced))).toStrictEqual({ id: '9', method: 'tools/call', body: 'params' });
    const result = `{"jsonrpc":"2.0","result":${broken(length)},"id":"größe"}`;
    expect(summarizeFrame(frame(result))).toStrictEqual({ id: '"größe"', method: undefined, body: 'result' });
    const error = `{"error":${broken(length)},"jsonrpc":"2.0","id":"größe"}`;
    expect(summarizeFrame(frame(error))).toStrictEqual({ id: '"größe"', method: undefined, body: 'error' });
  });

  it.each([
    ['an id between two large members', '{"method":"m","params":{},"id":5,"more":{"id":6}}', '5', 'm', 'params'],
    ['a method behind the parameters', '{"id":5,"params":{"method":"x"},"method":"m"}', '5', 'm', 'params'],
    ['a method after them, and the id', '{"params":{},"method":"m","id":5}', '5', 'm', 'params'],
    ['a result with a method', '{"id":5,"method":"m","result":{}}', '5', 'm', 'result'],
    ['a notification', '{"method":"m","params":{"id":5}}', undefined, 'm', 'params'],
    ['no large member', '{"id":5,"method":"m"}', '5', 'm', undefined],
    ['a large member of another name', '{"id":5,"more":{},"method":"m"}', '5', 'm', undefined],
    ['nothing', '{}', undefined, undefined, undefined],
  ])('the middle is scanned if the frame has %s', (_what, text, id, method, body) => {
    expect(summarizeFrame(frame(text))).toStrictEqual({ id, method, body });
  });
});

describe('the name of a tool', () => {
  it.each([
    [{ params: { name: 'query' } }, 'query'],
    [{ params: { arguments: { name: 'other' }, name: 'query' } }, 'query'],
    [{ params: { name: 'größe "1"' } }, 'größe "1"'],
    [{ params: { name: 5 } }, null],
    [{ params: { arguments: { text: LONG }, name: 'query' } }, null],
    [{ params: { name: 'größe "1"', arguments: { text: LONG } } }, 'größe "1"'],
    [`{ "params" : { "name" : "query" , "text" : "${LONG}" } }`, 'query'],
    [`{"params":\n{\n  "name"  :  "query",\n  "text": "${LONG}"}}`, 'query'],
    [{}, null],
    ['{"params":{"name":', null],
  ])('in %.60j is %s', (value, name) => {
    expect(calledTool(frame(value))).toBe(name);
  });

  it('a name that is too long to show is cut', () => {
    expect(nameOrNull(LONG)).toHaveLength(128);
    expect(nameOrNull('')).toBeNull();
  });
});

describe('the outcome of a call', () => {
  it.each([
    [{ result: { content: [] } }, 'answered'],
    [{ result: { content: [], isError: false } }, 'answered'],
    [{ result: { content: [{ text: '"isError":true' }] } }, 'answered'],
    [{ result: { structuredContent: { isError: true } } }, 'answered'],
    [{ result: { content: [], isError: true, _meta: {} } }, 'tool-error'],
    [{ result: { content: [{ text: LONG }], isError: true }, jsonrpc: '2.0', id: 1 }, 'tool-error'],
    [{ result: { isError: true, content: [{ text: LONG }] } }, 'tool-error'],
    [{ result: { content: [{ text: LONG, isError: true }] } }, 'answered'],
    [{ result: { content: [{ text: LONG }], isError: false } }, 'answered'],
    [`{ "result" : { "isError" : true , "content" : "${LONG}" } }`, 'tool-error'],
    [`{ "result"\n:\n{\n  "isError"  :  true,\n  "content" : "${LONG}" } }`, 'tool-error'],
    [{ result: { structuredContent: statement('FAILED') } }, 'tool-error'],
    [{ result: { structuredContent: statement('CANCELED') } }, 'tool-error'],
    [{ result: { structuredContent: statement('SUCCEEDED') } }, 'answered'],
    [{ result: { structuredContent: statement('RUNNING') } }, 'answered'],
    [{ result: { content: [{ type: 'text', text: JSON.stringify(statement('FAILED'), null, 2) }] } }, 'tool-error'],
    [{ result: { content: [{ type: 'text', text: `SELECT ${JSON.stringify(statement('FAILED'))}` }] } }, 'answered'],
    [{ result: { structuredContent: { conversationId: 'c', status: 'FAILED' } } }, 'tool-error'],
    [{ result: { structuredContent: { conversationId: 'c', status: 'COMPLETED' } } }, 'answered'],
    [{ result: { structuredContent: { job_id: 7, status: 'FAILED' } } }, 'answered'],
    [{ result: { structuredContent: { ...statement('SUCCEEDED'), rows: [statement('FAILED')] } } }, 'answered'],
    [{ result: { error: { code: 1 } } }, 'answered'],
    [{ error: null, result: { content: [] } }, 'answered'],
    [{ error: 'no', result: { content: [] } }, 'answered'],
    [{ jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'no' } }, 'error'],
    [{ jsonrpc: '2.0', id: 1, error: { code: -32602, message: LONG } }, 'error'],
  ])('%.60j is %s', (value, outcome) => {
    expect(verdict(value)).toMatchObject({ outcome });
  });

  it('the middle of a long answer is not searched for the outcome', () => {
    const value = { result: { content: [{ text: LONG }], isError: true, _meta: {} } };
    expect(verdict(value)).toEqual({ outcome: 'answered' });
  });

  it('the outcome names the error', () => {
    const value = { error: { code: -31_999, message: 'no', data: { source: 'causeway', reason: 'unreachable' } } };
    expect(verdict(value)).toEqual({
      outcome: 'error',
      errorCode: -31_999,
      problem: { code: 'unreachable', message: 'no' },
      refusal: null,
    });
    expect(verdict({ error: { code: 'x', message: 'no' } })).toStrictEqual({
      outcome: 'error',
      errorCode: null,
      problem: null,
      refusal: null,
    });
  });

  it('the outcome names who refuses, where the bridge has found that out', () => {
    const causeway = { refusal: 'policy', said: 'No', next: 'Ask.' };
    expect(verdict({ error: { code: -32003, message: 'No. Ask.', data: { causeway } } })).toEqual({
      outcome: 'error',
      errorCode: -32003,
      problem: { code: 'permission_denied', message: 'No. Ask.' },
      refusal: 'policy',
    });
    const data = { source: 'causeway', reason: 'rate_limited', refusal: 'user-rate-limit' };
    expect(verdict({ error: { code: -31_999, message: 'Wait.', data } })).toMatchObject({ refusal: 'user-rate-limit' });
    const unknown = { error: { code: -32003, message: 'secret', data: { causeway: { ...causeway, refusal: 'x' } } } };
    expect(verdict(unknown)).toMatchObject({ problem: null, refusal: null });
  });
});

describe('a frame of up to 64 KiB is read as a whole', () => {
  const WHOLE = 64 * 1024;
  const ofLength = (length: number, around: (text: string) => string) =>
    frame(around('x'.repeat(length - around('').length)));

  it('for the name of a tool and its parameters', () => {
    const request = (text: string) => `{"params":{"text":"${text}","name":"query"}}`;
    expect(calledTool(ofLength(WHOLE, request))).toBe('query');
    expect(calledTool(ofLength(WHOLE + 1, request))).toBeNull();
    expect(paramsOf(ofLength(WHOLE, request))).toMatchObject({ name: 'query' });
    expect(paramsOf(ofLength(WHOLE + 1, request))).toBeUndefined();
  });

  it('for a tool that failed', () => {
    const answer = (text: string) => `{"result":{"content":"${text}","isError":true,"_meta":{}}}`;
    const outcomeOf = (bytes: Buffer) => callOutcome(bytes, summarizeFrame(bytes)).outcome;
    expect(outcomeOf(ofLength(WHOLE, answer))).toBe('tool-error');
    expect(outcomeOf(ofLength(WHOLE + 1, answer))).toBe('answered');
  });

  it('for the frames of a batch', () => {
    const batch = (text: string) => `[{"id":"${text}"}]`;
    expect(batchOf(ofLength(WHOLE, batch))).toHaveLength(1);
    expect(batchOf(ofLength(WHOLE + 1, batch))).toBeUndefined();
  });
});

it('a batch is read as its individual frames', () => {
  expect(batchOf(frame('[{"id":1},{"id":2}]'))?.map(String)).toEqual(['{"id":1}', '{"id":2}']);
  expect(batchOf(frame('{"id":1}'))).toBeUndefined();
  expect(batchOf(frame('[{"id":'))).toEqual([]);
});
