import { describe, expect, it } from 'vitest';
import type { ToolGuard } from '../../../main/bridge/tool-guard.ts';
import { CausewayError } from '../../../main/platform/errors.ts';
import { calling, guardOf, initializing, LIST, textIn } from './guard-under-test.ts';

type AskApproval = NonNullable<ConstructorParameters<typeof ToolGuard>[0]['askApproval']>;

describe('a call that needs approval', () => {
  const asker = () => {
    const asked: {
      call: Parameters<AskApproval>[0];
      signal: AbortSignal;
      answer(is: Awaited<ReturnType<AskApproval>>): void;
    }[] = [];
    const askApproval: AskApproval = (call, signal) => new Promise((answer) => asked.push({ call, signal, answer }));
    return { asked, askApproval };
  };

  it('continues once the user has allowed it, with its contents shown to the user; other calls overtake it', async () => {
    const { asked, askApproval } = asker();
    // The same names are in other objects, and colons in texts.
    const args = {
      n: 1,
      of: [
        { n: 2, 'a:b': '":"' },
        { n: null, of: {} },
      ],
    };
    const one = guardOf({ ask: ['drop'], clients: {} }, { askApproval });
    await one.take(initializing(0, { name: 'codex-mcp-client' }));
    const waiting = one.take(calling(1, 'drop', { arguments: args }));
    await one.take(calling(2, 'look'));
    await expect.poll(() => asked).toHaveLength(1);
    expect(asked[0]?.call).toEqual({
      client: 'codex-mcp-client',
      tool: 'drop',
      arguments: JSON.stringify(args),
      isManaged: false,
      requestId: '1',
    });
    expect(one.concerns(LIST)).toBe(true);
    asked[0]?.answer('allowed');
    await waiting;
    expect(one.sent.slice(1)).toEqual([calling(2, 'look'), calling(1, 'drop', { arguments: args })]);
    expect(one.read()).toEqual([]);
  });

  it.each(['warehouse_id', 'Warehouse_ID'])('is shown with the warehouse that it names in its %s', async (member) => {
    const { asked, askApproval } = asker();
    const one = guardOf({ ask: ['drop'] }, { askApproval });
    const waiting = one.take(calling(1, 'drop', { arguments: {}, _meta: { other: 1, [member]: '01ab' } }));
    await expect.poll(() => asked).toHaveLength(1);
    expect(asked[0]?.call.warehouseId).toBe('01ab');
    asked[0]?.answer('refused');
    await waiting;
  });

  it.each([
    ['refused', 'The user refused this call of "drop".'],
    ['late', 'the request timed out'],
    ['absent', 'Causeway is not running to ask for it'],
    ['crowded', 'too many calls are already waiting for it'],
  ] as const)('is answered if the user is %s', async (is, words) => {
    const one = guardOf({ ask: ['drop'] }, { askApproval: async () => is });
    await one.take(calling(1, 'drop'));
    expect(one.sent).toEqual([]);
    expect(textIn(one.read()[0])).toContain(words);
  });

  it('is answered if there is no user to ask', async () => {
    const one = guardOf({ ask: ['drop'] });
    await one.take(calling(1, 'drop'));
    expect(textIn(one.read()[0])).toContain('Causeway is not running to ask for it');
  });

  it.each(['"q":"SELECT 1","q":"DROP"', '"q":"DROP","\\u0071":"SELECT 1"', '"all":[1,{"a:b":{"q":1,"q":{}}}]'])(
    'is refused without asking if an argument is duplicated and the user would see only one: %s',
    async (members) => {
      const { asked, askApproval } = asker();
      const one = guardOf({ ask: ['drop'] }, { askApproval });
      await one.take(
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"drop","arguments":{${members}}}}`,
      );
      expect([asked, one.sent]).toEqual([[], []]);
      expect(JSON.parse(one.read()[0] ?? '').error.message).toContain(' twice. Servers may read it in different ways.');
    },
  );

  it('is answered in a batch without asking', async () => {
    const { asked, askApproval } = asker();
    const one = guardOf({ ask: ['drop'] }, { askApproval });
    await one.take(`[${calling(1, 'drop')}]`);
    expect(asked).toEqual([]);
    expect(textIn(one.read()[0])).toContain('not in a batch');
  });

  it.each([
    [
      'if its client cancels it',
      (one: ReturnType<typeof guardOf>) =>
        one.take('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'),
    ],
    [
      'that its client takes back with the same id in another spelling',
      (one: ReturnType<typeof guardOf>) =>
        one.take('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.0}}'),
    ],
    [
      'that its client takes back in a batch',
      (one: ReturnType<typeof guardOf>) =>
        one.take('[{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}]'),
    ],
    [
      'that its client takes back when the permissions have just gone',
      async (one: ReturnType<typeof guardOf>) => {
        one.become({}, false);
        await one.take('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
        one.become({});
      },
    ],
    ['whose client goes', async (one: ReturnType<typeof guardOf>) => one.abort.abort()],
  ])('is neither sent nor answered %s', async (_how, end) => {
    const { asked, askApproval } = asker();
    const one = guardOf({ ask: ['drop'] }, { askApproval });
    const waiting = one.take(calling(1, 'drop'));
    await expect.poll(() => asked).toHaveLength(1);
    await end(one);
    expect(asked[0]?.signal.aborted).toBe(true);
    asked[0]?.answer('late');
    await waiting;
    expect(one.sent.filter((frame) => frame.includes('drop'))).toEqual([]);
    expect(one.read()).toEqual([]);
  });

  it('keeps waiting if another call is canceled', async () => {
    const { asked, askApproval } = asker();
    const one = guardOf({ ask: ['drop'] }, { askApproval });
    const waiting = one.take(calling(1, 'drop'));
    await expect.poll(() => asked).toHaveLength(1);
    expect(asked[0]?.call).toMatchObject({ client: undefined, tool: 'drop', arguments: '{}' });
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
  ])(
    'follows a permission that switches its tool %s meanwhile, and the question is withdrawn',
    async (_how, permissions, sent) => {
      const { asked, askApproval } = asker();
      const one = guardOf({ ask: ['drop'] }, { askApproval });
      const waiting = one.take(calling(1, 'drop'));
      await expect.poll(() => asked).toHaveLength(1);
      one.become({ ask: ['drop', 'other'] });
      expect(asked[0]?.signal.aborted).toBe(false);
      one.become(permissions);
      await waiting;
      expect(asked[0]?.signal.aborted).toBe(true);
      expect(one.sent).toEqual(sent);
      expect(one.read().map(textIn).filter(Boolean)).toHaveLength(1 - sent.length);
      expect(one.listeners.size).toBe(1);
    },
  );

  it('is refused with the reason if the permissions can no longer be read', async () => {
    const { asked, askApproval } = asker();
    const one = guardOf({ ask: ['drop'] }, { askApproval });
    const waiting = one.take(calling(1, 'drop'));
    await expect.poll(() => asked).toHaveLength(1);
    one.become(new CausewayError('invalid_file', 'The permissions cannot be read.', { remedy: 'Correct them.' }));
    await waiting;
    expect(asked[0]?.signal.aborted).toBe(true);
    expect(one.sent).toEqual([]);
    expect(one.read().map(textIn).filter(Boolean)).toEqual(['The permissions cannot be read. Correct them.']);
  });

  it('is refused if the permissions became stricter, unnoticed, while the user allowed it', async () => {
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
    expect(textIn(one.read()[0])).toContain('The user has turned off "drop" on this server. Nothing was run.');
  });
});
