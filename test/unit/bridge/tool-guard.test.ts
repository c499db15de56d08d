import { describe, expect, it, vi } from 'vitest';
import type { AnswerStore } from '../../../main/bridge/answer-store.ts';
import { readFrame } from '../../../main/bridge/frame/frame.ts';
import { ProgressReports } from '../../../main/bridge/progress.ts';
import { ToolGuard } from '../../../main/bridge/tool-guard.ts';
import { CausewayError } from '../../../main/platform/errors.ts';
import { decide, isWithoutRules } from '../../../main/rules/decision.ts';
import type { Rules } from '../../../main/rules/rules.ts';
import type { ServerRules } from '../../../main/rules/rules-file.ts';
import { CollectingSink } from '../../integration/bridge/harness.ts';

type AskApproval = NonNullable<ConstructorParameters<typeof ToolGuard>[0]['askApproval']>;

const SERVER = 'https://acme.example/api/2.0/mcp/genie/1';
const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
const CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
const tool = (name: string, annotations?: object) => ({ name, inputSchema: {}, ...(annotations && { annotations }) });
const listing = (id: unknown, ...tools: object[]) => JSON.stringify({ jsonrpc: '2.0', id, result: { tools } });
const calling = (id: unknown, name: string, more: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, ...more } });
const initializing = (id: unknown, clientInfo?: object) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params: clientInfo ? { clientInfo } : {} });

interface Options {
  askApproval?: AskApproval;
  remembered?: string;
  /** Rules besides those of the server. */
  more?: Partial<Rules>;
}

