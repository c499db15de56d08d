import { describe, expect, it } from 'vitest';
import { clearedJson, clearedText } from '../../../main/platform/outside-text.ts';
import { Secret } from '../../../main/platform/secret.ts';

const KNOWN = 'dapi0123456789abcdef0123456789abcdef';
const SENT = 'corp.Zx9-token-of-another-kind';
const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl';

/** The ways in which a server writes a token without meaning to hide it. */
const SPELLINGS: [name: string, spell: (token: string) => string][] = [
  ['as it is', (token) => token],
  ['with a JSON escape for each character', (token) => escaped(token, token.length)],
  ['with a JSON escape for its first character', (token) => escaped(token, 1)],
  ['percent-encoded', (token) => Array.from(token, (each) => `%${each.charCodeAt(0).toString(16)}`).join('')],
  ['in base64', (token) => Buffer.from(token).toString('base64')],
  ['in base64 behind other text', (token) => Buffer.from(`Bearer ${token}`).toString('base64')],
  ['as HTML entities', (token) => Array.from(token, (each) => `&#${each.charCodeAt(0)};`).join('')],
  ['in JSON in a text', (token) => JSON.stringify(JSON.stringify({ said: token })).slice(1, -1)],
];

function escaped(token: string, count: number): string {
  const first = Array.from(token.slice(0, count), (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return first.join('') + token.slice(count);
}

describe('a text from outside', () => {
  it.each(SPELLINGS)('loses a known kind of token %s', (_name, spell) => {
    expect(found(clearedText(`The server said ${spell(KNOWN)} and ended.`), KNOWN)).toBe(false);
    expect(found(clearedJson(`{"description":"It was ${spell(KNOWN)} here"}`), KNOWN)).toBe(false);
    expect(found(clearedJson(`{"token":"${spell(KNOWN)}"}`), KNOWN)).toBe(false);
  });

  it.each(SPELLINGS)('loses a token of any kind that was sent, %s', (_name, spell) => {
    const sent = [new Secret(SENT)];
    expect(found(clearedText(`The server said ${spell(SENT)} and ended.`, sent), SENT)).toBe(false);
    expect(found(clearedJson(`{"tools":[{"name":"${spell(SENT)}"}]}`, sent), SENT)).toBe(false);
    expect(found(clearedJson(`{"a":[{"${spell(SENT)}":1}]}`, sent), SENT)).toBe(false);
  });

  it('loses a web token, and the text of a member with a secret name', () => {
    expect(clearedJson(`{"instructions":"${JWT}"}`)).toBe('{"instructions":"[redacted]"}');
    expect(clearedJson('{"password":"hunter2","client_secret" : "x"}')).toBe(
      '{"password":"[redacted]","client_secret" : "[redacted]"}',
    );
  });
});

describe('JSON without a secret', () => {
  it.each([
    ['numbers and white space as they were written', '{ "a" : 1.0, "b":1e400,\t"c": [ 12345678901234567890 ] }'],
    ['escapes as they were written', '{"a":"\\u00e9\\/ caf\\u00e9 with \\n lines & more than 8 %"}'],
    ['the schema of a parameter called token', '{"properties":{"token":{"type":"string"}},"required":["token"]}'],
    ['a frame in a text', JSON.stringify({ 'tools/list': '{"properties":{"token":{"type":"string"}}}' })],
    ['a long name with many digits', '{"name":"main__analytics__lookup_7f3a9c2b4d5e6f70a1b2c3d4"}'],
    ['several lines', '{"tool":"query","ms":12}\n{"tool":"list","ms":3}\n'],
  ])('keeps %s', (_name, json) => {
    expect(clearedJson(json)).toBe(json);
  });

  it('stays valid where a secret was taken out', () => {
    const json = JSON.stringify({ text: JSON.stringify({ token: KNOWN, other: { deep: `x ${KNOWN}` } }), n: 1 });
    const cleared = JSON.parse(clearedJson(json));
    expect(JSON.parse(cleared.text)).toEqual({ token: '[redacted]', other: { deep: 'x [redacted]' } });
  });
});

/** Whether a reader who undoes the usual encodings finds the token, or half of it. */
function found(text: string, token: string): boolean {
  const readings = [text];
  for (let pass = 0; pass < 3; pass += 1) {
    readings.push(
      ...readings.map(undone),
      ...readings.flatMap((each) => each.match(/[\w+/-]{16,}={0,2}/g) ?? []).map(plain),
    );
  }
  const half = token.slice(token.length / 2);
  return readings.some((each) => each.includes(half) || each.includes(token.slice(0, token.length / 2)));
}

const plain = (base64: string) => Buffer.from(base64, 'base64').toString('latin1');

function undone(text: string): string {
  return text
    .replace(/\\u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/%([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}
