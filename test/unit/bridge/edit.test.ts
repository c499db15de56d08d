import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  elementsOf,
  frameMembers,
  placeAt,
  textAt,
  wholeOf,
  withElements,
  withMembers,
} from '../../../main/bridge/frame/edit.ts';

describe('members added to a frame', () => {
  it.each([
    ['{"a":1}', ['p', '_meta'], '{"a":1,"p":{"_meta":{"x":1}}}'],
    ['{"p":{},"a":1}', ['p', '_meta'], '{"p":{"_meta":{"x":1}},"a":1}'],
    ['{"p":{ } }', ['p'], '{"p":{ "x":1} }'],
    ['{"p":{"_meta":{"t":"}"}}, "a":[1]}\n', ['p', '_meta'], '{"p":{"_meta":{"t":"}","x":1}}, "a":[1]}\n'],
    ['{"p":[1]}', ['p', '_meta'], '{"p":[1]}'],
    ['{"p":1,"p":{"b":2}}', ['p'], '{"p":1,"p":{"b":2,"x":1}}'],
    ['{"\\u0070":{}}', ['p'], '{"\\u0070":{"x":1}}'],
  ])('are in the right place in %s', (json, path, expected) => {
    expect(String(withMembers(Buffer.from(json), path, '"x":1'))).toBe(expected);
  });

  it('have the value that was added, and all others stay the same', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat({ max: 3 }), (value, indent) => {
        const json = Buffer.from(JSON.stringify(value, undefined, indent));
        const edited = withMembers(json, [], '"added \\u00e4":1.0');
        expect(JSON.parse(String(edited))).toEqual({ ...JSON.parse(String(json)), 'added ä': 1 });
        for (const [name, member] of Object.entries(JSON.parse(String(json)))) {
          expect(JSON.parse(textAt(edited, name) ?? '')).toEqual(member);
        }
      }),
    );
  });
});

describe('elements kept from an array', () => {
  it.each([
    ['{"t": [ 1, {"b":"]"} ,3 ] }', '{"t": [{"b":"]"}] }'],
    ['{"t":[{"b":1}]}', '{"t":[{"b":1}]}'],
    ['{"t":[]}', '{"t":[]}'],
    ['{"t":{}}', '{"t":{}}'],
    ['{"t":[1]}', '{"t":[]}'],
  ])('stay as they are written in %s', (json, expected) => {
    const kept = withElements(Buffer.from(json), ['t'], (element) => element.includes('b'));
    expect(String(kept)).toBe(expected);
  });
});

describe('invalid JSON', () => {
  const BYTES = [...'{}[]",:\\ \n1a\u00e4'].map((sign) => Buffer.from(sign));
  /** Bytes of any kind, bytes that look like JSON, and JSON that was cut or lacks a byte. */
  const broken = fc.oneof(
    fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
    fc.array(fc.constantFrom(...BYTES), { maxLength: 40 }).map((signs) => Buffer.concat(signs)),
    fc
      .tuple(fc.jsonValue(), fc.nat(), fc.boolean())
      .map(([value, at, isCut]) => ({ json: Buffer.from(JSON.stringify(value)), at, isCut }))
      .map(({ json, at, isCut }) => {
        const fault = at % json.length;
        return isCut ? json.subarray(0, fault) : Buffer.concat([json.subarray(0, fault), json.subarray(fault + 1)]);
      }),
  );

  it('is read up to its error: what is found lies before it, in order', () => {
    fc.assert(
      fc.property(broken, (json) => {
        const whole = wholeOf(json);
        for (const places of [frameMembers(json, whole).map(({ place }) => place), elementsOf(json, whole)]) {
          let reached = whole.start;
          for (const { start, end } of places) {
            expect(start).toBeGreaterThan(reached);
            expect(end).toBeGreaterThanOrEqual(start);
            expect(end).toBeLessThanOrEqual(json.length);
            reached = Math.max(end - 1, start);
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('can be edited, too, and this always ends without an exception', () => {
    fc.assert(
      fc.property(broken, (json) => {
        placeAt(json, 'a', 'b');
        expect(withMembers(json, ['a', 'b'], '"x":1')).toBeInstanceOf(Buffer);
        expect(withElements(json, [], () => false)).toBeInstanceOf(Buffer);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['{"a":1,"b', ['a']],
    ['{"a":1 "b":2}', ['a', 'b']],
    ['{"a"}', []],
    ['{"a" 1,"b":2}', []],
    ['{"\\x":1}', []],
    ['{"a', []],
  ])('%s has the members before the error', (json, names) => {
    const frame = Buffer.from(json);
    expect(frameMembers(frame, wholeOf(frame)).map(({ name }) => name)).toEqual(names);
  });

  it.each([
    ['[1,}', ['1']],
    ['[}', []],
    ['[1,2', ['1', '2']],
    ['[[1],:]', ['[1]', ':']],
  ])('%s has the elements before the error', (json, elements) => {
    const frame = Buffer.from(json);
    const found = elementsOf(frame, wholeOf(frame)).map(({ start, end }) => frame.toString('utf8', start, end));
    expect(found).toEqual(elements);
  });
});
