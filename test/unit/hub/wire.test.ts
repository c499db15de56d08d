import { describe, expect, it } from 'vitest';
import {
  firstLine,
  freshNonce,
  HUB_PROTOCOL,
  isNonce,
  isProof,
  MAX_ANSWER_BYTES,
  MAX_LINE_BYTES,
  proofOf,
} from '../../../main/hub/wire.ts';
import { readCalls } from '../../../main/hub/wire-schemas.ts';

const TRANSCRIPT = {
  address: '/run/user/1000/causeway/hub.sock',
  proxyNonce: 'p'.repeat(43),
  hubNonce: 'h'.repeat(43),
};
const SECRET = 'a secret that both ends have read from a file of the user';

describe('a nonce', () => {
  it('a nonce is different each time', () => {
    const nonces = Array.from({ length: 100 }, freshNonce);
    expect(new Set(nonces).size).toBe(100);
    expect(nonces.every(isNonce)).toBe(true);
    expect(nonces.every((nonce) => Buffer.from(nonce, 'base64url').length === 32)).toBe(true);
  });

  it('a nonce is different each time if the system has no file of random bytes', () => {
    const own = Object.getOwnPropertyDescriptor(process, 'platform');
    Object.defineProperty(process, 'platform', { value: 'win32' });
    try {
      const nonces = Array.from({ length: 100 }, freshNonce);
      expect(new Set(nonces).size).toBe(100);
      expect(nonces.every((nonce) => Buffer.from(nonce, 'base64url').length === 32)).toBe(true);
    } finally {
      if (own) Object.defineProperty(process, 'platform', own);
    }
  });

  it.each<[string, unknown]>([
    ['one character too few', 'a'.repeat(42)],
    ['one character too many', 'a'.repeat(44)],
    ['a line break after it', `${'a'.repeat(43)}\n`],
    ['a base64 character that base64url does not have', `${'a'.repeat(42)}+`],
    ['a line break in it', `${'a'.repeat(21)}\n${'a'.repeat(21)}`],
    ['a list', ['a'.repeat(43)]],
    ['nothing', undefined],
  ])('does not have %s', (_what, text) => {
    expect(isNonce(text)).toBe(false);
  });
});

describe('a proof that its sender holds the secret', () => {
  const proof = proofOf('hub', SECRET, TRANSCRIPT);

  it('both ends compute the same proof', () => {
    expect(isProof(proof, proofOf('hub', SECRET, { ...TRANSCRIPT }))).toBe(true);
  });

  // Calculated with Python's hmac module: the other end may be an older or a newer version.
  it('a proof is the HMAC of the protocol, the side, both nonces and the address', () => {
    expect(proofOf('hub', 'key', { address: '/a', proxyNonce: 'p', hubNonce: 'h' })).toBe(
      'KpbgypoRjWMVVIpr_whvS8GMK8ddr64MkSQWFRhVwSs',
    );
    expect(proofOf('proxy', 'key', { address: '/a', proxyNonce: 'p', hubNonce: 'h' })).toBe(
      'NDCnAG6VGC5BCp_Y0PLehO1RexyWQ5JN6NzuTMHfNEg',
    );
  });

  it.each([
    ['with another secret', proofOf('hub', `${SECRET}.`, TRANSCRIPT)],
    ["as the other side's", proofOf('proxy', SECRET, TRANSCRIPT)],
    ['from another address', proofOf('hub', SECRET, { ...TRANSCRIPT, address: '/tmp/other.sock' })],
    ['from another conversation of the proxy', proofOf('hub', SECRET, { ...TRANSCRIPT, proxyNonce: 'q'.repeat(43) })],
    ['from another conversation of the hub', proofOf('hub', SECRET, { ...TRANSCRIPT, hubNonce: 'i'.repeat(43) })],
    [
      'with the nonces swapped',
      proofOf('hub', SECRET, {
        ...TRANSCRIPT,
        proxyNonce: TRANSCRIPT.hubNonce,
        hubNonce: TRANSCRIPT.proxyNonce,
      }),
    ],
    ['cut off', proof.slice(0, -1)],
    ['with extra characters after it', `${proof}A`],
    ['with the same number of characters but more bytes', `${proof.slice(0, -1)}é`],
    ['empty', ''],
    ['as a list', [proof]],
    ['missing', undefined],
    ['null', null],
  ])('is not accepted %s', (_what, given) => {
    expect(isProof(given, proof)).toBe(false);
  });
});

describe('the first line of the received data', () => {
  it.each([
    ['{"a":1}\n', '{"a":1}', ''],
    ['{"name":"ä"}\n{"b":2}\n', '{"name":"ä"}', '{"b":2}\n'],
    ['\n', '', ''],
    ['\nx', '', 'x'],
  ])('of %j is %j', (received, line, rest) => {
    const found = firstLine(Buffer.from(received));
    expect(found && { line: found.line, rest: String(found.rest) }).toEqual({ line, rest });
  });

  it.each(['', '{"a":1}', 'x\r'])('is not complete yet in %j', (received) => {
    expect(firstLine(Buffer.from(received))).toBeUndefined();
  });

  it('has room for a long path, and its answer for many sessions', () => {
    expect([MAX_LINE_BYTES, MAX_ANSWER_BYTES]).toEqual([16_384, 8_388_608]);
  });
});

describe('a call on one line', () => {
  const call = {
    at: '2026-11-03T16:41:00.000Z',
    client: null,
    profile: null,
    path: '/api/2.0/mcp/sql',
    method: 'tools/call',
    tool: null,
    outcome: 'error',
    errorCode: -32003,
    durationMs: 1,
  };

  it.each([
    ['policy', 'policy'],
    [null, null],
    // Of a version that knew no refusals, or knows more of them.
    [undefined, null],
    ['moon phase', null],
  ])('that was refused by %s is read as refused by %s', (refusal, read) => {
    const line = JSON.stringify({ hub: HUB_PROTOCOL, calls: [{ ...call, refusal }] });
    expect(readCalls(line)?.calls).toEqual([
      {
        ...call,
        refusal: read,
        statement: null,
        isPoll: false,
      },
    ]);
  });
});
