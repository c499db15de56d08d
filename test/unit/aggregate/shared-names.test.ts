import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IN_NAMES, IN_URIS, type Owned, SharedNames } from '../../../main/aggregate/shared-names.ts';

const SERVERS = ['a', 'b', 'sql', 'sql-2'];
const server = fc.constantFrom(...SERVERS);
const LONG = 'main__reporting__the_revenue_of_each_region_in_the_last_quarter';
const SHORT = IN_NAMES.short(`a__${LONG}_too`);
/** Few names, so that they collide, and some that look as if they had a server before them. */
const name = fc.constantFrom(
  'run',
  'query',
  'a__run',
  'b__a__run',
  'sql__',
  '__run',
  'x__run',
  'causeway.a+run',
  'ui://view',
  'ui://causeway.a/view',
  LONG,
  `${LONG}_too`,
  // What the second one becomes at the server `a`.
  SHORT.slice('a__'.length),
  SHORT,
);
const list = fc.uniqueArray(fc.record({ server, name }), { selector: ({ server: of, name: own }) => `${of} ${own}` });
const prefix = fc.constantFrom(IN_NAMES, IN_URIS);

const names = (how = IN_NAMES) => new SharedNames(how, (one) => SERVERS.includes(one));

describe('names from several servers', () => {
  it("stay as they are if only one server has them, and start with their server's name otherwise", () => {
    const told = names().namesFor([
      { server: 'a', name: 'run' },
      { server: 'a', name: 'query' },
      { server: 'b', name: 'query' },
      { server: 'b', name: 'a__run' },
    ]);
    expect(told).toEqual(['run', 'a__query', 'b__query', 'b__a__run']);
  });

  it('are at most 64 characters long with the server in front, because models refuse longer ones', () => {
    const shared = names();
    const list = ['sql', 'sql-2'].flatMap((one) => [LONG, `${LONG}_too`].map((own) => ({ server: one, name: own })));
    const told = shared.namesFor(list);
    expect(told[0]).toMatch(/^sql__main__reporting__the_revenue_of_each_region_in_the_[0-9a-f]{8}$/);
    expect(told.map(({ length }) => length)).toEqual([64, 64, 64, 64]);
    expect(names().namesFor(list.toReversed())).toEqual(told.toReversed());
    shared.namesFor(list.slice(0, 1));
    expect(told.map((text) => shared.find(text))).toEqual(list.map((owned) => ({ kind: 'one', owned })));
  });

  it('are unique, and each leads to the server that it was listed for', () => {
    fc.assert(
      fc.property(prefix, fc.array(list, { maxLength: 4 }), (how, lists) => {
        const shared = names(how);
        for (const one of lists) {
          const told = shared.namesFor(one);
          expect(new Set(told).size).toBe(one.length);
          expect(told.map((text) => shared.find(text))).toEqual(one.map((owned) => ({ kind: 'one', owned })));
        }
      }),
    );
  });

  it('lead to what the client was last given, whatever servers mention or remove meanwhile', () => {
    const change = fc.oneof(fc.record({ mention: fc.record({ server, name }) }), fc.record({ forget: server }));
    fc.assert(
      fc.property(prefix, list, fc.array(change), (how, one, changes) => {
        const shared = names(how);
        const told = shared.namesFor(one);
        for (const next of changes) {
          if ('mention' in next) {
            const shown = shared.mention(next.mention);
            const found = shared.find(shown);
            expect(found.kind === 'one' && found.owned).toEqual(next.mention);
          } else shared.forget(next.forget);
        }
        expect(told.map((text) => shared.find(text))).toEqual(one.map((owned) => ({ kind: 'one', owned })));
      }),
    );
  });

  it('do not depend on the order of the servers', () => {
    fc.assert(
      fc.property(list, fc.infiniteStream(fc.nat()), (one, random) => {
        const shuffled = one.map((owned) => ({ owned, at: random.next().value ?? 0 })).toSorted((x, y) => x.at - y.at);
        const shownIn = (order: Owned[]) =>
          new Set(
            names()
              .namesFor(order)
              .map((text, at) => JSON.stringify([text, order[at]])),
          );
        expect(shownIn(shuffled.map(({ owned }) => owned))).toEqual(shownIn(one));
      }),
    );
  });

  it('keep their prefix when the other server loses the name, and are released when it is removed', () => {
    const shared = names();
    const [one, other] = [
      { server: 'a', name: 'run' },
      { server: 'b', name: 'run' },
    ];
    shared.namesFor([one, other]);
    expect(shared.namesFor([other])).toEqual(['b__run']);
    shared.forget('a');
    expect(shared.namesFor([other])).toEqual(['run']);
  });

  it('that several servers have, and that the client was never given, belong to no server', () => {
    const shared = names();
    shared.mention({ server: 'a', name: 'run' });
    shared.mention({ server: 'b', name: 'run' });
    expect(shared.find('run')).toEqual({ kind: 'several', names: ['a__run', 'b__run'] });
    expect(shared.find('other')).toEqual({ kind: 'none' });
    expect(shared.find('nobody__run')).toEqual({ kind: 'none' });
  });

  it('are forgotten if servers mention too many, and still never lead to another server', () => {
    const shared = names();
    const [told] = shared.namesFor([{ server: 'a', name: 'kept' }]);
    for (let at = 0; at < 25_000; at += 1) shared.mention({ server: 'b', name: `uri-${at}` });
    expect(shared.find('uri-0')).toEqual({ kind: 'none' });
    expect(shared.mention({ server: 'b', name: 'kept' })).toBe('b__kept');
    expect(shared.find(told ?? '')).toEqual({ kind: 'one', owned: { server: 'a', name: 'kept' } });
  });
});
