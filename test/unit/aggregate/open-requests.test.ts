import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OpenRequests } from '../../../main/aggregate/open-requests.ts';

const frame = (value: object) => Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...value }));
const read = (bytes: Buffer | undefined) => bytes && JSON.parse(String(bytes));
const id = fc.oneof(fc.integer(), fc.string());

const request = (own: unknown, token?: unknown) =>
  frame({ id: own, method: 'tools/call', params: { _meta: token === undefined ? {} : { progressToken: token } } });

describe('requests of several senders to one receiver', () => {
  it("have their own ids there, and each is answered once, to its sender and under the sender's id", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3), id)), fc.infiniteStream(fc.nat()), (asked, random) => {
        const open = new OpenRequests<number>();
        const passed = asked.map(([sender, own]) => read(open.pass(request(own), sender)));
        expect(new Set(passed.map((one) => one.id)).size).toBe(asked.length);
        const order = passed.map((one, at) => ({ one, at, key: random.next().value ?? 0 }));
        for (const { one, at } of order.toSorted((x, y) => x.key - y.key)) {
          const answer = frame({ id: one.id, result: { at } });
          const answered = open.answered(answer);
          expect(answered?.asker).toBe(asked[at]?.[0]);
          expect(read(answered?.frame)).toEqual({ jsonrpc: '2.0', id: asked[at]?.[1], result: { at } });
          expect(open.answered(answer)).toBeUndefined();
        }
        expect(open.size).toBe(0);
      }),
    );
  });

  it('receive only their own progress, under their own tokens', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(fc.nat(3), id, fc.option(id, { nil: undefined }))), (asked) => {
        const open = new OpenRequests<number>();
        for (const [sender, own, token] of asked) {
          const there = read(open.pass(request(own, token), sender));
          const progressToken = there.params._meta.progressToken ?? there.id;
          const progress = frame({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
          const heard = open.progressed(progress);
          expect(read(heard?.frame)?.params.progressToken).toEqual(token);
          expect(heard?.asker).toBe(token === undefined ? undefined : sender);
        }
      }),
    );
  });

  it('can be canceled only by their sender, and are then not answered', () => {
    const open = new OpenRequests<string>();
    const there = read(open.pass(request('x'), 'one'));
    const cancel = frame({ method: 'notifications/cancelled', params: { requestId: 'x', reason: 'late' } });
    expect(open.cancelled(cancel, (sender) => sender === 'other')).toBeUndefined();
    const cancelled = open.cancelled(cancel, (sender) => sender === 'one');
    expect(read(cancelled?.frame).params).toEqual({ requestId: there.id, reason: 'late' });
    expect(open.answered(frame({ id: there.id, result: {} }))).toBeUndefined();
  });

  it('leave all other bytes of a frame alone', () => {
    const open = new OpenRequests<string>();
    const written =
      '{ "id" : 1.0,"method":"tools/call", "params":{"n":1e400,"_meta":{"progressToken": "t" , "x":9007199254740993}}}';
    expect(String(open.pass(Buffer.from(written), 'one'))).toBe(
      '{ "id" : 1,"method":"tools/call", "params":{"n":1e400,"_meta":{"progressToken": 1 , "x":9007199254740993}}}',
    );
    expect(String(open.answered(Buffer.from('{"id":1,"result":{"n":1e400}}'))?.frame)).toBe(
      '{"id":1.0,"result":{"n":1e400}}',
    );
  });

  it('are dropped with their sender', () => {
    const open = new OpenRequests<string>();
    const [one, other] = [read(open.pass(request(1), 'one')), read(open.pass(request(1), 'other'))];
    expect(open.drop((sender) => sender === 'one')).toEqual([{ asker: 'one', id: String(one.id) }]);
    expect(open.answered(frame({ id: one.id, result: {} }))).toBeUndefined();
    expect(open.answered(frame({ id: other.id, result: {} }))?.asker).toBe('other');
  });
});
