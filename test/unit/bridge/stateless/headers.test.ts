import { describe, expect, it } from 'vitest';
import { headerText, requestHeaders } from '../../../../main/bridge/stateless/headers.ts';
import { paramHeaders } from '../../../../main/bridge/stateless/tool-headers.ts';

const text = (header: unknown) => ({ type: 'string', 'x-mcp-header': header });

describe('the headers that a schema asks for', () => {
  it.each<[name: string, schema: unknown, found: unknown]>([
    ['none', { properties: { a: { type: 'string' } } }, []],
    ['no schema', undefined, []],
    ['one', { properties: { a: text('A') } }, [{ path: ['a'], header: 'A' }]],
    ['one inside', { properties: { a: { properties: { b: text('B') } } } }, [{ path: ['a', 'b'], header: 'B' }]],
    ['an argument with the same name as the annotation', { properties: { 'x-mcp-header': { type: 'string' } } }, []],
    ['a default that looks like an annotation', { properties: { a: { default: { 'x-mcp-header': '' } } } }, []],
    ['an empty name', { properties: { a: text('') } }, undefined],
    ['a name that is not a string', { properties: { a: text(1) } }, undefined],
    ['a name with a space', { properties: { a: text('A B') } }, undefined],
    ['the same name twice', { properties: { a: text('A'), b: text('a') } }, undefined],
    ['a number', { properties: { a: { type: 'number', 'x-mcp-header': 'A' } } }, undefined],
    ['no type', { properties: { a: { 'x-mcp-header': 'A' } } }, undefined],
    ['the root', text('A'), undefined],
    ["a list's element", { properties: { a: { items: text('A') } } }, undefined],
    ['a choice', { anyOf: [{ properties: { a: text('A') } }] }, undefined],
    ['a definition', { $defs: { d: text('A') } }, undefined],
  ])('are found or refused: %s', (_name, schema, found) => {
    expect(paramHeaders(schema)).toEqual(found);
  });
});

describe("a header's value", () => {
  it.each([
    ['plain text', 'plain text'],
    ['', '=?base64??='],
    [' a', '=?base64?IGE=?='],
    ['a\n', '=?base64?YQo=?='],
    ['ä', '=?base64?w6Q=?='],
    ['=?base64?x?=', `=?base64?${Buffer.from('=?base64?x?=').toString('base64')}?=`],
  ])('is encoded if necessary: %j', (value, expected) => {
    expect(headerText(value)).toBe(expected);
  });

  it.each([
    ['s', 's'],
    [true, 'true'],
    [-3, '-3'],
    [null, undefined],
    [2 ** 60, undefined],
    [{}, undefined],
  ])('is computed from the argument %j', (value, expected) => {
    const headers = requestHeaders('tools/call', { arguments: { a: value } }, [{ path: ['a'], header: 'Up' }]);
    expect(headers['mcp-param-up']).toBe(expected);
  });
});
