import { describe, expect, it } from 'vitest';
import { type ContentsRecorder, type HubCall, SessionRecord } from '../../../main/hub/session-record.ts';

const SQL = '/api/2.0/mcp/sql';

function recorded(recorder: () => ContentsRecorder | undefined = () => undefined) {
  const calls: Omit<HubCall, 'id'>[] = [];
  const record = new SessionRecord(
    { id: 7, pid: 42, profile: 'acme', path: SQL, since: 0 },
    {
      call: (call) => calls.push(call),
      changed: () => {},
      get recorder() {
        return recorder();
      },
    },
  );
  const bytes = (frame: unknown) => Buffer.from(typeof frame === 'string' ? frame : JSON.stringify(frame));
  return {
    record,
    calls,
    sends: (frame: unknown) => record.fromClient(bytes(frame)),
    hears: (frame: unknown) => record.toClient(bytes(frame)),
    ends: () => calls.map(({ method, outcome }) => `${method} ${outcome}`),
  };
}

const call = (id: unknown, name = 'query') => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });
const answer = (id: unknown, result: unknown = {}) => ({ jsonrpc: '2.0', id, result });

describe('the record of a session', () => {
  it('has the name that the client gave itself, and the negotiated protocol revision', () => {
    const { record, sends, hears } = recorded();
    expect(record.session).toMatchObject({ id: 7, clientName: null, protocolVersion: null, lastCallAt: null });
    const clientInfo = { name: 'cursor', version: '1.4' };
    sends({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', clientInfo } });
    expect(record.session).toMatchObject({ clientName: 'cursor', clientVersion: '1.4', open: 1, done: 0 });
    hears(answer(0, { protocolVersion: '2025-06-18' }));
    expect(record.session).toMatchObject({ protocolVersion: '2025-06-18', open: 0, done: 1, failed: 0 });
    expect(record.session.lastCallAt).not.toBeNull();
  });

  it('has what a client of the stateless revision says in its requests', () => {
    const { record, sends } = recorded();
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'modern', version: '3' },
    };
    sends({ id: 0, method: 'tools/list', params: { _meta } });
    expect(record.session).toMatchObject({
      clientName: 'modern',
      clientVersion: '3',
      protocolVersion: '2026-07-28',
    });
  });
});

describe('a probe', () => {
  it.each(['server/discover', 'prompts/list', 'resources/templates/list'])(
    'is not a failure if the server does not have the method %s',
    (method) => {
      const { record, calls, sends, hears } = recorded();
      sends({ jsonrpc: '2.0', id: 1, method });
      hears({ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } });
      expect(record.session).toMatchObject({ done: 1, failed: 0 });
      expect(calls).toMatchObject([{ method, outcome: 'answered', errorCode: -32601 }]);
    },
  );

  it('is a failure after another error, and so is a tool call with this error', () => {
    const { record, sends, hears } = recorded();
    sends({ jsonrpc: '2.0', id: 1, method: 'prompts/list' });
    hears({ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } });
    sends(call(2));
    hears({ jsonrpc: '2.0', id: 2, error: { code: -32601, message: 'Method not found' } });
    expect(record.session).toMatchObject({ done: 2, failed: 2 });
  });
});

