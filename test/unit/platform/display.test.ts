import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayText, withoutControls } from '../../../main/platform/display.ts';

describe('displayText makes a foreign name harmless', () => {
  it.each([
    ['an escape sequence', 'a\u001b[2Jb', 'a\ufffd[2Jb'],
    ['a C1 control', 'a\u009b31mb', 'a\ufffd31mb'],
    ['a bell and a backspace', 'a\u0007\u0008b', 'a\ufffd\ufffdb'],
    ['NUL and DEL', '\u0000a\u007f', '\ufffda\ufffd'],
    ['a line feed', 'a\nb', 'a b'],
    ['CR LF', 'a\r\nb', 'a b'],
    ['the next-line control', 'a\u0085b', 'a b'],
    ['line and paragraph separators', 'a\u2028b\u2029c', 'a b c'],
    ['a tab', 'a\tb', 'a b'],
    ['a right-to-left override', 'exe\u202egpj', 'exe\ufffdgpj'],
    ['bidi embeddings', '\u202aa\u202bb\u202cc\u202dd', '\ufffda\ufffdb\ufffdc\ufffdd'],
    ['bidi isolates', '\u2066a\u2067b\u2068c\u2069', '\ufffda\ufffdb\ufffdc\ufffd'],
    ['direction marks', 'a\u200eb\u200fc\u061cd', 'a\ufffdb\ufffdc\ufffdd'],
    ['zero-width characters', 'pro\u200bd\u200c\u200d\u2060\ufeff', 'pro\ufffdd\ufffd\ufffd\ufffd\ufffd'],
    ['a soft hyphen', 'pro\u00add', 'pro\ufffdd'],
    ['tags that hide text', 'a\u{e0041}\u{e0042}', 'a\ufffd\ufffd'],
    ['variation selectors that hide bytes', 'a\ufe00\u{e0101}', 'a\ufffd\ufffd'],
    ['Hangul fillers', 'a\u3164\u115f', 'a\ufffd\ufffd'],
    ['lone surrogates', 'a\ud800b\udc00', 'a\ufffdb\ufffd'],
    ['endless white space', `a${' '.repeat(50)}\u00a0b`, 'a b'],
    ['marks that overlap adjacent lines', `a${'\u0301'.repeat(50)}b`, `a${'\u0301'.repeat(4)}b`],
  ])('%s', (_what, name, shown) => {
    expect(displayText(name)).toBe(shown);
  });

  it.each([
    'Shared analytics',
    'R&D <b>EU</b>',
    'Größe, Ñandú, 東京, Київ',
    'עברית',
    'العربية',
    '👩‍👩‍👧‍👦 family ❤️',
    '👍🏽',
    'नमस्‍ते',
    'می‌خواهم',
    "O'Brien & co_workers (50 %)",
  ])('leaves %s unchanged', (name) => {
    expect(displayText(name)).toBe(name);
  });

  it('cuts a long name between characters', () => {
    const name = displayText('😀'.repeat(1000), { maxLength: 10 });
    expect(name).toBe(`${'😀'.repeat(9)}…`);
    expect([...displayText('x'.repeat(1_000_000))]).toHaveLength(200);
  });

  it.each([
    ['as long as the limit', 'abcdefghij', 'abcdefghij'],
    ['a character longer', 'abcdefghijk', 'abcdefghi…'],
    ['with a space at the cut', 'abcdefgh ijklm', 'abcdefgh…'],
    ['with spaces around it', '  abc ', 'abc'],
    ['that begins with more spaces than are read', `${' '.repeat(41)}abc`, '…'],
  ])('shows a name %s within the limit', (_what, name, shown) => {
    expect(displayText(name, { maxLength: 10 })).toBe(shown);
  });

  it.each([
    ['a few spaces', `a${' '.repeat(8)}b c`, `a${' '.repeat(8)}b c`],
    ['many spaces', `a${' '.repeat(9)}b\n${'\t'.repeat(30)}c`, 'a b\n c'],
    ['spaces around them', '  a\nb  ', 'a\nb'],
  ])('keeps %s in lines, as far as it is visible', (_what, text, shown) => {
    expect(displayText(text, { lines: true })).toBe(shown);
  });

  it('leaves preformatted text as it is, except for what must not be shown', () => {
    expect(withoutControls('  a   b\u001b[2J\n')).toBe('  a   b\ufffd[2J\ufffd');
    expect(withoutControls('  a\n\u202eb', true)).toBe('  a\n\ufffdb');
  });

  it('keeps line breaks if lines are requested, and nothing else', () => {
    expect(displayText('one\r\ntwo\u2028three\u001b[A', { lines: true })).toBe('one\ntwo\nthree\ufffd[A');
  });

  it('returns one line without anything invisible, idempotently, for any text', () => {
    const any = fc.string({
      unit: fc.oneof(
        fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
        fc.constantFrom('\u001b', '\u202e', '\n', '\u200d', '\ufe0f', '👩', 'ا'),
      ),
    });
    fc.assert(
      fc.property(any, (text) => {
        const shown = displayText(text);
        expect(shown).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f]/u);
        expect(displayText(shown)).toBe(shown);
        expect([...shown].length).toBeLessThanOrEqual(200);
      }),
      { numRuns: 2000 },
    );
  });
});