/** A guard over rules in memory, what its client reads, and what goes on to the server. */
function guardOf(
  ofServer: NonNullable<Rules['servers']>[string],
  { askApproval, remembered, more = {} }: Options = {},
) {
  let now: Rules | CausewayError = {
    version: 1,
    clients: { codex: CODEX },
    servers: { [SERVER]: ofServer },
    ...more,
  };
  let reading: Promise<void> | undefined;
  const listeners = new Set<() => void>();
  const rules: ServerRules = {
    refresh: () => reading,
    get isEmpty() {
      return !(now instanceof CausewayError) && isWithoutRules(now, SERVER);
    },
    decide: (name, client, hints) =>
      now instanceof CausewayError
        ? { do: 'refuse', why: 'unreadable', error: now }
        : decide(now, { server: SERVER, tool: name, client, hints }),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const get = vi.fn(async () => (remembered === undefined ? undefined : Buffer.from(remembered)));
  const memory: AnswerStore = { get, put: async () => {} };
  const sink = new CollectingSink();
  const abort = new AbortController();
  const guard = new ToolGuard({
    rules,
    memory,
    sink,
    askApproval,
    progress: new ProgressReports(sink),
    signal: abort.signal,
  });
  const sent: string[] = [];
  const concerns = (text: string) => {
    const { envelope, json } = readFrame(Buffer.from(text));
    if (envelope.kind === 'invalid') throw new Error(envelope.message);
    return guard.concerns(Buffer.from(text), envelope, json);
  };
  return {
    abort,
    concerns,
    get,
    listeners,
    sent,
    /** Takes a frame of the client's as the bridge does. */
    async take(text: string): Promise<void> {
      const { envelope } = readFrame(Buffer.from(text));
      if (envelope.kind === 'invalid') throw new Error(envelope.message);
      if (!concerns(text)) sent.push(text);
      else await guard.pass(Buffer.from(text), envelope, async (frame) => void sent.push(String(frame)));
    },
    shown: (text: string) => String(guard.shown(Buffer.from(text))),
    read: () => sink.frames.splice(0).map(String),
    /** The rules become others; `tells` the guard so. */
    become(next: NonNullable<Rules['servers']>[string] | CausewayError, tells = true) {
      now =
        next instanceof CausewayError ? next : { version: 1, clients: { codex: CODEX }, servers: { [SERVER]: next } };
      if (tells) for (const listener of listeners) listener();
    },
    isReading(work: Promise<void> | undefined) {
      reading = work;
    },
  };
}

const CODEX = { name: 'Codex', wireNames: ['codex-mcp-client'] };
const textIn = (frame = '{}') => JSON.parse(frame).result?.content?.[0]?.text;
const names = (frame: string) => JSON.parse(frame).result.tools.map((each: { name: string }) => each.name);

describe('without rules', () => {
  it('a frame goes past the guard, and a list of tools is shown byte for byte', async () => {
    const one = guardOf({});
    expect([LIST, calling(2, 'drop'), `[${LIST}]`].map(one.concerns)).toEqual([false, false, false]);
    const text = `{"id":1 ,"result":{"tools":[{"name":"drop"}]}}`;
    expect(one.shown(text)).toBe(text);
    expect(one.get).not.toHaveBeenCalled();
  });

  it('a frame waits while the rules are being read', () => {
    const one = guardOf({});
    one.isReading(Promise.resolve());
    expect(one.concerns(LIST)).toBe(true);
  });

  it('a frame waits for those before it although the rules are empty by then, and no longer', async () => {
    const one = guardOf({});
    let done = () => {};
    one.isReading(
      new Promise((resolve) => {
        done = resolve;
      }),
    );
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

  it('a list that is asked for in a batch is shown by the rules that have come meanwhile', async () => {
    const one = guardOf({});
    await one.take(`[${LIST}]`);
    await one.take(calling(2, 'look'));
    one.become({ off: ['drop'] }, false);
    expect(names(one.shown(listing(1, tool('drop'), tool('look'))))).toEqual(['look']);
    expect(names(one.shown(listing(2, tool('drop'), tool('look'))))).toEqual(['drop', 'look']);
  });

  it('what a server lists is remembered for the rules to come', async () => {
    const one = guardOf({});
    await one.take(LIST);
    one.shown(
      listing(1, tool('look', { readOnlyHint: true }), tool('drop', { readOnlyHint: true, destructiveHint: true })),
    );
    one.become({ readOnly: true }, false);
    for (const name of ['look', 'drop', 'new']) await one.take(calling(name, name));
    expect(one.sent.slice(1)).toEqual([calling('look', 'look')]);
    expect(one.read().map(textIn)).toEqual([
      '"drop" may change something, and the user allows only tools that read on this server. Nothing was run. The user can change that in Causeway, or with "causeway rules". Do not try another way: tell the user.',
      'The user allows only tools that read on this server, and the server has not said yet what "new" does. List the tools first. Nothing was run. The user can change that in Causeway, or with "causeway rules". Do not try another way: tell the user.',
    ]);
  });
});

describe('a tool that is off', () => {
  it('a call of it is answered as a tool answers, under its own id, and a notification is not answered', async () => {
    const one = guardOf({ off: ['drop'] });
    await one.take('{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"drop"}}');
    await one.take('{"jsonrpc":"2.0","method":"tools/call","params":{"name":"drop"}}');
    expect(one.sent).toEqual([]);
    const [answer = '', ...others] = one.read();
    expect(others).toEqual([]);
    expect(answer).toMatch(/^\{"jsonrpc":"2\.0","id":1\.0,"result":\{/);
    expect(JSON.parse(answer).result).toEqual({ content: [{ type: 'text', text: expect.any(String) }], isError: true });
    expect(textIn(answer)).toMatch(/^The user has switched off "drop" on this server\. Nothing was run\. /);
  });

  it('an answer to a stateless client says that it is complete', async () => {
    const one = guardOf({ off: ['drop'] });
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    await one.take(calling(1, 'drop', { _meta }));
    expect(one.read().map((frame) => JSON.parse(frame).result.resultType)).toEqual(['complete']);
  });

  it.each([
    ['no name', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}'],
    ['a number for a name', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}'],
    ['another method', '{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"drop"}}'],
    ['a response', '{"jsonrpc":"2.0","id":1,"result":{"name":"drop"}}'],
  ])('what calls no tool goes on: %s', async (_what, text) => {
    const one = guardOf({ off: ['drop'] });
    await one.take(text);
    expect([one.sent, one.read()]).toEqual([[text], []]);
  });

  it('a batch goes on without the calls of it, and not at all where nothing else is in it', async () => {
    const one = guardOf({ off: ['drop'] });
    const [drop, look] = [calling(1, 'drop'), calling(2, 'look')];
    await one.take(`[${look} , ${look}]`);
    await one.take(`[${drop},${look},${look}]`);
    await one.take(`[${drop},${drop}]`);
    expect(one.sent).toEqual([`[${look} , ${look}]`, `[${look},${look}]`]);
    expect(one.read()).toHaveLength(3);
  });

  it.each([
    ['is off for every client', { off: ['drop'] }, 'The user has switched off "drop" on this server.'],
    [
      'is off for this one',
      { clients: { codex: { off: ['drop'] } } },
      'The user has switched off "drop" for Codex on this server.',
    ],
    ['is new', { newTools: 'off' as const }, '"drop" is off on this server, because the user has not switched it on.'],
  ])('the client is told that it %s', async (_what, rules, words) => {
    const one = guardOf(rules);
    await one.take(initializing(0, { name: 'codex-mcp-client', version: '1' }));
    await one.take(calling(1, 'drop'));
    expect(textIn(one.read()[0])).toContain(words);
  });

  it('the client of a call is the one that the call names, else the one of initialize', async () => {
    const one = guardOf({ clients: { codex: { off: ['drop'] } } });
    await one.take(initializing(0, { name: 'cursor-vscode', version: '1' }));
    await one.take(calling(1, 'drop'));
    const _meta = { 'io.modelcontextprotocol/clientInfo': { name: 'codex-mcp-client' } };
    await one.take(calling(2, 'drop', { _meta }));
    expect(one.sent.slice(1)).toEqual([calling(1, 'drop')]);
    expect(one.read().map((frame) => JSON.parse(frame).id)).toEqual([2]);
  });

  it('a call that names no client by an empty name is one of initialize’s client', async () => {
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
  ])('the client is told that it may only read %s', async (words, more) => {
    const one = guardOf({}, { more });
    await one.take(initializing(0, { name: 'codex-mcp-client' }));
    await one.take(LIST);
    one.shown('{"jsonrpc":"2.0","id":0,"result":{}}');
    one.shown(listing(1, tool('drop')));
    await one.take(calling(1, 'drop'));
    expect(textIn(one.read()[0])).toContain(`the user allows only tools that read ${words}`);
  });

  it.each([{}, { name: '' }, { name: 5 }])('a client that calls itself %j has not named itself', async (info) => {
    const one = guardOf({ clients: { codex: { off: ['drop'] } } });
    await one.take(initializing(0, info));
    await one.take(calling(1, 'drop'));
    expect(one.read()).toHaveLength(1);
  });

  it('a call is refused with the reason where the rules cannot be read', async () => {
    const one = guardOf({});
    one.become(new CausewayError('invalid_file', 'The rules cannot be read.', { remedy: 'Correct them.' }), false);
    await one.take(calling(1, 'look'));
    expect(textIn(one.read()[0])).toBe('The rules cannot be read. Correct them.');
  });

  it.each([
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","name":"look"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look"},"params":{}}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"NAME":"look"}}',
    '{"jsonrpc":"2.0","method":"tools/call","params":{"NAME":"look"},"id":1}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","param\u017f":{"name":"look"}}',
  ])('a frame that can be read in two ways is refused: %s', async (text) => {
    const one = guardOf({ off: ['drop'] });
    await one.take(text);
    expect(one.sent).toEqual([]);
    expect(JSON.parse(one.read()[0] ?? '').error).toMatchObject({
      message:
        'This request names its method, its parameters or its tool twice, or in other letters than the protocol. It was not sent, because rules about tools are in force. Name each once, as the protocol does.',
      data: { reason: 'invalid_argument' },
    });
  });

  it('what a server has listed before counts, read once, and what it lists now counts more', async () => {
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

it('what a server lists now counts more than what it has listed before', async () => {
  const one = guardOf({ readOnly: true }, { remembered: listing(0, tool('look', { readOnlyHint: true })) });
  await one.take(LIST);
  one.shown(listing(1, tool('look')));
  await one.take(calling(2, 'look'));
  expect(one.sent).toEqual([LIST]);
});

describe('a list of tools', () => {
  it('is shown without those that are off, every other byte as it was, and only in the answer to a request for it', async () => {
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

  it.each(['5', 'null', '{}'])('that is none is shown as it is: %s', async (tools) => {
    const one = guardOf({ off: ['drop'] });
    await one.take(LIST);
    const text = `{"jsonrpc":"2.0","id":1,"result":{"tools":${tools}}}`;
    expect(one.shown(text)).toBe(text);
  });

  it('is shown so in the answer to a batch', async () => {
    const one = guardOf({ off: ['drop'] });
    await one.take(`[${LIST},{"jsonrpc":"2.0","id":2,"method":"ping"}]`);
    const pong = '{"jsonrpc":"2.0","id":2,"result":{}}';
    expect(one.shown(`[${pong} , ${pong}]`)).toBe(`[${pong} , ${pong}]`);
    const [first, second] = JSON.parse(one.shown(`[${listing(1, tool('drop'), tool('look'))}, ${pong}]`));
    expect(names(JSON.stringify(first))).toEqual(['look']);
    expect(second).toEqual(JSON.parse(pong));
  });

  it('is shown as its client may use it, where clients differ', async () => {
    const one = guardOf({ clients: { codex: { off: ['drop'] } } });
    await one.take(initializing(0, { name: 'codex-mcp-client' }));
    one.shown('{"jsonrpc":"2.0","id":0,"result":{}}');
    await one.take(LIST);
    expect(names(one.shown(listing(1, tool('drop'), tool('look'))))).toEqual(['look']);
  });

  it('is shown without what is off also while an answer to initialize is outstanding', async () => {
    const one = guardOf({ off: ['drop'] });
    await one.take(LIST);
    await one.take(initializing(2));
    expect(names(one.shown(listing(1, tool('drop'), tool('look'))))).toEqual(['look']);
  });

  it('is announced anew to a client that has begun a session when the rules change, until it goes', async () => {
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

describe('the answer to initialize', () => {
  const answer = (capabilities: object) => JSON.stringify({ jsonrpc: '2.0', id: 0, result: { capabilities } });

  it.each<[string, object, object]>([
    ['that its tools may change where it does not', { tools: {} }, { tools: { listChanged: true } }],
    [
      'that its tools may change where it denies that',
      { tools: { listChanged: false, x: 1 } },
      { tools: { x: 1, listChanged: true } },
    ],
    ['what it says where it says so', { tools: { listChanged: true } }, { tools: { listChanged: true } }],
    ['nothing of tools where it has none', { prompts: {} }, { prompts: {} }],
  ])('says of a server %s', async (_what, says, shown) => {
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

describe('a call that asks first', () => {
  const asker = () => {
    const asked: {
      call: Parameters<AskApproval>[0];
      signal: AbortSignal;
      answer(is: Awaited<ReturnType<AskApproval>>): void;
    }[] = [];
    const askApproval: AskApproval = (call, signal) => new Promise((answer) => asked.push({ call, signal, answer }));
    return { asked, askApproval };
  };

  it('goes on once the user has allowed it, with what it says shown to the user; others overtake it', async () => {
    const { asked, askApproval } = asker();
    const one = guardOf({ ask: ['drop'], clients: {} }, { askApproval });
    await one.take(initializing(0, { name: 'codex-mcp-client' }));
    const waiting = one.take(calling(1, 'drop', { arguments: { n: 1 } }));
    await one.take(calling(2, 'look'));
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    expect(asked[0]?.call).toEqual({ client: 'codex-mcp-client', tool: 'drop', arguments: '{"n":1}' });
    expect(one.concerns(LIST)).toBe(true);
    asked[0]?.answer('allowed');
    await waiting;
    expect(one.sent.slice(1)).toEqual([calling(2, 'look'), calling(1, 'drop', { arguments: { n: 1 } })]);
    expect(one.read()).toEqual([]);
  });

  it.each([
    ['refused', 'The user has refused this call of "drop".'],
    ['late', 'nobody has answered in time'],
    ['absent', 'Causeway is not open to ask for it'],
    ['crowded', 'too many calls wait for it already'],
  ] as const)('is answered where the user is %s', async (is, words) => {
    const one = guardOf({ ask: ['drop'] }, { askApproval: async () => is });
    await one.take(calling(1, 'drop'));
    expect(one.sent).toEqual([]);
    expect(textIn(one.read()[0])).toContain(words);
  });

  it('is answered where there is no user to ask', async () => {
    const one = guardOf({ ask: ['drop'] });
    await one.take(calling(1, 'drop'));
    expect(textIn(one.read()[0])).toContain('Causeway is not open to ask for it');
  });

  it('is answered in a batch without asking', async () => {
    const { asked, askApproval } = asker();
    const one = guardOf({ ask: ['drop'] }, { askApproval });
    await one.take(`[${calling(1, 'drop')}]`);
    expect(asked).toEqual([]);
    expect(textIn(one.read()[0])).toContain('not in a batch');
  });

  it.each([
    [
      'that its client takes back',
      (one: ReturnType<typeof guardOf>) =>
        one.take('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'),
    ],
    ['whose client goes', async (one: ReturnType<typeof guardOf>) => one.abort.abort()],
  ])('is not sent and not answered %s', async (_how, end) => {
    const { asked, askApproval } = asker();
    const one = guardOf({ ask: ['drop'] }, { askApproval });
    const waiting = one.take(calling(1, 'drop'));
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    await end(one);
    expect(asked[0]?.signal.aborted).toBe(true);
    asked[0]?.answer('late');
    await waiting;
    expect(one.sent.filter((frame) => frame.includes('drop'))).toEqual([]);
    expect(one.read()).toEqual([]);
  });

  it('waits on where another call is taken back', async () => {
    const { asked, askApproval } = asker();
    const one = guardOf({ ask: ['drop'] }, { askApproval });
    const waiting = one.take(calling(1, 'drop'));
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    expect(asked[0]?.call).toEqual({ client: undefined, tool: 'drop', arguments: '{}' });
    await one.take('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}');
    await one.take('{"jsonrpc":"2.0","method":"notifications/progress","params":{"requestId":1}}');
    expect(asked[0]?.signal.aborted).toBe(false);
    asked[0]?.answer('allowed');
    await waiting;
    expect(one.sent).toContain(calling(1, 'drop'));
    one.become({}, false);
    expect(one.concerns(LIST)).toBe(false);
  });

  it.each([
    ['off', { off: ['drop'] }, []],
    ['on', { on: ['drop'] }, [calling(1, 'drop')]],
  ])('follows a rule that switches its tool %s meanwhile, and is asked about no more', async (_how, rules, sent) => {
    const { asked, askApproval } = asker();
    const one = guardOf({ ask: ['drop'] }, { askApproval });
    const waiting = one.take(calling(1, 'drop'));
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    one.become({ ask: ['drop', 'other'] });
    expect(asked[0]?.signal.aborted).toBe(false);
    one.become(rules);
    await waiting;
    expect(asked[0]?.signal.aborted).toBe(true);
    expect(one.sent).toEqual(sent);
    expect(one.read().map(textIn).filter(Boolean)).toHaveLength(1 - sent.length);
    expect(one.listeners.size).toBe(1);
  });

  it('is refused where the rules have become stricter unnoticed while the user allowed it', async () => {
    const one = guardOf(
      { ask: ['drop'] },
      {
        askApproval: async () => {
          one.become({ off: ['drop'] }, false);
          return 'allowed';
        },
      },
    );
    await one.take(calling(1, 'drop'));
    expect(one.sent).toEqual([]);
    expect(textIn(one.read()[0])).toContain('The user has refused this call');
  });
});

it('frames go on in the order in which they came, also where the rules have to be read first', async () => {
  const one = guardOf({ off: ['drop'] });
  let done = () => {};
  one.isReading(
    new Promise((resolve) => {
      done = resolve;
    }),
  );
  const first = one.take(calling(1, 'look'));
  const second = one.take(calling(2, 'drop'));
  const third = one.take(calling(3, 'look'));
  expect(one.sent).toEqual([]);
  one.isReading(undefined);
  done();
  await Promise.all([first, second, third]);
  expect(one.sent).toEqual([calling(1, 'look'), calling(3, 'look')]);
});
