import assert from 'node:assert/strict';
import { isJSONRPCNotification, isJSONRPCRequest } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { isJSONRPCRequest as isRequestOfServer } from 'json-rpc-2.0';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseLite } from 'jsonrpc-lite';
import { parse as parseLossless } from 'lossless-json';
import { parse as parseSecurely } from 'secure-json-parse';
import { Message } from 'vscode-jsonrpc';
import { readStrictly } from '../../main/bridge/frame/strict-frame.ts';
import { fuzzProperty } from './property.ts';

/** A call as a reader understands it. */
interface Call {
  method: string;
  tool: string;
}

const escaped = (text: string) =>
  Array.from(text, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

/** Spellings of one word that some reader may take for it. */
const spellings = (word: string) =>
  fc.constantFrom(
    ...Array.from({ length: 60 }, () => word),
    ...[escaped(word), `${escaped(word.slice(0, 1))}${word.slice(1)}`],
    ...[
      word.toUpperCase(),
      `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`,
      ` ${word}`,
      `${word} `,
      `${word}\\u0000`,
      `${word}\\u0000x`,
    ],
    ...[
      `${word}\\u200b`,
      `\\ufeff${word}`,
      word.replace('s', '\u017f'),
      word.replace('k', '\u212a'),
      word.replace('/', '\uff0f'),
    ],
    ...[word.replace('/', '\\/'), `${word}\\ud800`, `__proto__`, word.replace('o', '0'), `${word}\\t`],
  );
const quoted = (word: string) => spellings(word).map((text) => `"${text}"`);
const noise = fc.constantFrom(
  '1',
  '-0',
  '1e999',
  '12345678901234567890',
  'null',
  'true',
  '"x"',
  '[]',
  '{}',
  '[["tools/call"]]',
  'NaN',
  '01',
  '"drop"',
);
const name = fc.oneof(
  { weight: 6, arbitrary: quoted('drop') },
  { weight: 3, arbitrary: quoted('look') },
  noise,
  fc.constant('["drop"]'),
);
const object = (member: fc.Arbitrary<string>, maxLength: number) =>
  fc
    .array(member, { maxLength })
    .chain((members) =>
      fc.constantFrom(',', ' , ', ',,').map((comma) => `{${members.join(members.length > 1 ? comma : '')}}`),
    );
const colon = fc.constantFrom(':', ':', ' : ', ':\t');
const member = (key: fc.Arbitrary<string>, value: fc.Arbitrary<string>) =>
  fc.tuple(key, colon, value).map((parts) => parts.join(''));
const params = fc.oneof(
  {
    weight: 8,
    arbitrary: object(
      fc.oneof(
        { weight: 6, arbitrary: member(quoted('name'), name) },
        member(quoted('arguments'), fc.oneof(noise, object(member(quoted('name'), name), 2))),
        member(quoted('_meta'), noise),
        member(quoted('__proto__'), object(member(quoted('name'), name), 1)),
      ),
      3,
    ),
  },
  noise,
  name.map((text) => `[${text},{}]`),
  name.map((text) => `"{\\"name\\":${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}}"`),
);
const method = fc.oneof({ weight: 8, arbitrary: quoted('tools/call') }, quoted('ping'), quoted('prompts/get'), noise);
const others = fc.oneof(
  member(quoted('id'), fc.oneof(fc.constantFrom('1', '"a"', '1.0', 'null', '[1]'), noise)),
  member(quoted('result'), noise),
  member(quoted('method'), method),
  member(quoted('params'), params),
  member(quoted('__proto__'), noise),
);
const message = fc
  .tuple(
    member(quoted('method'), method),
    member(quoted('params'), params),
    fc.array(others, { maxLength: 2 }),
    fc.boolean(),
  )
  .map(([called, given, more, isFirst]) => {
    const members = ['"jsonrpc":"2.0"', ...(isFirst ? [called, given] : [given, called]), '"id":1', ...more];
    return `{${[...new Set(members)].join(',')}}`;
  });
const frames = fc
  .oneof(
    { weight: 6, arbitrary: message },
    fc.array(fc.oneof(message, noise), { maxLength: 3 }).map((all) => `[${all.join(',')}]`),
    message.map((one) => `[[${one}]]`),
    message.map((one) => `\ufeff${one}`),
    message.map((one) => `${one} ${one}`),
  )
  .chain((text) =>
    fc.oneof(
      { weight: 12, arbitrary: fc.constant(Buffer.from(text)) },
      fc.constant(Buffer.from(text, 'latin1')),
      fc.tuple(fc.nat(text.length), fc.uint8Array({ minLength: 1, maxLength: 2 })).map(([at, bytes]) => {
        const whole = Buffer.from(text);
        return Buffer.concat([whole.subarray(0, at), bytes, whole.subarray(at)]);
      }),
    ),
  );

/** Readers of JSON that others wrote, and one that ignores case as Go's does: the last member of a name counts. */
const jsonReaders: Record<string, (text: string) => unknown> = {
  'JSON.parse': (text) => JSON.parse(text),
  'lossless-json': (text) => parseLossless(text, undefined, Number),
  'jsonc-parser': (text) => parseJsonc(text, [], { allowTrailingComma: true }),
  'secure-json-parse': (text) => parseSecurely(text, null, { protoAction: 'ignore', constructorAction: 'ignore' }),
  'encoding/json': (text) => folded(JSON.parse(text)),
  cJSON: (text) => inC(JSON.parse(text)),
};

/** As C reads it: strings end at a NUL, and the first member of a name counts, in any case. */
function inC(value: unknown): unknown {
  if (typeof value === 'string') return cut(value);
  if (Array.isArray(value)) return value.map(inC);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [cut(key).toLowerCase(), inC(each)] as const);
  return Object.fromEntries(entries.reverse());
}

