import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foreignCause, foreignText } from '../../../main/platform/foreign-text.ts';
import { Secret } from '../../../main/platform/secret.ts';

const PAT = 'dapi0123456789abcdef0123456789abcdef-2';
const CODE = 'aZ9-kQ_x.7Lm~w/3+Rt=';
const WORDS = 'correct horse battery staple';

const percent = (text: string) => text.replace(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
const entities = (text: string) => text.replace(/./g, (letter) => `&#${letter.charCodeAt(0)};`);
const unicode = (text: string) =>
  text.replace(/./g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** How an echo may spell what was sent. */
const SPELLINGS: [how: string, spell: (secret: string) => string][] = [
  ['as it is', (secret) => secret],
  ['in a header', (secret) => `authorization: Bearer ${secret}`],
  ['after a lower-case scheme', (secret) => `bearer ${secret}`],
  ['after an upper-case scheme', (secret) => `BEARER ${secret.toUpperCase()}`],
  ['in JSON within JSON', (secret) => JSON.stringify(JSON.stringify({ headers: { auth: `Bearer ${secret}` } }))],
  ['percent-encoded as a form does', (secret) => String(new URLSearchParams({ x: secret }))],
  ['percent-encoded letter by letter', percent],
  ['percent-encoded twice', (secret) => encodeURIComponent(percent(secret))],
  ['in HTML entities', entities],
  ['in JSON escapes', unicode],
  ['with tags in between', (secret) => [...secret].map((letter) => `<b class="x">${letter}</b>`).join('')],
  ['with a tag in the middle', (secret) => `${secret.slice(0, 9)}<wbr/>${secret.slice(9)}`],
  ['with line ends in between', (secret) => `${secret.slice(0, 11)}\r\n  ${secret.slice(11)}`],
  ['with zero-width characters in between', (secret) => [...secret].join('\u200b')],
  ['with spaces in between', (secret) => [...secret].join(' ')],
  ['in base64', base64],
  ['in base64 behind another text', (secret) => base64(`Bearer ${secret}`)],
  ['in base64 as a part of basic credentials', (secret) => base64(`my-client:${secret}`)],
  ['in URL-safe base64', (secret) => Buffer.from(`x${secret}`).toString('base64url')],
  ['in hexadecimal', (secret) => Buffer.from(secret).toString('hex')],
  ['without its end', (secret) => secret.slice(0, -3)],
  ['without its beginning', (secret) => secret.slice(3)],
  ['in an address', (secret) => `https://w.example/callback?code=${encodeURIComponent(secret)}&state=1#x`],
  ['in an attribute of a tag', (secret) => `<a title="${percent(secret)}">here</a>`],
  ['in what looks like a tag', (secret) => `<A ${secret} >`],
  ['in the path of an address', (secret) => `https://w.example/${encodeURIComponent(secret)}/x`],
];

/** Whether so much of a secret's letters and digits are left that it can be told. */
function tells(text: string, secret: string): boolean {
  const bare = (value: string) => value.replace(/[^a-z\d]/gi, '').toLowerCase();
  const left = bare(text);
  return Array.from({ length: bare(secret).length - 7 }, (_, at) => bare(secret).slice(at, at + 8)).some((part) =>
    left.includes(part),
  );
}

describe.each([
  ['a personal access token', PAT],
  ['an authorization code', CODE],
  ['a client secret made of words', WORDS],
])('foreignText redacts %s that was sent', (_what, secret) => {
  it.each(SPELLINGS)('%s', (_how, spell) => {
    const text = foreignText(`It said ${spell(secret)} and no more.`, { sent: [new Secret(secret)] });
    expect(text).toContain('[redacted]');
    expect(tells(text, secret)).toBe(false);
    expect(tells(decodeURIComponent(text.replace(/%(?![\da-f]{2})/gi, '')), secret)).toBe(false);
    expect(text).toMatch(/^It said /);
  });
});

describe('foreignText', () => {
  it('redacts a token of a known form that was not sent by us', () => {
    for (const spell of [
      percent,
      entities,
      unicode,
      (token: string) => `${token.slice(0, 12)}<br>${token.slice(12)}`,
    ]) {
      expect(tells(foreignText(`upstream said ${spell(PAT)}.`), PAT)).toBe(false);
    }
  });

  it('redacts the beginning of a secret at the cut', () => {
    for (let length = 8; length < PAT.length; length += 1) {
      expect(tells(foreignText(`x Bearer ${PAT.slice(0, length)}`, { sent: [PAT] }), PAT)).toBe(false);
    }
  });

  it('does not show a secret at the cut', () => {
    for (let before = 560; before < 620; before += 1) {
      expect(tells(foreignText(`${'x '.repeat(before / 2)}${PAT}`, { sent: [PAT] }), PAT)).toBe(false);
    }
  });

  it('keeps what explains a failure', () => {
    for (const text of [
      'User does not have USE CATALOG on Catalog "main".',
      'The bearer token has expired, basic authentication is required.',
      'TABLE_OR_VIEW_NOT_FOUND main.sales.customer_orders_by_region_and_week_2024_v2',
      'Provided OAuth token does not have required scopes: sql',
      'Source IP address: 10.20.30.40 is blocked by Databricks IP ACL for workspace: 7405605519549535',
      'Warehouse 4b9b953939869799 is STOPPED; request 6c1f2b0e-8a3d-4f5e-9b7a-d41d8cd98f00',
      'a < b & c > d, 100 % of R&D',
    ]) {
      expect(foreignText(text, { sent: [PAT, CODE] })).toBe(text);
    }
  });

  it('returns one short line that does not move the cursor', () => {
    const text = foreignText(`\u001b[2J\u009b1A${'x'.repeat(100_000)}\n\u202e`);
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(text.length).toBeLessThanOrEqual(600);
  });

  it('contains no part of what was sent, for any text around it', () => {
    const spellings = fc.constantFrom(...SPELLINGS.map(([, spell]) => spell));
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        spellings,
        fc.stringMatching(/^[\w.~+/=-]{12,80}$/),
        (before, after, spell, secret) => {
          const text = foreignText(`${before} ${spell(secret)} ${after}`, { sent: [secret] });
          return !text.includes(secret);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('redacts a secret of few letters and digits in what looks like a tag', () => {
    expect(foreignText('<A aa+/+/+-..-- >', { sent: ['aa+/+/+-..--'] })).toBe('<A [redacted] >');
  });

  it('is fast even for a text that is designed to be slow', () => {
    const slow = [
      '<!--',
      '<a ',
      '&#',
      '%2',
      '\\u',
      'Bearer ',
      'eyJaaaa.',
      'token=',
      '\u0301',
      '-----BEGIN PRIVATE KEY-----',
    ];
    for (const part of slow) expect(foreignText(part.repeat(100_000), { sent: [PAT] }).length).toBeLessThanOrEqual(600);
  });
});

describe('foreignCause', () => {
  const sent = [new Secret(PAT)];

  it('keeps names, codes and locations, and drops everything else that an error holds', () => {
    const inner = Object.assign(new Error(`connect to ${PAT}`), {
      code: 'ECONNREFUSED',
      syscall: 'connect',
      port: 443,
    });
    const error = Object.assign(new TypeError(`read Bearer ${PAT}`, { cause: inner }), {
      data: `HTTP/1.1 200 OK\r\nx: Bearer ${PAT}`,
      body: { access_token: PAT },
    });
    const shown = inspect(foreignCause(error, sent), { depth: 9 });
    expect(shown).not.toContain('dapi');
    expect(shown).toMatch(/TypeError.*read Bearer \[redacted\]/);
    expect(shown).toContain("code: 'ECONNREFUSED'");
    expect(shown).toContain('foreign-text.test.ts');
  });

  it('does not quote what a JSON parser could not read', () => {
    try {
      JSON.parse(`Bearer ${PAT}`);
    } catch (error) {
      expect(inspect(foreignCause(error))).not.toContain('Bearer');
    }
  });

  it('drops a multi-line message from the stack', () => {
    const error = new Error(`one\n    at ${PAT}\n    at two`);
    expect(inspect(foreignCause(error, sent))).not.toContain('dapi');
  });

  it('ends if causes are circular', () => {
    const error = new Error('round');
    error.cause = error;
    expect(foreignCause(error)?.message).toBe('round');
  });
});
