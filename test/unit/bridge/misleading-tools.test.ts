import { expect, it } from 'vitest';
import { guardOf, LIST, listing, names, tool } from './guard-under-test.ts';

const READS = { readOnlyHint: true };
const CHANGES = { readOnlyHint: false };
const DESTROYS = { readOnlyHint: true, destructiveHint: true };

const calling = (name: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name } });

it.each([
  ['changes something first', [CHANGES, READS]],
  ['changes something last', [READS, CHANGES]],
  ['says nothing first', [undefined, READS]],
  ['says nothing last', [READS, undefined]],
  ['destroys first', [DESTROYS, READS]],
  ['destroys last', [READS, DESTROYS]],
])('with read only, a tool that is listed twice and %s is neither shown nor called', async (_, hints) => {
  const list = listing(1, ...hints.map((hint) => tool('twice', hint)), tool('look', READS));
  const one = guardOf({ readOnly: true });
  await one.take(LIST);
  expect(names(one.shown(list))).toEqual(['look']);
  await one.take(calling('twice'));
  const remembered = guardOf({ readOnly: true }, { remembered: list });
  await remembered.take(calling('twice'));
  expect([one.sent, remembered.sent]).toEqual([[LIST], []]);
});

const NEXT = '{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"b"}}';

it.each([
  ['first', CHANGES, READS],
  ['last', READS, CHANGES],
])(
  'with read only, a tool that is in two pages of a list and changes something %s is not called',
  async (_, one, two) => {
    const guard = guardOf({ readOnly: true });
    await guard.take(LIST);
    guard.shown(listing(1, tool('twice', one), tool('look', READS)));
    await guard.take(NEXT);
    expect(names(guard.shown(listing(3, tool('twice', two), tool('peek', READS))))).toEqual(['peek']);
    for (const name of ['twice', 'look', 'peek']) await guard.take(calling(name));
    expect(guard.sent.slice(2)).toEqual([calling('look'), calling('peek')]);
  },
);

it('with read only, a tool that changed something and only reads in a later list is called', async () => {
  const guard = guardOf({ readOnly: true });
  for (const hints of [CHANGES, READS]) {
    await guard.take(LIST);
    guard.shown(listing(1, tool('look', hints)));
  }
  await guard.take(calling('look'));
  expect(guard.sent.at(-1)).toBe(calling('look'));
});

it('with read only, a tool that is listed twice and only reads each time is shown and called', async () => {
  const one = guardOf({ readOnly: true });
  await one.take(LIST);
  expect(names(one.shown(listing(1, tool('twice', READS), tool('twice', READS))))).toEqual(['twice', 'twice']);
  await one.take(calling('twice'));
  expect(one.sent).toEqual([LIST, calling('twice')]);
});

it.each([[['drop']], [[['DROP']]], [5], [null], [true]])(
  'a call whose tool is %j is refused, whatever a server may make of it',
  async (name) => {
    const one = guardOf({ off: ['drop'] });
    await one.take(calling(name));
    expect(one.sent).toEqual([]);
    expect(one.read().join()).toContain("the tool's name is not a string");
    expect(await one.afterWait(calling(name))).toContain("the tool's name is not a string");
  },
);

it.each([[['drop']], [5], [{ toString: 'look' }]])(
  'with read only, a call whose tool is %j is not sent',
  async (name) => {
    const one = guardOf({ readOnly: true }, { remembered: listing(1, tool('look', READS)) });
    await one.take(calling(name));
    expect(one.sent).toEqual([]);
  },
);
