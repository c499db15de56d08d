import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../../main/platform/errors.ts';
import { calling, guardOf, initializing, LIST, listing, names, textIn, tool } from './guard-under-test.ts';

describe('without permissions', () => {
  it('a frame bypasses the guard, and a list of tools is shown byte for byte', async () => {
    const one = guardOf({});
    expect([LIST, calling(2, 'drop'), `[${LIST}]`].map(one.concerns)).toEqual([false, false, false]);
    const text = `{"id":1 ,"result":{"tools":[{"name":"drop"}]}}`;
    expect(one.shown(text)).toBe(text);
    expect(one.get).not.toHaveBeenCalled();
  });

  it('a frame waits while the permissions are being read', () => {
    const one = guardOf({});
    one.isReading(Promise.resolve());
    expect(one.concerns(LIST)).toBe(true);
  });

  it('a frame waits for those before it even if the permissions turn out to be empty, and no longer', async () => {
    const one = guardOf({});
    const done = one.startReading();
    const first = one.take(LIST);
    one.isReading(undefined);
    expect(one.concerns(calling(2, 'look'))).toBe(true);
    done();
    await first;
    expect(one.sent).toEqual([LIST]);
    expect(one.concerns(calling(2, 'look'))).toBe(false);
    one.become({ off: ['drop'] }, false);
    expect(names(one.shown(listing(1, tool('drop'), tool('look'))))).toEqual(['look']);
  });

  it('a list that is requested in a batch is shown by the permissions that have arrived meanwhile', async () => {
    const one = guardOf({});
    await one.take(`[${LIST}]`);
    await one.take(calling(2, 'look'));
    one.become({ off: ['drop'] }, false);
    expect(names(one.shown(listing(1, tool('drop'), tool('look'))))).toEqual(['look']);
    expect(names(one.shown(listing(2, tool('drop'), tool('look'))))).toEqual(['drop', 'look']);
  });

  it('the tools that a server lists are remembered for later permissions', async () => {
    const one = guardOf({});
    await one.take(LIST);
    one.shown(
      listing(1, tool('look', { readOnlyHint: true }), tool('drop', { readOnlyHint: true, destructiveHint: true })),
    );
    one.become({ readOnly: true }, false);
    for (const name of ['look', 'drop', 'new']) await one.take(calling(name, name));
    expect(one.sent.slice(1)).toEqual([calling('look', 'look')]);
    expect(one.read().map(textIn)).toEqual([
      '"drop" may change something, and the user allows only read-only tools on this server. Nothing was run. The user can change that in Causeway, or with `causeway permissions`. Do not try another way. Tell the user.',
      'The user allows only read-only tools on this server, and the server has not described "new" yet. List the tools first. Nothing was run. The user can change that in Causeway, or with `causeway permissions`. Do not try another way. Tell the user.',
    ]);
  });
});

it('Causeway’s own tool is listed whatever the permissions say, and a tool of the server with its name is not', async () => {
  const one = guardOf({ readOnly: true });
  await one.take(LIST);
  const list = listing(1, tool('sign_in', { readOnlyHint: false }));
  expect(one.shownOwn(list)).toBe(list);
  await one.take(LIST);
  expect(names(one.shown(list))).toEqual([]);
});

describe('a client of the stateless revision that has subscribed to changes of the tools', () => {
  const subscribing = (id: unknown, toolsListChanged: unknown = true) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged } },
    });
  const told = (id: unknown) => ({
    jsonrpc: '2.0',
    method: 'notifications/tools/list_changed',
    params: { _meta: { 'io.modelcontextprotocol/subscriptionId': id } },
  });

  it.each([
    ['without permissions', {}],
    ['with permissions', { off: ['drop'] }],
  ])('is notified of changed permissions, once for each open subscription, %s', async (_when, permissions) => {
    const one = guardOf(permissions);
    for (const frame of [subscribing('a'), subscribing(2), subscribing(3, false), subscribing(4)])
      await one.take(frame);
    one.become({ off: ['look'] });
    expect(one.read().map((frame) => JSON.parse(frame))).toEqual([told('a'), told(2), told(4)]);
    one.shown('{"jsonrpc":"2.0","id":4,"result":{}}');
    await one.take('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}');
    one.become({ off: ['peek'] });
    expect(one.read().map((frame) => JSON.parse(frame))).toEqual([told(2)]);
  });
});

