import { describe, expect, it } from 'vitest';
import type { SentSecrets } from '../../../main/platform/foreign-text.ts';
import { Secret } from '../../../main/platform/secret.ts';
import { asking, askingWith, call, HEAD, result, TOKEN } from './answers-under-test.ts';

describe('a response that may not be read as it is', () => {
  it('is an error of ours where it wants an address opened that is not of the web', () => {
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

  it('is an error in our words where what repeats the token has no code and no message', () => {
    const one = asking(call(1));
    const [frame = ''] = one.after(JSON.stringify({ id: 1, error: { data: TOKEN } }));
    expect(JSON.parse(frame).error).toEqual({ code: -32603, message: 'The server gave no reason.' });
  });

  it.each<[string, SentSecrets, string]>([
    ['of no known kind', [new Secret('open sesame')], 'open sesame'],
    ['that was sent in place of others, or of none', [undefined, '', new Secret('cab'), 'open sesame'], 'open sesame'],
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

  it('is an error without the token where the server sent a text for an error', () => {
    const [frame = ''] = asking(call(1)).after(JSON.stringify({ jsonrpc: '2.0', id: 1, error: `No: ${TOKEN}` }));
    expect(JSON.parse(frame).error).toEqual({ code: -32603, message: 'No: [redacted]' });
  });

  it.each([[[]], [[undefined, '']]])('is an error as it is where no token was sent: %j', (sent) => {
    const text = '{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no","data":1.0}}';
    expect(askingWith(sent, call(1)).after(text)).toEqual([text]);
  });

  it.each([
    ['an error without a token', `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no","data":{"a":1}}}`],
    ['a result that holds the token, which the client asked for', `{"jsonrpc":"2.0","id":1,"result":"${TOKEN}"}`],
    ['an error whose members stand in another order', `{"error":{"message":"no","code":1}, "id":1, "jsonrpc":"2.0"}`],
  ])('is not %s', (_what, text) => {
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
    ['with a result and what is no error', '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":7}}', '"result":{}'],
    [
      'with a result that holds the token and what is no error',
      `{"jsonrpc":"2.0","id":1,"result":"${TOKEN}","error":{"code":7}}`,
      `"result":"${TOKEN}"`,
    ],
    [
      'with a text for an error',
      '{"jsonrpc":"2.0","id":1,"error":"it is late"}',
      '"error":{"code":-32603,"message":"it is late"}',
    ],
    [
      'with an error without a code',
      '{"jsonrpc":"2.0","id":1,"error":{"message":"no"}}',
      '"error":{"code":-32603,"message":"no"}',
    ],
    [
      'with an error whose code is no whole number',
      '{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"no"}}',
      '"error":{"code":-32603,"message":"no"}',
    ],
    [
      'with an error without a message',
      '{"jsonrpc":"2.0","id":1,"error":{"code":7,"message":null}}',
      '"error":{"code":7,"message":"The server gave no reason."}',
    ],
    [
      'with an error that is nothing',
      '{"jsonrpc":"2.0","id":1,"error":null}',
      '"error":{"code":-32603,"message":"The server gave no reason."}',
    ],
    [
      'with an empty error',
      '{"jsonrpc":"2.0","id":1,"error":""}',
      '"error":{"code":-32603,"message":"The server gave no reason."}',
    ],
  ])('is what it says in a response that clients read: %s', (_what, text, outcome) => {
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