function cut(text: string): string {
  return text.replace(/\0.*$/s, '');
}

function folded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(folded);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key.toUpperCase().toLowerCase(), folded(each)] as const);
  return Object.fromEntries(entries);
}

/** What each library takes for a request or a notification. */
const rpcReaders: Record<string, (json: unknown) => boolean> = {
  'MCP SDK': (json) => isJSONRPCRequest(json) || isJSONRPCNotification(json),
  'json-rpc-2.0': (json) => isRequestOfServer(json),
  'vscode-jsonrpc': (json) => Message.isRequest(asMessage(json)) || Message.isNotification(asMessage(json)),
  lenient: (json) => typeof json === 'object' && json !== null && 'method' in json,
};

function asMessage(json: unknown): Message {
  return Object.assign({ jsonrpc: '2.0' }, json);
}

/** What a server runs that takes a name for what it looks like. */
function plain(text: unknown): string {
  const shown = Array.isArray(text) ? text.map(plain).join() : String(text);
  return shown
    .normalize('NFKC')
    .replace(/[\p{C}\s]/gu, '')
    .toLowerCase();
}

function callsIn(json: unknown, isRequest: (json: unknown) => boolean): Call[] {
  if (Array.isArray(json)) return json.flatMap((each) => callsIn(each, isRequest));
  if (!isRequest(json) || typeof json !== 'object' || json === null) return [];
  const { method, params } = Object.assign({ method: '', params: undefined }, json);
  if (plain(method) !== 'tools/call') return [];
  const given: unknown = typeof params === 'string' ? parsedOr(params) : params;
  const tool = Array.isArray(given) ? given[0] : Object.assign({ name: '' }, given).name;
  return [{ method: String(method), tool: String(tool) }];
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

fuzzProperty(
  'a frame that the gate admits is read by every other reader as the calls that were judged',
  [frames],
  (frame) => {
    const read = readStrictly(frame);
    if ('fault' in read) return;
    const bodies = read.messages.map(({ bytes }) => bytes.toString('utf8'));
    const sent = read.isBatch ? `[${bodies.join(',')}]` : String(bodies[0]);
    const judged = read.messages.flatMap(({ tool }) => (tool === undefined ? [] : [{ method: 'tools/call', tool }]));
    for (const [json, parse] of Object.entries(jsonReaders)) {
      for (const [rpc, isRequest] of Object.entries(rpcReaders)) {
        const calls = callsIn(parse(sent), isRequest);
        // A stricter reader may refuse what is admitted.
        if (calls.length > 0) assert.deepEqual(calls, judged, `${json} and ${rpc} read ${sent}`);
      }
    }
    const lite = [parseLite(sent)].flat();
    for (const [index, { tool }] of read.messages.entries()) {
      const payload: unknown = lite[index]?.payload;
      if (tool !== undefined)
        assert.deepEqual(callsIn(payload, rpcReaders.lenient ?? (() => false)), [{ method: 'tools/call', tool }]);
    }
    // What is written anew is read again as the same.
    assert.deepEqual(readStrictly(Buffer.from(sent)), read);
  },
  {
    examples: [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"drop","arguments":{"n":12345678901234567890}}}',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["drop",{}]}',
      '[[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"drop"}}]]',
      '{"jsonrpc":"2.0","id":1,"method":["tools/call"],"result":{},"params":{"name":"drop"}}',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"__proto__":{"name":"drop"},"name":"look"}}',
    ].map((text): [Buffer] => [Buffer.from(text)]),
  },
);
