import { expect, it } from 'vitest';
import { traceHeaders } from '../../../main/bridge/trace-context.ts';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const frame = (meta: object) =>
  Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a', _meta: meta } }));

it.each<[what: string, meta: object, headers: object]>([
  ['a trace', { traceparent: TRACE }, { traceparent: TRACE }],
  ['a trace with its state', { traceparent: TRACE, tracestate: 'a=1' }, { traceparent: TRACE, tracestate: 'a=1' }],
  ['a state that no header holds', { traceparent: TRACE, tracestate: 'a=1\r\nx: 1' }, { traceparent: TRACE }],
  ['a state alone', { tracestate: 'a=1' }, {}],
  ['another form', { traceparent: `${TRACE}\r\nx: 1` }, {}],
  ['no text', { traceparent: { a: TRACE } }, {}],
  ['nothing', {}, {}],
])('a request with %s in _meta has it as headers too', (_what, meta, headers) => {
  expect(traceHeaders(frame(meta))).toEqual(headers);
});

it('a trace in the arguments of a call is not the trace of the call', () => {
  const text = JSON.stringify({ id: 1, method: 'tools/call', params: { arguments: { traceparent: TRACE } } });
  expect(traceHeaders(Buffer.from(text))).toEqual({});
});