describe('a call', () => {
  it('is reported when it is answered, with its tool and its sizes and none of its contents', () => {
    const { calls, sends, hears } = recorded();
    const request = call(1);
    sends(request);
    hears({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1 } });
    hears({ jsonrpc: '2.0', id: 1, method: 'sampling/createMessage', params: {} });
    expect(calls).toEqual([]);
    sends(answer(1));
    hears(answer(1, { content: [] }));
    expect(calls).toEqual([
      {
        session: 7,
        requestId: '1',
        traceparent: null,
        workspace: null,
        user: null,
        pid: expect.any(Number),
        clientName: null,
        clientVersion: null,
        profile: 'acme',
        path: SQL,
        method: 'tools/call',
        tool: 'query',
        startedAt: expect.any(Number),
        durationMs: expect.any(Number),
        outcome: 'answered',
        errorCode: null,
        bytesFromClient: JSON.stringify(request).length,
        bytesToClient: JSON.stringify(answer(1, { content: [] })).length,
        contents: null,
        attempts: [],
        problem: null,
        refusal: null,
        statement: null,
      },
    ]);
  });

  it('has the workspace that it goes to, and the trace that its client says it belongs to', () => {
    const { record, calls, sends, hears } = recorded();
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    record.opened({ host: 'https://a.cloud.databricks.com', workspaceId: '7' });
    for (const [id, value] of ['SELECT 1', traceparent].entries()) {
      sends({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'query', _meta: { traceparent: value } } });
      hears(answer(id));
    }
    expect(calls.map((each) => each.traceparent)).toEqual([null, traceparent]);
    expect(calls[0]?.workspace).toEqual({ host: 'https://a.cloud.databricks.com', workspaceId: '7' });
  });

  it('ends in one of five ways', () => {
    const { record, calls, sends, hears, ends } = recorded();
    for (const id of [1, 2, 3, 4, 5, 6]) sends(call(id));
    hears(answer(1));
    hears(answer(2, { isError: true }));
    hears({ jsonrpc: '2.0', id: 3, error: { code: -32602, message: 'no' } });
    sends({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 4 } });
    hears({
      jsonrpc: '2.0',
      id: 5,
      error: { code: -31_999, message: '', data: { source: 'causeway', reason: 'outcome_unknown' } },
    });
    hears(answer(4));
    record.ended();
    const outcomes = ['answered', 'tool-error', 'error', 'cancelled', 'lost', 'lost'];
    expect(ends()).toEqual(outcomes.map((outcome) => `tools/call ${outcome}`));
    expect(calls.map(({ errorCode }) => errorCode)).toEqual([null, null, -32602, null, -31_999, null]);
    expect(record.session).toMatchObject({ open: 0, done: 6, failed: 4 });
  });

  it('has the attempts to send it, and why each failed', () => {
    const { record, calls, sends, hears } = recorded();
    sends(call(1));
    record.sent('1');
    record.failed('1', { status: 503, reason: 'refused' });
    record.sent('1');
    hears(answer(1));
    record.failed('1', { status: null, reason: 'broken' });
    expect(calls).toMatchObject([
      { attempts: [{ failure: { status: 503, reason: 'refused' } }, { failure: null, tookMs: expect.any(Number) }] },
    ]);
  });

  it('has an attempt without an end if it is lost', () => {
    const { record, calls, sends } = recorded();
    sends(call(1));
    record.sent('1');
    record.ended();
    expect(calls).toMatchObject([{ outcome: 'lost', attempts: [{ tookMs: null, failure: null }] }]);
  });

  it('keeps the message of Causeway’s own error, and never the server’s', () => {
    const { calls, sends, hears } = recorded();
    for (const id of [1, 2]) sends(call(id));
    const data = { source: 'causeway', reason: 'unreachable' };
    hears({ jsonrpc: '2.0', id: 1, error: { code: -31_999, message: 'It is out of reach. Try again.', data } });
    hears({ jsonrpc: '2.0', id: 2, error: { code: -32603, message: 'SELECT secret FROM t failed' } });
    expect(calls.map(({ problem }) => problem)).toEqual([
      { code: 'unreachable', message: 'It is out of reach. Try again.' },
      null,
    ]);
  });

  it('is one of several in a batch', () => {
    const { record, sends, hears, ends } = recorded();
    sends([call('a'), { jsonrpc: '2.0', method: 'notifications/initialized' }, { id: 2, method: 'ping' }]);
    expect(record.session.open).toBe(2);
    hears([answer('a', { isError: true }), answer(2)]);
    expect(ends()).toEqual(['tools/call tool-error', 'ping answered']);
  });

  it('with the id of an outstanding one ends that one', () => {
    const { record, sends, ends } = recorded();
    sends(call(1));
    sends({ id: 1, method: 'ping' });
    expect(ends()).toEqual(['tools/call lost']);
    expect(record.session).toMatchObject({ open: 1, done: 1 });
  });

  it('has not failed when the session ends, if it is meant to stay open', () => {
    const { record, sends, ends } = recorded();
    sends({ id: 1, method: 'subscriptions/listen', params: {} });
    record.ended();
    expect(ends()).toEqual(['subscriptions/listen cancelled']);
  });

  it('does not exist if the line is not a frame', () => {
    const { record, sends, hears } = recorded();
    for (const line of ['{"id":1,"method":', '{"id":}', '[', '[]', '5', '{"method":5,"id":1}', 'x']) sends(line);
    hears('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":""}}');
    expect(record.session).toMatchObject({ open: 0, done: 0, failed: 0 });
    expect(record.session.bytesFromClient).toBeGreaterThan(0);
  });
});

describe('the contents of requests and answers', () => {
  const shownTo = (shown: string[]): ContentsRecorder => ({
    asked: (request) => shown.push(`${request}`),
    answered: (number, given) => shown.push(`${given} to ${number}`),
  });

  it('are passed to a recorder while there is one, and not before or after', () => {
    const shown: string[] = [];
    let recorder: ContentsRecorder | undefined;
    const { calls, sends, hears } = recorded(() => recorder);
    sends(call(1));
    recorder = shownTo(shown);
    hears(answer(1));
    sends(call(2));
    sends(call(3));
    sends({ jsonrpc: '2.0', method: 'notifications/progress', params: {} });
    hears({ jsonrpc: '2.0', id: 9, method: 'sampling/createMessage', params: {} });
    hears(answer(3, { content: ['three'] }));
    recorder = undefined;
    hears(answer(2));
    sends(call(4));
    hears(answer(4));
    const asked = [call(2), call(3)].map((request) => JSON.stringify(request));
    expect(shown).toEqual([...asked, `${JSON.stringify(answer(3, { content: ['three'] }))} to 2`]);
    expect(calls.map(({ contents }) => contents)).toEqual([null, 2, 1, null]);
  });

  it('of a batch are passed on one by one', () => {
    const shown: string[] = [];
    const recorder = shownTo(shown);
    const { sends, hears } = recorded(() => recorder);
    sends([call('a'), { id: 2, method: 'ping' }]);
    hears([answer('a'), answer(2)]);
    expect(shown.map((text) => JSON.parse(text.replace(/ to \d$/, '')).id)).toEqual(['a', 2, 'a', 2]);
  });
});
