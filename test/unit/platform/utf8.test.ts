import { describe, expect, test } from 'vitest';
import { findNotUtf8, isUtf16, utf8Text } from '../../../main/platform/utf8.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const places = (bytes: Buffer) => [...findNotUtf8(bytes)].map(({ line, column, what }) => `${line}:${column} ${what}`);

describe('bytes that are not UTF-8', () => {
  test.each<[string, Buffer, string[]]>([
    ['nothing', Buffer.alloc(0), []],
    ['UTF-8', Buffer.from('\uFEFFgr\u00f6\u00dfe \u{1F600}'), []],
    ['Latin-1', latin1('a\n\u00fc'), ['2:1 the byte 0xFC is not UTF-8']],
    [
      'several lines of it',
      latin1('\u00e4\nok\nx\u00f6'),
      ['1:1 the byte 0xE4 is not UTF-8', '3:2 the byte 0xF6 is not UTF-8'],
    ],
    [
      'it after two-byte characters',
      Buffer.concat([Buffer.from('\u00e4\u00f6'), latin1('\u00fc')]),
      ['1:3 the byte 0xFC is not UTF-8'],
    ],
    [
      'it after a replacement character',
      Buffer.concat([Buffer.from('a\uFFFD'), latin1('\u00fc')]),
      ['1:3 the byte 0xFC is not UTF-8'],
    ],
    [
      'a replacement character that is cut off',
      Buffer.from('\uFFFD\uFFFD').subarray(0, 5),
      ['1:2 the byte 0xEF is not UTF-8'],
    ],
    ['replacement characters alone', Buffer.from('\uFFFD\n\uFFFD'), []],
    ['a character that is cut off', Buffer.from([0x61, 0xe2, 0x82]), ['1:2 the byte 0xE2 is not UTF-8']],
    ['UTF-16', Buffer.from('\uFEFFa\nb', 'utf16le'), ['1:1 the file is UTF-16, not UTF-8']],
    [
      'UTF-16 of the other byte order',
      Buffer.from('\uFEFFa', 'utf16le').swap16(),
      ['1:1 the file is UTF-16, not UTF-8'],
    ],
  ])('are found in %s', (_name, bytes, found) => {
    expect(places(bytes)).toEqual(found);
  });

  test('refuse a file with their first position', () => {
    expect(() => utf8Text('/x/list.csv', latin1('a\nb\u00fc\n\u00e4'))).toThrow(
      expect.objectContaining({
        code: 'invalid_file',
        message: '/x/list.csv, line 2, column 2: the byte 0xFC is not UTF-8.',
        remedy: 'Nothing was changed. Save the file as UTF-8, then try again.',
      }),
    );
  });
});

test('a file in UTF-8 is its text, with its byte order mark', () => {
  expect(utf8Text('/x', Buffer.from('\uFEFFgr\u00f6\u00dfe\n'))).toBe('\uFEFFgr\u00f6\u00dfe\n');
});

test('UTF-16 is recognized by its byte order mark only', () => {
  expect([Buffer.from('fffe', 'hex'), Buffer.from('feff00', 'hex'), Buffer.from('efbbbf', 'hex')].map(isUtf16)).toEqual(
    [true, true, false],
  );
});
