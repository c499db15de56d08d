import { describe, expect, it } from 'vitest';
import { asking, call, elicitation, HEAD, NOTE, result } from './answers-under-test.ts';

describe('a response', () => {
  it('a response with the id of the request reaches the client unchanged', () => {
    const one = asking(call('1.0'));
    expect(one.after(result('1.0'))).toEqual([result('1.0')]);
    expect(one.answered).toEqual([result('1.0')]);
    expect(one.known).toEqual([[JSON.parse(result('1.0')), HEAD]]);
    expect(one.requests[0]).toMatchObject({ isAwaited: false, hasBegun: true, isMisaddressed: false });
  });

  it('a response gets the id as the client wrote it if the server wrote it differently', () => {
    expect(asking(call('1.0')).after(result('1'))).toEqual([result('1.0')]);
    expect(asking(call('"\\u0061"')).after(result('"a"'))).toEqual([result('"\\u0061"')]);
  });

  it('a response reaches the client on one line', () => {
    expect(asking(call(1)).after('{\n"jsonrpc":"2.0",\r\n"id":1,"result":{}}')).toEqual([
      '{ "jsonrpc":"2.0",  "id":1,"result":{}}',
    ]);
  });

  it('a response reaches the client once, however often it arrives and on whichever stream', () => {
    const one = asking(call(1));
    expect(one.after(result(1))).toHaveLength(1);
    expect(one.after(result(1, 'again'))).toEqual([]);
    expect(one.afterOwn(result(1, 'again'))).toEqual([]);
    expect(one.atEnd()).toEqual([]);
    expect(one.answered).toHaveLength(1);
  });

  it('to another request is not used for this one, even if nothing else arrives', () => {
    const two = asking(call(1), call(2));
    expect(two.after(result(2), 0)).toEqual([]);
    expect(two.requests[0]).toMatchObject({ isMisaddressed: true, ids: ['1'] });
    expect(two.atEnd(0)).toEqual([]);
    expect(two.after(result(2), 1)).toEqual([result(2)]);
  });

  it('a response to an answered request is not used for another request', () => {
    const two = asking(call(1), call(2));
    two.after(result(1), 0);
    expect(two.after(result(1), 1)).toEqual([]);
    expect(two.atEnd(1)).toEqual([]);
  });

  it('with an id that only looks like this one, and belongs to another request, is not used', () => {
    const two = asking(call('1'), call('1.0'));
    expect(two.after(result('1'), 1)).toEqual([]);
    expect(two.after(result('1'), 0)).toEqual([result('1')]);
  });

  it.each(['7', 'null', '"other"', '-7'])('with the unknown id %s is used once if nothing better arrives', (id) => {
    const one = asking(call(1));
    expect(one.after(result(id))).toEqual([]);
    expect(one.requests[0]).toMatchObject({ isMisaddressed: true, isAwaited: true });
    expect(one.atEnd()).toEqual([result(1)]);
    expect(one.atEnd()).toEqual([]);
  });

  it('a response without an id is used if no better one arrives', () => {
    const one = asking(call(1));
    expect(one.after('{"jsonrpc":"2.0","result":5}')).toEqual([]);
    expect(one.atEnd()).toEqual(['{"id":1,"jsonrpc":"2.0","result":5}']);
  });

  it('with an unknown id is dropped if a better one arrives', () => {
    const one = asking(call(1));
    one.after(result(7, 'wrong'));
    expect(one.after(result(1))).toEqual([result(1)]);
    expect(one.atEnd()).toEqual([]);
  });

  it('with an unknown id is not used if there are several of them', () => {
    const one = asking(call(1));
    one.after(result(7));
    one.after(result(8));
    expect(one.atEnd()).toEqual([]);
  });

  it.each(['true', '{"a":1}', '[1]'])('with %s, an invalid id, is never used', (id) => {
    const one = asking(call(1));
    expect(one.after(result(id))).toEqual([]);
    expect(one.atEnd()).toEqual([]);
  });

  it('a response is dropped if the client already has a cached answer', () => {
    const one = asking(call(1));
    one.requests[0]?.settle('cache');
    expect(one.after(result(1))).toEqual([]);
    expect(one.answered).toEqual([result(1)]);
  });

  it.each(['not JSON', '5', 'null', '{}', '[]'])('%s is not a response', (text) => {
    const one = asking(call(1));
    expect(one.after(text)).toEqual([]);
    expect(one.afterOwn(text)).toEqual([]);
    expect(one.requests[0]?.hasBegun).toBe(false);
    expect(one.after(result(1))).toEqual([result(1)]);
  });
});

describe('what a server sends besides responses', () => {
  it('is read by the client: its notifications on both streams', () => {
    const one = asking(call(1));
    expect(one.after(NOTE)).toEqual([NOTE]);
    expect(one.afterOwn(NOTE)).toEqual([NOTE]);
    expect(one.requests[0]?.hasBegun).toBe(true);
  });

  it('belongs to the request whose response stream it arrives on', () => {
    const one = asking(call(1));
    const question = '{"jsonrpc":"2.0","id":5,"method":"roots/list"}';
    expect(one.after(question)).toEqual([]);
    expect(one.asked).toEqual([[question, '1']]);
    expect(one.afterOwn(question)).toEqual([question]);
  });

  it('reaches the client if it arrives in the response to a notification', () => {
    const one = asking(NOTE);
    const question = '{"jsonrpc":"2.0","id":5,"method":"roots/list"}';
    expect(one.after(question)).toEqual([question]);
    expect(one.asked).toEqual([]);
  });

  it('is replaced by our own error if it asks to open an address that is not on the web', async () => {
    const one = asking(call(1));
    expect(one.after(elicitation(5, 'javascript:alert(1)'))).toEqual([]);
    expect(one.afterOwn(elicitation(6, 'file:///etc/passwd'))).toEqual([]);
    await expect.poll(() => one.replies).toHaveLength(2);
    expect(one.asked).toEqual([]);
    expect(one.replies.map((text) => JSON.parse(text))).toMatchObject([
      {
        jsonrpc: '2.0',
        id: 5,
        error: { code: -32602, message: expect.stringMatching(/^Invalid params: .*javascript:/) },
      },
      { jsonrpc: '2.0', id: 6, error: { code: -32602 } },
    ]);
  });

  it('is refused at most 16 times at once, and again later', async () => {
    const one = asking(call(1));
    for (let id = 1; id <= 20; id += 1) one.afterOwn(elicitation(id, 'file:///x'));
    await expect.poll(() => one.replies.length).toBeGreaterThan(0);
    expect(one.replies).toHaveLength(16);
    one.afterOwn(elicitation(21, 'file:///x'));
    await expect.poll(() => one.replies).toHaveLength(17);
  });
});

