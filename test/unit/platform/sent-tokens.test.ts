import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../main/platform/secret.ts';
import { withoutTokens } from '../../../main/platform/sent-tokens.ts';

const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbmEifQ.c2lnbmF0dXJl-_x';
const secret = new Secret(TOKEN);

describe('the response of an app', () => {
  it('loses the token anywhere in binary contents, which can still be decoded', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 40 }),
        fc.uint8Array({ maxLength: 40 }),
        fc.constantFrom('base64', 'base64url', 'hex'),
        (before, after, encoding) => {
          const contents = Buffer.concat([before, Buffer.from(TOKEN), after]);
          const frame = JSON.stringify({ result: { contents: [{ blob: contents.toString(encoding) }] } });
          const left = JSON.parse(String(withoutTokens(Buffer.from(frame), [secret])));
          const decoded = Buffer.from(left.result.contents[0].blob, encoding);
          expect(decoded.length).toBe(contents.length);
          expect(decoded.subarray(0, before.length)).toEqual(contents.subarray(0, before.length));
          expect(decoded.subarray(before.length + TOKEN.length)).toEqual(
            contents.subarray(before.length + TOKEN.length),
          );
          expect(decoded.toString('latin1')).not.toContain(TOKEN.slice(3, -3).slice(0, 8));
        },
      ),
    );
  });

  it('stays the same buffer if it holds no token', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const frame = Buffer.from(JSON.stringify({ result: text }));
        expect(withoutTokens(frame, [secret])).toBe(frame);
      }),
    );
  });

  it('keeps its other bytes if it holds one', () => {
    const frame = Buffer.from(JSON.stringify({ result: `é ${TOKEN} 日本 ${TOKEN}` }));
    expect(String(withoutTokens(frame, [secret]))).toBe('{"result":"é [redacted] 日本 [redacted]"}');
  });
});