describe('a tool that is off', () => {
  it('it is in no list, even if a client gives two list requests the same id', async () => {
    const one = guardOf({ off: ['drop'] });
    await one.take(LIST);
    await one.take(LIST);
    const list = listing(1, tool('drop'), tool('look'));
    expect([names(one.shown(list)), names(one.shown(list))]).toEqual([['look'], ['look']]);
  });

  it('a call of it gets a tool error under its own id, and a notification gets no answer', async () => {
    const one = guardOf({ off: ['drop'] });
    await one.take('{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"drop"}}');
    await one.take('{"jsonrpc":"2.0","method":"tools/call","params":{"name":"drop"}}');
    expect(one.sent).toEqual([]);
    const [answer = '', ...others] = one.read();
    expect(others).toEqual([]);
    expect(answer).toMatch(/^\{"jsonrpc":"2\.0","id":1\.0,"result":\{/);
    expect(JSON.parse(answer).result).toEqual({ content: [{ type: 'text', text: expect.any(String) }], isError: true });
    expect(textIn(answer)).toMatch(/^The user has turned off "drop" on this server\. Nothing was run\. /);
  });

  it('an answer to a stateless client is marked as complete', async () => {
    const one = guardOf({ off: ['drop'] });
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    await one.take(calling(1, 'drop', { _meta }));
    expect(one.read().map((frame) => JSON.parse(frame).result.resultType)).toEqual(['complete']);
  });

  it.each([
    ['another method', '{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"drop"}}'],
    ['a response', '{"jsonrpc":"2.0","id":1,"result":{"name":"drop"}}'],
  ])('a frame that calls no tool is passed on: %s', async (_what, text) => {
    const one = guardOf({ off: ['drop'] });
    await one.take(text);
    expect([one.sent, one.read()]).toEqual([[text], []]);
  });

  it('a batch continues without its calls of that tool, and is not sent if nothing else is in it', async () => {
    const one = guardOf({ off: ['drop'] });
    const [drop, look] = [calling(1, 'drop'), calling(2, 'look')];
    await one.take(`[${look} , ${look}]`);
    await one.take(`[${drop},${look},${look}]`);
    await one.take(`[${drop},${drop}]`);
    expect(one.sent).toEqual([`[${look},${look}]`, `[${look},${look}]`]);
    expect(one.read()).toHaveLength(3);
  });

  it.each([
    ['is off for every client', { off: ['drop'] }, 'The user has turned off "drop" on this server.'],
    [
      'is off for this one',
      { clients: { codex: { off: ['drop'] } } },
      'The user has turned off "drop" for Codex on this server.',
    ],
    ['is new', { newTools: 'off' as const }, '"drop" is off on this server, because the user has not turned it on.'],
  ])('the client is informed that it %s', async (_what, permissions, words) => {
    const one = guardOf(permissions);
    await one.take(initializing(0, { name: 'codex-mcp-client', version: '1' }));
    await one.take(calling(1, 'drop'));
    expect(textIn(one.read()[0])).toContain(words);
  });

  it('the client of a call is the one that the call names, otherwise the one of initialize', async () => {
    const one = guardOf({ clients: { codex: { off: ['drop'] } } });
    await one.take(initializing(0, { name: 'cursor-vscode', version: '1' }));
    await one.take(calling(1, 'drop'));
    const _meta = { 'io.modelcontextprotocol/clientInfo': { name: 'codex-mcp-client' } };
    await one.take(calling(2, 'drop', { _meta }));
    expect(one.sent.slice(1)).toEqual([calling(1, 'drop')]);
    expect(one.read().map((frame) => JSON.parse(frame).id)).toEqual([2]);
  });

  it('a call with an empty client name belongs to the client of initialize', async () => {
    const one = guardOf({ clients: { codex: { off: ['drop'] } } });
    await one.take(initializing(0, { name: 'cursor-vscode', version: '1' }));
    const call = calling(1, 'drop', { _meta: { 'io.modelcontextprotocol/clientInfo': { name: '' } } });
    await one.take(call);
    expect(one.sent.slice(1)).toEqual([call]);
  });

  it('a client that gives null for its name has not named itself', async () => {
    const one = guardOf({ clients: { codex: { off: ['drop'] } } });
    await one.take('{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":null}}');
    await one.take(calling(1, 'drop'));
    expect(one.read()).toHaveLength(1);
  });

  it.each([
    ['on all servers', { all: { readOnly: true } }],
    ['for Codex.', { clients: { codex: { name: 'Codex', wireNames: ['codex-mcp-client'], readOnly: true } } }],
  ])('the client is informed that it can only read %s', async (words, more) => {
    const one = guardOf({}, { more });
    await one.take(initializing(0, { name: 'codex-mcp-client' }));
    await one.take(LIST);
    one.shown('{"jsonrpc":"2.0","id":0,"result":{}}');
    one.shown(listing(1, tool('drop')));
    await one.take(calling(1, 'drop'));
    expect(textIn(one.read()[0])).toContain(`the user allows only read-only tools ${words}`);
  });

  it.each([{}, { name: '' }, { name: 5 }])('a client that calls itself %j has not named itself', async (info) => {
    const one = guardOf({ clients: { codex: { off: ['drop'] } } });
    await one.take(initializing(0, info));
    await one.take(calling(1, 'drop'));
    expect(one.read()).toHaveLength(1);
  });

  it('a call is refused with the reason if the permissions cannot be read', async () => {
    const one = guardOf({});
    one.become(
      new CausewayError('invalid_file', 'The permissions cannot be read.', { remedy: 'Correct them.' }),
      false,
    );
    await one.take(calling(1, 'look'));
    expect(textIn(one.read()[0])).toBe('The permissions cannot be read. Correct them.');
  });

  it.each([
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","name":"look"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look"},"params":{}}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"NAME":"look"}}',
    '{"jsonrpc":"2.0","method":"tools/call","params":{"NAME":"look"},"id":1}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","param\u017f":{"name":"look"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","arguments":{"q":1},"arguments":{"q":2}}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","Arguments":{"q":1},"arguments":{"q":2}}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","_meta":{"warehouse_id":"a"},"_meta":{}}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","_META":{"warehouse_id":"a"}}}',
  ])('a frame that can be read in two ways is refused: %s', async (text) => {
    const one = guardOf({ off: ['drop'] });
    await one.take(text);
    expect(one.sent).toEqual([]);
    expect(JSON.parse(one.read()[0] ?? '').error).toMatchObject({
      message: expect.stringContaining('This request was not sent, because permissions apply and it '),
      data: { reason: 'invalid_argument' },
    });
  });

  it('the tools that a server listed earlier count, read once, and its current list takes precedence', async () => {
    const one = guardOf(
      { readOnly: true },
      { remembered: listing(0, tool('look', { readOnlyHint: true }), tool('odd')) },
    );
    await one.take(calling(1, 'look'));
    await one.take(LIST);
    one.shown(listing(1, tool('look')));
    await one.take(calling(2, 'look'));
    expect(one.sent).toEqual([calling(1, 'look'), LIST]);
    expect(one.get.mock.calls).toEqual([['tools/list']]);
  });
});

it('frames continue in the order in which they came, even if the permissions have to be read first', async () => {
  const one = guardOf({ off: ['drop'] });
  const done = one.startReading();
  const first = one.take(calling(1, 'look'));
  const second = one.take(calling(2, 'drop'));
  const third = one.take(calling(3, 'look'));
  expect(one.sent).toEqual([]);
  one.isReading(undefined);
  done();
  await Promise.all([first, second, third]);
  expect(one.sent).toEqual([calling(1, 'look'), calling(3, 'look')]);
});
