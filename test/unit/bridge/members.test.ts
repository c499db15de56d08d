import { describe, expect, it } from 'vitest';
import { itemsOf, memberAt, membersOf, rpcErrorIn } from '../../../main/bridge/frame/members.ts';
import { OMITTED } from '../../../main/bridge/frame/outline.ts';

const NO_OBJECTS = [undefined, null, true, 7, 'text', [], ['method'], OMITTED];

describe('membersOf', () => {
  it('reads the members of an object', () => {
    const { method, params } = membersOf(JSON.parse('{"method":"ping","params":{"a":1}}'));
    expect({ method, params }).toEqual({ method: 'ping', params: { a: 1 } });
  });

  it.each(NO_OBJECTS)('finds no members in %s', (json) => {
    const { method } = membersOf(json);
    expect(method).toBeUndefined();
    expect('result' in membersOf(json)).toBe(false);
  });

  it('returns nothing that one caller could change for all others', () => {
    expect(Object.isFrozen(membersOf(null))).toBe(true);
  });
});

describe('memberAt', () => {
  it('follows a path of names', () => {
    const frame: unknown = JSON.parse('{"params":{"_meta":{"progressToken":null}}}');
    expect(memberAt(frame, 'params', '_meta', 'progressToken')).toBeNull();
    expect(memberAt(frame, 'params', 'name', 'first')).toBeUndefined();
    expect(memberAt(frame)).toBe(frame);
  });

  it.each(NO_OBJECTS)('finds nothing in %s', (json) => {
    expect(memberAt(json, 'length')).toBeUndefined();
    expect(memberAt({ inner: json }, 'inner', 'length')).toBeUndefined();
  });

  it.each(['constructor', 'toString', '__proto__'])('does not treat the inherited %s as a member', (name) => {
    expect(memberAt({}, name)).toBeUndefined();
    expect(memberAt({ inner: {} }, 'inner', name, 'name')).toBeUndefined();
  });

  it('reads a member that is named __proto__ like any other', () => {
    const frame: unknown = JSON.parse('{"__proto__":{"method":"ping"}}');
    expect(memberAt(frame, 'method')).toBeUndefined();
    expect(memberAt(frame, '__proto__', 'method')).toBe('ping');
  });
});

describe('itemsOf', () => {
  it('returns the elements of an array, and nothing for any other value', () => {
    expect(itemsOf([1, 2])).toEqual([1, 2]);
    expect([null, undefined, 'text', { 0: 'a', length: 1 }].flatMap(itemsOf)).toEqual([]);
  });
});

describe('rpcErrorIn', () => {
  it.each([
    ['{"error":{"code":-32601,"message":"no"}}', { code: -32_601, message: 'no' }],
    ['{"error":{"code":"1","message":5}}', { code: 0, message: '' }],
    ['{"error":[]}', { code: 0, message: '' }],
    ['{"error":null}', undefined],
    ['{"error":"down"}', undefined],
    ['{"result":{}}', undefined],
    ['[{"error":{"code":1,"message":"in a batch"}}]', undefined],
    ['null', undefined],
  ])('reads %s', (text, error) => {
    expect(rpcErrorIn(JSON.parse(text))).toEqual(error);
  });
});
