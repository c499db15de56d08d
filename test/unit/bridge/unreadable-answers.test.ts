import { describe, expect, it } from 'vitest';
import type { SentSecrets } from '../../../main/platform/foreign-text.ts';
import { Secret } from '../../../main/platform/secret.ts';
import { asking, askingAs, askingWith, call, HEAD, result, TOKEN } from './answers-under-test.ts';

describe('a response that cannot be passed on as it is', () => {
  it('is replaced by our own error if it asks to open an address that is not on the web', () => {
    const one = asking(call(1));
    const data = { elicitations: [{ mode: 'url', url: 'javascript:alert(1)' }] };
    const [frame = ''] = one.after(
      JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32042, message: 'm', data } }),
    );
    expect(JSON.parse(frame)).toMatchObject({ id: 1, error: { code: -31_999, data: { source: 'causeway' } } });
    expect(frame).not.toContain('alert');
    expect(one.known).toEqual([[undefined, HEAD]]);
  });

  it.each([
    ['as it is', TOKEN],
    ['in upper case', TOKEN.toUpperCase()],
    ['in base64', Buffer.from(TOKEN).toString('base64')],
    ['in base64 after its scheme', Buffer.from(`Bearer ${TOKEN}`).toString('base64')],
    ['in base64 after one other character', Buffer.from(`:${TOKEN}`).toString('base64')],
    ['in hexadecimal', Buffer.from(TOKEN).toString('hex')],
    ['with percent signs', TOKEN.replace(/./g, (letter) => `%${Buffer.from(letter).toString('hex')}`)],
    ['in HTML entities', TOKEN.replace(/./g, (letter) => `&#${letter.charCodeAt(0)};`)],
    ['in two parts', `${TOKEN.slice(0, 12)}\n${TOKEN.slice(12)}`],
  ])('is an error without the token that it repeats %s', (_how, echo) => {
    const one = asking(call('"a"'));
    const error = { code: -32001, message: `Refused: Bearer ${echo}`, data: { authorization: echo } };
    const [frame = ''] = one.after(JSON.stringify({ jsonrpc: '2.0', id: 'a', error }));
    expect(JSON.parse(frame)).toEqual({
      jsonrpc: '2.0',
      id: 'a',
      error: { code: -32001, message: expect.stringMatching(/^Refused: .*\[redacted\]/) },
    });
    expect(frame.toLowerCase()).not.toContain(echo.toLowerCase());
  });

  it.each([
    ['its message', (echo: string) => `"code":-32001,"message":"Refused: ${echo}"`],
    ['its data', (echo: string) => `"code":-32001,"message":"Refused","data":{"authorization":"${echo}"}`],
  ])('is an error without the token that it repeats with JSON escapes in %s', (_where, members) => {
    const escaped = TOKEN.replace(/./g, (letter) => `\\u00${Buffer.from(letter).toString('hex')}`);
    for (const echo of [escaped, TOKEN.slice(0, 8) + escaped.slice(8 * 6)]) {
      const [frame = ''] = asking(call(1)).after(`{"jsonrpc":"2.0","id":1,"error":{${members(echo)}}}`);
      expect(JSON.parse(frame).error).toEqual({ code: -32001, message: expect.stringMatching(/^Refused/) });
      expect(JSON.stringify(JSON.parse(frame))).not.toContain(TOKEN);
    }
  });

  it('is a short error with its message if it is too long to search', () => {
    const error = { code: -32001, message: `No. ${'x '.repeat(100_000)}`, data: 1 };
    const [frame = ''] = asking(call(1)).after(JSON.stringify({ jsonrpc: '2.0', id: 1, error }));
    expect(JSON.parse(frame).error).toEqual({ code: -32001, message: expect.stringMatching(/^No\. x x/) });
    expect(frame.length).toBeLessThan(1_000);
  });

  it('is a tool error without the token that it repeats, with every other byte unchanged', () => {
    const text = (echo: string) =>
      `{"jsonrpc":"2.0","id":1,"result":{ "isError":true,"content":[{"type":"text","text":"401 for Bearer ${echo}, 1.0"}]}}`;
    expect(asking(call(1)).after(text(TOKEN))).toEqual([text('[redacted]')]);
    expect(asking(call(1)).after(text('other'))).toEqual([text('other')]);
  });

  it('is a tool error without a token of any length from eight on, in either case of hexadecimal', () => {
    const text = (echo: string) => `{"jsonrpc":"2.0","id":1,"result":{"isError":true,"x":"${echo}"}}`;
    const readOf = (token: SentSecrets[number], echo: string) => askingWith([token], call(1)).after(text(echo));
    expect(readOf('seven77', 'seven77')).toEqual([text('seven77')]);
    expect(readOf(undefined, 'undefined')).toEqual([text('undefined')]);
    for (const token of ['eight888', new Secret('eight888')])
      expect(readOf(token, 'eight888')).toEqual([text('[redacted]')]);
    const [long, short] = ['sixteen-letters!', 'fifteen-letters'];
    for (const encoding of ['hex', 'base64'] as const) {
      const encoded = (token: string) => Buffer.from(token).toString(encoding);
      expect(readOf(short, encoded(short))).toEqual([text(encoded(short))]);
      expect(readOf(long, encoded(long))).not.toEqual([text(encoded(long))]);
    }
    const upper = Buffer.from(long).toString('hex').toUpperCase();
    expect(readOf(long, upper)).toEqual([text('0'.repeat(32))]);
  });

  it('is an error that names the addresses to open, for a client that cannot open them', () => {
    const elicitations = [{ url: 'https://a.example/1' }, { url: 'https://b.example/2' }];
    const told = (error: object, opensAddresses = false) => {
      const [frame = ''] = askingAs({ sent: [], opensAddresses }, [call(1)]).after(
        JSON.stringify({ jsonrpc: '2.0', id: 1, error }),
      );
      return JSON.parse(frame).error;
    };
    const error = { code: -32042, message: 'Sign in', data: { elicitations, more: 1 } };
    const words = 'Sign in. Open https://a.example/1 and https://b.example/2 in a browser, then try again.';
    expect(told(error)).toEqual({ ...error, message: words });
    expect(told({ ...error, message: 'See https://a.example/1' }).message).toBe(
      'See https://a.example/1. Open https://b.example/2 in a browser, then try again.',
    );
    const same = [
      told(error, true),
      told({ ...error, data: {} }),
      told({ ...error, code: -32000 }),
      told({ ...error, message: words }),
    ].map(({ message }) => message);
    expect(same).toEqual(['Sign in', 'Sign in', 'Sign in', words]);
  });

  it('is a notification or a request of the server without the token that it repeats', () => {
    const note = (echo: string) =>
      `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"${echo}"}}`;
    const one = asking(call(1));
    expect(one.after(note(TOKEN))).toEqual([note('[redacted]')]);
    expect(one.afterOwn(note(TOKEN))).toEqual([note('[redacted]')]);
    expect(askingWith([new Secret('data')], call(1)).after(note('data'))).toEqual([note('data')]);
  });

  it.each([
    ['PHP', (text: string) => text.replaceAll('/', '\\/')],
    ['.NET', (text: string) => text.replaceAll('+', '\\u002B')],
  ])('is a tool error without the token in base64 as %s writes it', (_what, written) => {
    const token = 'k3?J9>sQ?2v>Xz?7L>mN';
    const base64 = Buffer.from(token).toString('base64');
    expect(base64).toMatch(/\+.*\/|\/.*\+/);
    const text = `{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":"${written(base64)}"}}`;
    const [frame = ''] = askingWith([new Secret(token)], call(1)).after(text);
    expect(Buffer.from(JSON.parse(frame).result.content, 'base64').toString()).not.toContain(token.slice(0, 8));
  });

  it('is an error in our words if the frame that repeats the token has no code and no message', () => {
    const one = asking(call(1));
    const [frame = ''] = one.after(JSON.stringify({ id: 1, error: { data: TOKEN } }));
    expect(JSON.parse(frame).error).toEqual({ code: -32603, message: 'The server gave no reason.' });
  });

  it.each<[string, SentSecrets, string]>([
    ['of an unknown type', [new Secret('open sesame')], 'open sesame'],
    ['that was sent instead of others, or of none', [undefined, '', new Secret('cab'), 'open sesame'], 'open sesame'],
    ['of base64 without its padding', [new Secret('open sesame, once')], 'b3BlbiBzZXNhbWUsIG9uY2U'],
    [
      'of base64 without its padding of two',
      [new Secret('open sesames'), new Secret('open sesame now!')],
      'b3BlbiBzZXNhbWUgbm93IQ',
    ],
  ])('is an error without a token %s', (_how, sent, echo) => {
    const error = { code: -32001, message: `Refused: ${echo}`, data: echo };
    const [frame = ''] = askingWith(sent, call(1)).after(JSON.stringify({ jsonrpc: '2.0', id: 1, error }));
    expect(JSON.parse(frame)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32001, message: expect.stringMatching(/^Refused: \[redacted\]\w{0,2}$/) },
    });
  });

  it('is an error without the token if the server sent a string as the error', () => {
    const [frame = ''] = asking(call(1)).after(JSON.stringify({ jsonrpc: '2.0', id: 1, error: `No: ${TOKEN}` }));
    expect(JSON.parse(frame).error).toEqual({ code: -32603, message: 'No: [redacted]' });
  });

  it.each([[[]], [[undefined, '']]])('is an error unchanged if no token was sent: %j', (sent) => {
    const text = '{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no","data":1.0}}';
    expect(askingWith(sent, call(1)).after(text)).toEqual([text]);
  });

  it.each([
    ['an error without a token', `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no","data":{"a":1}}}`],
    ['a result that holds the token, which the client asked for', `{"jsonrpc":"2.0","id":1,"result":"${TOKEN}"}`],
    ['an error whose members are in another order', `{"error":{"message":"no","code":1}, "id":1, "jsonrpc":"2.0"}`],
  ])('is unchanged for %s', (_what, text) => {
    expect(asking(call(1)).after(text)).toEqual([text]);
  });

  it.each<[what: string, text: string, outcome: string]>([
    ['without a version', '{"id":1,"result":{"x":1.0}}', '"result":{"x":1.0}'],
    ['of another version', '{"jsonrpc":"1.0","id":1,"result":{}}', '"result":{}'],
    ['with a result and no error', '{"jsonrpc":"2.0","id":1,"error":null,"result":1e2}', '"result":1e2'],
    [
      'with a result and an error',
      '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":7,"message":"no","data":1.0}}',
      '"error":{"code":7,"message":"no","data":1.0}',
    ],
    ['with a result and an invalid error', '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":7}}', '"result":{}'],
    [
      'with a result that holds the token and an invalid error',
      `{"jsonrpc":"2.0","id":1,"result":"${TOKEN}","error":{"code":7}}`,
      `"result":"${TOKEN}"`,
    ],
    [
      'with a string as the error',
      '{"jsonrpc":"2.0","id":1,"error":"it is late"}',
      '"error":{"code":-32603,"message":"it is late"}',
    ],
    [
      'with an error without a code',
      '{"jsonrpc":"2.0","id":1,"error":{"message":"no"}}',
      '"error":{"code":-32603,"message":"no"}',
    ],
    [
      'with an error whose code is not an integer',
      '{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"no"}}',
      '"error":{"code":-32603,"message":"no"}',
    ],
    [
      'with an error without a message',
      '{"jsonrpc":"2.0","id":1,"error":{"code":7,"message":null}}',
      '"error":{"code":7,"message":"The server gave no reason."}',
    ],
    [
      'with an error that is null',
      '{"jsonrpc":"2.0","id":1,"error":null}',
      '"error":{"code":-32603,"message":"The server gave no reason."}',
    ],
    [
      'with an empty error',
      '{"jsonrpc":"2.0","id":1,"error":""}',
      '"error":{"code":-32603,"message":"The server gave no reason."}',
    ],
  ])('is reduced to what clients read: %s', (_what, text, outcome) => {
    expect(asking(call(1)).after(text)).toEqual([`{"jsonrpc":"2.0","id":1,${outcome}}`]);
    expect(asking(call('"a"')).after(text.replace('"id":1', '"id":"a"'))).toEqual([
      `{"jsonrpc":"2.0","id":"a",${outcome}}`,
    ]);
  });

  it.each(['"result":{}', '"error":null'])('is not a request or a notification with %s', (outcome) => {
    const one = asking(call(1));
    expect(one.after(`{"jsonrpc":"2.0","id":1,"method":"ping",${outcome}}`)).toEqual([]);
    expect(one.afterOwn(`{"jsonrpc":"2.0","method":"notifications/message",${outcome}}`)).toEqual([]);
    expect(one.asked).toEqual([]);
    expect(one.after(result(1))).toEqual([result(1)]);
  });
});
