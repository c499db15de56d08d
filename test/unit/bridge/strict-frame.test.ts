import { describe, expect, it } from 'vitest';
import { readStrictly } from '../../../main/bridge/frame/strict-frame.ts';

const read = (text: string | Buffer) => readStrictly(Buffer.from(text));
const sent = (text: string) => {
  const frame = read(text);
  return 'fault' in frame ? frame : frame.messages.map(({ bytes }) => bytes.toString());
};
const call = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
const method = (name: string) => `{"jsonrpc":"2.0","id":1,"method":${name},"params":{}}`;

describe('a frame that every reader understands in the same way', () => {
  it.each([
    call('{"name":"drop","arguments":{"n":12345678901234567890,"x":1.10,"deep":[[{"a":null}]]}}'),
    call('{"name":"drop","arguments":{"__proto__":{"a":1},"constructor":2}}'),
    call('{"name":"drop","arguments":{"a":"\\u0000"}}'),
    '{"jsonrpc":"2.0","id":"a","method":"vendor.example/do-it"}',
    '{"jsonrpc":"2.0","id":1.0,"method":"ping"}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
    '{"jsonrpc":"2.0","id":1,"result":{"name":"drop"}}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}',
  ])('is sent as it came: %s', (text) => {
    expect(sent(text)).toEqual([text]);
  });

  it.each([
    [' { "jsonrpc" : "2.0" , "id":1,\r\n"method":"ping" } ', '{"jsonrpc":"2.0","id":1,"method":"ping"}'],
    [call('{"n\\u0061me":"\\u0064rop"}'), call('{"name":"drop"}')],
    [
      call('{"name":"drop","arguments":{"q":"a\\/b\\u2028\\ud83d\\ude00"}}'),
      call('{"name":"drop","arguments":{"q":"a/b\u2028😀"}}'),
    ],
  ])('is written anew: %s', (text, expected) => {
    expect(sent(text)).toEqual([expected]);
  });

  it('names what it calls, in a batch too', () => {
    const frame = read(`[${call('{"name":"drop"}')},{"jsonrpc":"2.0","method":"notifications/initialized"}]`);
    expect(frame).toMatchObject({
      isBatch: true,
      messages: [
        { kind: 'request', method: 'tools/call', tool: 'drop' },
        { kind: 'notification', method: 'notifications/initialized', tool: undefined },
      ],
    });
  });
});

describe('a frame that readers could understand differently', () => {
  it.each([
    ['', 'it is not JSON'],
    ['{', 'it is not JSON'],
    ['{"a":1,}', 'it is not JSON'],
    ['{"a":01}', 'it is not JSON'],
    ['{"a":NaN}', 'it is not JSON'],
    ["{'a':1}", 'it is not JSON'],
    ['{"a":"\n"}', 'it is not JSON'],
    ['{"a":"\\x"}', 'it is not JSON'],
    [`${method('"ping"')} {}`, 'something follows its end'],
    [`\ufeff${method('"ping"')}`, 'it is not JSON'],
    ['"tools/call"', 'a message is not an object'],
    ['5', 'a message is not an object'],
    ['[]', 'it is an empty batch'],
    [`[[${call('{"name":"drop"}')}]]`, 'a message is not an object'],
    [`[${JSON.stringify(call('{"name":"drop"}'))}]`, 'a message is not an object'],
    ['{"id":1,"method":"ping"}', '"jsonrpc"'],
    ['{"jsonrpc":2.0,"id":1,"method":"ping"}', '"jsonrpc"'],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', '"id"'],
    ['{"jsonrpc":"2.0","id":[1],"method":"ping"}', '"id"'],
    ['{"jsonrpc":"2.0","id":1}', 'neither a request nor an answer'],
    ['{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', 'neither a request nor an answer'],
    ['{"jsonrpc":"2.0","result":{}}', 'neither a request nor an answer'],
    ['{"jsonrpc":"2.0","id":1,"result":[["tools/call"]]}', 'not an object'],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}', 'a request and an answer at once'],
    ['{"jsonrpc":"2.0","id":1,"method":["tools/call"],"result":{}}', 'a request and an answer at once'],
    ['{"jsonrpc":"2.0","id":1,"method":["tools/call"]}', 'its "method" is not a string'],
    ['{"jsonrpc":"2.0","id":1,"Method":"tools/call","method":"ping"}', 'twice'],
    ['{"jsonrpc":"2.0","id":1,"Method":"tools/call"}', '"Method"'],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","extra":1}', '"extra"'],
    [method('"Tools/Call"'), 'unlike the protocol'],
    [method('"toolſ/call"'), 'no method can be named'],
    [method('" tools/call"'), 'no method can be named'],
    [method('"tools/call "'), 'no method can be named'],
    [method('"tools/call\\u0000"'), 'no method can be named'],
    [method('"tools\\u200b/call"'), 'no method can be named'],
    [method('"tools／call"'), 'no method can be named'],
    [method('"/tools/call"'), 'no method can be named'],
    [method('"tools//call"'), 'no method can be named'],
    [method('""'), 'no method can be named'],
    [call('["drop",{}]'), 'its "params" is not an object'],
    [call('"{\\"name\\":\\"drop\\"}"'), 'its "params" is not an object'],
    [call('null'), 'its "params" is not an object'],
    [call('{}'), "the tool's name is not a string"],
    [call('{"name":["drop"]}'), "the tool's name is not a string"],
    [call('{"Name":"drop"}'), 'unlike the protocol'],
    [call('{"name":"look","\\u004eame":"drop"}'), 'twice'],
    [call('{"name":"look","ARGUMENTS":{}}'), 'unlike the protocol'],
    [call('{"name":"look","arguments":"{}"}'), '"arguments" is not an object'],
    [call('{"name":"look","_meta":[]}'), '"_meta" is not an object'],
    [call('{"name":"look","arguments":{"a":{"b":1,"B":2}}}'), 'it has "B" twice'],
    [call('{"name":"look","arguments":{"k":1,"\u212a":2}}'), 'twice'],
    [call('{"name":"look","arguments":{"a":"\\ud800"}}'), 'lone surrogate'],
    [call('{"name\\u0000x":"drop","name":"look"}'), 'has a NUL'],
    [call('{"name":"look","arguments":{"b":[{"a\\u0000":1,"a":2}]}}'), 'has a NUL'],
    [call('{"name":"drop\\u0000x"}'), "the tool's name has a NUL"],
    [call(`{"name":"look","arguments":{"a":${'['.repeat(70)}${']'.repeat(70)}}}`), 'deeper than 64'],
  ])('is refused: %s', (text, fault) => {
    expect(read(text)).toEqual({ fault: expect.stringContaining(fault) });
  });

  it('is refused if it is not UTF-8, or a million brackets', () => {
    expect(read(Buffer.from(method('"pïng"'), 'latin1'))).toEqual({ fault: 'it is not UTF-8' });
    expect(read('['.repeat(1_000_000))).toEqual({ fault: expect.stringContaining('deeper than 64') });
    expect(read('{"a":'.repeat(1_000_000))).toEqual({ fault: expect.stringContaining('deeper than 64') });
  });
});
