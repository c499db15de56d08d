import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { presetFrame } from '../../../main/bridge/meta-presets.ts';

const PIN = { warehouse_id: 'a1' };
const preset = (frame: string) => String(presetFrame(Buffer.from(frame), PIN));
const call = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;

describe('a tool call', () => {
  it.each([
    ['without _meta', '{"name":"t"}', '{"name":"t","_meta":{"warehouse_id":"a1"}}'],
    ['with an empty _meta', '{"name":"t","_meta":{}}', '{"name":"t","_meta":{"warehouse_id":"a1"}}'],
    [
      'with other members in _meta',
      '{"_meta":{"progressToken":18446744073709551617},"name":"t"}',
      '{"_meta":{"progressToken":18446744073709551617,"warehouse_id":"a1"},"name":"t"}',
    ],
    ['that sets another value itself', '{"_meta":{"warehouse_id":"b2"}}', '{"_meta":{"warehouse_id":"a1"}}'],
    ['whose _meta is not an object', '{"name":"t","_meta":null}', '{"name":"t","_meta":{"warehouse_id":"a1"}}'],
    [
      'with two _meta, of which servers differ in the one that counts',
      '{"_meta":{"warehouse_id":"b2"},"name":"t","_met\\u0061":{"progressToken":1.0}}',
      '{"name":"t","_meta":{"progressToken":1.0,"warehouse_id":"a1"}}',
    ],
    [
      'that names its own value twice',
      '{"_meta":{"warehouse_id":"b2","x":1,"warehouse_\\u0069d":"c3"}}',
      '{"_meta":{"x":1,"warehouse_id":"a1"}}',
    ],
    [
      'with another spelling of the preset, which some servers take for it',
      '{"_meta":{"Warehouse_ID":"b2","x":1,"warehouſe_id":"c3"}}',
      '{"_meta":{"x":1,"warehouse_id":"a1"}}',
    ],
    [
      'with another spelling of _meta',
      '{"_meta":{"x":1},"name":"t","_Meta":{"warehouse_id":"b2"}}',
      '{"_meta":{"x":1,"warehouse_id":"a1"},"name":"t"}',
    ],
    ['whose _meta is a list', '{"_meta":[1]}', '{"_meta":{"warehouse_id":"a1"}}'],
  ])('%s carries the preset, and is otherwise unchanged', (_name, before, after) => {
    expect(preset(call(before))).toBe(call(after));
  });

  it('gets parameters if it has none', () => {
    expect(JSON.parse(preset('{"jsonrpc":"2.0","id":1,"method":"tools/call"}'))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { _meta: PIN },
    });
  });

  it('with two parameters keeps the last ones', () => {
    const frame =
      '{"id":1,"params":{"name":"a","_meta":{"warehouse_id":"b2"}},"method":"tools/call","params":{"name":"b"}}';
    expect(preset(frame)).toBe('{"id":1,"method":"tools/call","params":{"name":"b","_meta":{"warehouse_id":"a1"}}}');
  });

  it.each([
    '{"id":1,"method":"tools/call","params":{"name":"b"},"Params":{"name":"b","_meta":{"warehouse_id":"b2"}}}',
    '{"id":1,"PARAMS":{"name":"a"},"method":"tools/call","params":{"name":"b"},"METHOD":"tools/list"}',
    '{"id":1,"method":"tools/list","method":"tools/call","params":{"name":"b"}}',
  ])('with another spelling of its members keeps those of the protocol: %s', (frame) => {
    expect(preset(frame)).toBe('{"id":1,"method":"tools/call","params":{"name":"b","_meta":{"warehouse_id":"a1"}}}');
  });

  it('is not hidden from a server that reads the first of two methods, or one in another case', () => {
    const list = '{"id":1,"method":"tools/list","params":{"name":"b"}}';
    expect(preset('{"id":1,"method":"tools/call","method":"tools/list","params":{"name":"b"}}')).toBe(list);
    expect(preset('{"id":1,"method":"tools/list","Method":"tools/call","params":{"name":"b"}}')).toBe(list);
  });

  it('in a batch carries the preset, and the other frames do not', () => {
    const list = '{"jsonrpc":"2.0","id":2,"method":"tools/list"}';
    expect(preset(`[${list}, ${call('{}')}]`)).toBe(`[${list},${call('{"_meta":{"warehouse_id":"a1"}}')}]`);
  });

  it('carries the preset whatever else is in its parameters', () => {
    const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), json, (params, meta) => {
        const frame = JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { ...params, _meta: meta },
        });
        const after = JSON.parse(preset(frame));
        const kept = typeof meta === 'object' && meta !== null && !Array.isArray(meta) ? meta : {};
        expect(after).toEqual({ ...JSON.parse(frame), params: { ...params, _meta: { ...kept, ...PIN } } });
      }),
    );
  });
});

describe('any other frame', () => {
  it.each([
    '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}',
    '{"jsonrpc":"2.0","id":1,"result":{"method":"tools/call"}}',
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"tools/call"}}',
    'tools/call',
    '[]',
    '[1, "tools/call"]',
    '[{"method":"tools/call"}, ',
    '[{"method":"tools/call"},]',
  ])('is unchanged: %s', (frame) => {
    const bytes = Buffer.from(frame);
    expect(presetFrame(bytes, PIN)).toBe(bytes);
  });
});
