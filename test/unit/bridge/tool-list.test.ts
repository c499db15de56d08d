import { describe, expect, it } from 'vitest';
import { CHANGED, calling, guardOf, initializing, LIST, listing, names, tool } from './guard-under-test.ts';

it('the current list of a server takes precedence over an earlier one', async () => {
  const one = guardOf({ readOnly: true }, { remembered: listing(0, tool('look', { readOnlyHint: true })) });
  await one.take(LIST);
  one.shown(listing(1, tool('look')));
  await one.take(calling(2, 'look'));
  expect(one.sent).toEqual([LIST]);
});

describe('a list of tools', () => {
  it('is shown without the tools that are off, every other byte unchanged, and only in the answer to a list request', async () => {
    const one = guardOf({ off: ['drop'], ask: ['ask'] });
    const list = (id: number) =>
      `{"jsonrpc":"2.0","id":${id} ,"result":{ "tools":[{"name":"drop"},{"name":"look"},{"name":"ask"},{"title":"no name"}],"n":1.0}}`;
    expect(one.shown(list(1))).toBe(list(1));
    await one.take('{"jsonrpc":"2.0","id":2,"method":"ping"}');
    await one.take(LIST);
    expect(one.shown(list(2))).toBe(list(2));
    expect(one.shown('{"jsonrpc":"2.0","id":1,"method":"ping"}')).toBe('{"jsonrpc":"2.0","id":1,"method":"ping"}');
    expect(one.shown(list(1))).toBe(
      '{"jsonrpc":"2.0","id":1 ,"result":{ "tools":[{"name":"look"},{"name":"ask"}],"n":1.0}}',
    );
    // Answered once, the id may be that of anything.
    expect(one.shown(list(1))).toBe(list(1));
  });

  it.each(['5', 'null', '{}'])('that is invalid is shown unchanged: %s', async (tools) => {
    const one = guardOf({ off: ['drop'] });
    await one.take(LIST);
    const text = `{"jsonrpc":"2.0","id":1,"result":{"tools":${tools}}}`;
    expect(one.shown(text)).toBe(text);
  });

  it('is shown the same way in the answer to a batch', async () => {
    const one = guardOf({ off: ['drop'] });
    await one.take(`[${LIST},{"jsonrpc":"2.0","id":2,"method":"ping"}]`);
    const pong = '{"jsonrpc":"2.0","id":2,"result":{}}';
    expect(one.shown(`[${pong} , ${pong}]`)).toBe(`[${pong} , ${pong}]`);
    const [first, second] = JSON.parse(one.shown(`[${listing(1, tool('drop'), tool('look'))}, ${pong}]`));
    expect(names(JSON.stringify(first))).toEqual(['look']);
    expect(second).toEqual(JSON.parse(pong));
  });

  it('is shown as its client can use it if the permissions differ between clients', async () => {
    const one = guardOf({ clients: { codex: { off: ['drop'] } } });
    await one.take(initializing(0, { name: 'codex-mcp-client' }));
    one.shown('{"jsonrpc":"2.0","id":0,"result":{}}');
    await one.take(LIST);
    expect(names(one.shown(listing(1, tool('drop'), tool('look'))))).toEqual(['look']);
  });

  it('is shown without the tools that are off, even while an answer to initialize is outstanding', async () => {
    const one = guardOf({ off: ['drop'] });
    await one.take(LIST);
    await one.take(initializing(2));
    expect(names(one.shown(listing(1, tool('drop'), tool('look'))))).toEqual(['look']);
  });

  it('is announced again when the permissions change, to a client that has begun a session, until the client disconnects', async () => {
    const one = guardOf({});
    one.become({ off: ['drop'] });
    expect(one.read()).toEqual([]);
    await one.take(initializing(0));
    one.become({});
    expect(one.read()).toEqual([CHANGED]);
    one.abort.abort();
    expect(one.listeners.size).toBe(0);
  });
});

describe('the response to initialize', () => {
  const answer = (capabilities: object) => JSON.stringify({ jsonrpc: '2.0', id: 0, result: { capabilities } });

  it.each<[string, object, object]>([
    ['that its tools may change, if it does not', { tools: {} }, { tools: { listChanged: true } }],
    [
      'that its tools may change, if it says they do not',
      { tools: { listChanged: false, x: 1 } },
      { tools: { x: 1, listChanged: true } },
    ],
    ['what it says itself, if it declares that', { tools: { listChanged: true } }, { tools: { listChanged: true } }],
    ['nothing about tools, if it has none', { prompts: {} }, { prompts: {} }],
  ])('declares for a server %s', async (_what, says, shown) => {
    const one = guardOf({});
    await one.take(initializing(0));
    const other = '{"jsonrpc":"2.0","id":0,"method":"ping"}';
    expect(one.shown(other)).toBe(other);
    const text = one.shown(answer(says));
    expect(JSON.parse(text).result.capabilities).toEqual(shown);
    expect(text.split('listChanged').length - 1).toBe(JSON.stringify(shown).split('listChanged').length - 1);
    if (JSON.stringify(says) === JSON.stringify(shown)) expect(text).toBe(answer(says));
    // Only the first one is that answer.
    expect(one.shown(answer({ tools: {} }))).toBe(answer({ tools: {} }));
  });
});
