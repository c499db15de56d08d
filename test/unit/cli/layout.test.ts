import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { columns, firstWords, flowed, hanging, table, widthOf, wrapped } from '../../../main/cli/layout.ts';

describe('a line in a narrow terminal', () => {
  test('is broken between words, and a longer word stays whole', () => {
    expect(wrapped('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrapped('see https://example.com/a/long/path now', 10)).toEqual([
      'see',
      'https://example.com/a/long/path',
      'now',
    ]);
  });

  test('keeps a command in backticks together, so that it can be copied', () => {
    expect(wrapped('Try it with `causeway servers test x`.', 30)).toEqual([
      'Try it with',
      '`causeway servers test x`.',
    ]);
  });

  test('goes on a little further than it began, or in its column if there is room', () => {
    expect(hanging('  a text that goes on', 12)).toEqual(['  a text', '    that', '    goes on']);
    expect(hanging('name     what it is, in some more words', 35, 9)).toEqual([
      'name     what it is, in some more',
      '         words',
    ]);
  });

  test('has every word once, in order, and is no wider than the terminal except for one word', () => {
    const word = fc.stringMatching(/^[a-zé漢]{1,14}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 30 }), fc.integer({ min: 8, max: 60 }), (words, width) => {
        const lines = wrapped(words.join(' '), width);
        expect(lines.flatMap((line) => line.split(' '))).toEqual(words);
        for (const line of lines.filter((each) => each.includes(' '))) expect(widthOf(line)).toBeLessThanOrEqual(width);
      }),
    );
  });

  test.each([
    ['漢字', 4],
    ['😀 ok', 5],
    ['é', 1],
    ['e\u0301', 1],
    ['\u001b[1mbold\u001b[22m', 4],
  ])('%j takes %i columns', (text, width) => expect(widthOf(text)).toBe(width));
});

test('the beginning of a text ends with a whole word', () => {
  expect(firstWords('Runs a SQL statement.\nMore', 80)).toBe('Runs a SQL statement.');
  expect(firstWords('Runs a statement that only reads', 20)).toBe('Runs a statement…');
  expect(firstWords('unbrokenunbroken', 8)).toBe('unbroke…');
});

describe('a table', () => {
  const HEADS = ['NAME', 'STATE', 'WHY'];
  const ROWS = [
    ['finance', 'running', 'it was started by another user this morning'],
    ['shared', 'stopped', ''],
  ];

  test('stays whole where no terminal shows it', () => {
    expect(table(ROWS, undefined, HEADS)).toEqual(columns([HEADS, ...ROWS]));
  });

  test('is broken within the column that is widest', () => {
    expect(table(ROWS, 44, HEADS)).toEqual([
      'NAME     STATE    WHY',
      'finance  running  it was started by another',
      '                  user this morning',
      'shared   stopped',
    ]);
  });

  test('becomes a list in a terminal that is too narrow, without empty cells', () => {
    expect(table(ROWS, 22, HEADS)).toEqual([
      'finance',
      '  STATE: running',
      '  WHY: it was started',
      '    by another user',
      '    this morning',
      'shared',
      '  STATE: stopped',
    ]);
  });

  test('has marks in front of what they belong to', () => {
    const rows = [['→ ●', 'a warehouse with a name', 'running for a long time']];
    expect(table(rows, 20, ['', 'NAME', 'STATE'])[0]).toBe('→ ● a warehouse with');
  });

  test('loses no word at any width', () => {
    const cell = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { maxLength: 6 }).map((words) => words.join(' '));
    const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 });
    const wordsOf = (lines: readonly string[]) => lines.flatMap((line) => line.match(/[a-z]+/g) ?? []).toSorted();
    fc.assert(
      fc.property(rows, fc.integer({ min: 10, max: 80 }), (some, width) => {
        const lines = table(some, width);
        expect(wordsOf(lines)).toEqual(wordsOf(some.flat()));
        for (const line of lines.filter((each) => each.trim().includes(' '))) {
          expect(line.length).toBeLessThanOrEqual(width);
        }
      }),
    );
  });
});

describe('a page of help', () => {
  const PAGE = `Usage: causeway status [options]

Options:
  -p, --profile <name>  the profile whose warehouse to show
                        (default: as the CLI chooses)
  --json                print JSON

Checks each server the way an AI client
reaches it.

Example:
  $ causeway status --profile work --json`;

  test('uses the width that there is', () =>
    expect(flowed(PAGE, 100)).toContain('<name>  the profile whose warehouse to show (default: as the CLI chooses)\n'));

  test('has its paragraphs, options and commands in the width that there is', () => {
    expect(flowed(PAGE, 30)).toBe(`Usage: causeway status
       [options]

Options:
  -p, --profile <name>
      the profile whose
      warehouse to show
      (default: as the CLI
      chooses)
  --json
      print JSON

Checks each server the way an
AI client reaches it.

Example:
  $ causeway status \\
      --profile work --json`);
  });
});
