import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textAt, withElements, withMembers } from '../../../../main/bridge/eras/members.ts';

describe('members added to a frame', () => {
  it.each([
    ['{"a":1}', ['p', '_meta'], '{"a":1,"p":{"_meta":{"x":1}}}'],
    ['{"p":{},"a":1}', ['p', '_meta'], '{"p":{"_meta":{"x":1}},"a":1}'],
    ['{"p":{ } }', ['p'], '{"p":{ "x":1} }'],
    ['{"p":{"_meta":{"t":"}"}}, "a":[1]}\n', ['p', '_meta'], '{"p":{"_meta":{"t":"}","x":1}}, "a":[1]}\n'],
    ['{"p":[1]}', ['p', '_meta'], '{"p":[1]}'],
    ['{"p":1,"p":{"b":2}}', ['p'], '{"p":1,"p":{"b":2,"x":1}}'],
    ['{"\\u0070":{}}', ['p'], '{"\\u0070":{"x":1}}'],
  ])('%s', (json, path, expected) => {
    expect(String(withMembers(Buffer.from(json), path, '"x":1'))).toBe(expected);
  });

  it('say the same as before, and what was added', () => {
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

describe('elements kept of an array', () => {
  it.each([
    ['{"t": [ 1, {"b":"]"} ,3 ] }', '{"t": [{"b":"]"}] }'],
    ['{"t":[{"b":1}]}', '{"t":[{"b":1}]}'],
    ['{"t":[]}', '{"t":[]}'],
    ['{"t":{}}', '{"t":{}}'],
    ['{"t":[1]}', '{"t":[]}'],
  ])('%s', (json, expected) => {
    const kept = withElements(Buffer.from(json), ['t'], (element) => element.includes('b'));
    expect(String(kept)).toBe(expected);
  });
});