describe("a response on the server's own stream", () => {
  it('a response on the server’s own stream is reported with response headers, because it has none', () => {
    const one = asking(call(1));
    one.afterOwn(result(1));
    expect(one.known).toEqual([[JSON.parse(result(1)), { status: 200, headers: {} }]]);
  });

  it('a response on the server’s own stream answers each request of a batch', () => {
    const one = asking(`[${call(1)},${call(2)},${call(3)}]`);
    expect([1, 2, 3, 3].map((id) => one.afterOwn(result(id)))).toEqual([[result(1)], [result(2)], [result(3)], []]);
  });

  it('a response on the server’s own stream answers the request with exactly its id', () => {
    const two = asking(call(1), call(2));
    expect(two.afterOwn(result(2))).toEqual([result(2)]);
    expect(two.after(result(2), 1)).toEqual([]);
    expect(two.after(result(1), 0)).toEqual([result(1)]);
  });

  it.each(['7', 'null', '1.0'])('does not answer any request if its id is %s', (id) => {
    const one = asking(call(1));
    expect(one.afterOwn(result(id))).toEqual([]);
    expect(one.atEnd()).toEqual([]);
  });

  it('a response on the server’s own stream does not answer initialize', () => {
    const one = asking('{"jsonrpc":"2.0","id":1,"method":"initialize"}');
    expect(one.afterOwn(result(1))).toEqual([]);
    expect(one.after(result(1))).toEqual([result(1)]);
  });

  it('a response on the server’s own stream does not answer a request that has ended', () => {
    const one = asking(call(1));
    for (const pending of one.requests) one.answers.ended(pending);
    expect(one.afterOwn(result(1))).toEqual([]);
  });
});

describe('a batch', () => {
  const BATCH = `[${call(1)},${NOTE},${call('"b"')}]`;

  it('is answered by one batch, unchanged', () => {
    const one = asking(BATCH);
    const both = `[${result(1)}, ${result('"b"')},\n${NOTE}]`;
    expect(one.after(both)).toEqual([both.replace('\n', ' ')]);
    expect(one.requests[0]?.isAwaited).toBe(false);
    expect(one.answered).toHaveLength(2);
  });

  it('is answered by single responses, in any order', () => {
    const one = asking(BATCH);
    expect(one.after(result('"b"'))).toEqual([result('"b"')]);
    expect(one.after(result('"b"'))).toEqual([]);
    expect(one.after(result('1.0'))).toEqual([result(1)]);
    expect(one.requests[0]?.isAwaited).toBe(false);
  });

  it('is read without invalid frames, duplicates and responses to no request', () => {
    const one = asking(BATCH);
    expect(one.after(`[${result(1)},5,${result(9)},${result(1)},${NOTE}]`)).toEqual([`[${result(1)},${NOTE}]`]);
    expect(one.after(`[${result(9)},null]`)).toEqual([]);
    expect(one.atEnd()).toEqual([]);
    expect(one.after(`[${result('"b"')}]`)).toEqual([`[${result('"b"')}]`]);
  });

  it('is read with the ids as the client wrote them', () => {
    expect(asking(BATCH).after(`[${result('1.0')}]`)).toEqual([`[${result('1')}]`]);
  });

  it('does not use a response with an unknown id for any of its requests', () => {
    const one = asking(BATCH);
    expect(one.after(result(7))).toEqual([]);
    expect(one.atEnd()).toEqual([]);
    expect(one.requests[0]).toMatchObject({ ids: { length: 2 } });
  });

  it('has known ids, so that its responses are not used for another request', () => {
    const two = asking(BATCH, call(3));
    expect(two.after(result(1), 1)).toEqual([]);
    expect(two.atEnd(1)).toEqual([]);
  });

  it('is not passed to a client that has sent no batch', () => {
    const one = asking(call(1));
    expect(one.after(`[${result(1)}]`)).toEqual([]);
    expect(one.requests[0]).toMatchObject({ isAwaited: true, hasBegun: true });
  });
});

describe('the ids of earlier requests', () => {
  it('include only those of requests: a notification has no id that a response could carry', () => {
    const two = asking(NOTE, call(1));
    expect(two.after(result('null'), 1)).toEqual([]);
    expect(two.atEnd(1)).toEqual([result(1)]);
  });

  it('are remembered for the last 256 requests', () => {
    const ids = Array.from({ length: 257 }, (_, at) => at + 1);
    const many = asking(...ids.map(call), call('"last"'));
    // Of 258 requests, the first two are forgotten: such an id may be one that the server made up.
    many.after(result(3), 257);
    expect(many.atEnd(257)).toEqual([]);
    many.after(result(2), 257);
    expect(many.atEnd(257)).toEqual([result('"last"')]);
  });
});
