import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCatalog } from './strings-catalog.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const catalog = await readCatalog();
const shown = ({ folder, key, text }: (typeof catalog)[number]) => `${folder} ${key}: ${text}`;

/** What no native speaker says in a dialog, with the word that is said instead. */
const BANNED: readonly [words: RegExp, instead: string][] = [
  [/\bsomebody\b|\bwhoever\b/i, 'a user'],
  [/\bthe usual\b/i, 'normal, default'],
  [/\bin order\b/i, 'OK'],
  [/\bfrom the next one on\b|, from the next\b/i, 'the next …, new …'],
  [/^Everyone$/, 'Overrides'],
  [/\bcomes to\b/i, 'resolves to'],
  [/\bplace for\b/i, 'storage'],
  [/\bway to the workspace\b/i, 'network'],
  [/\bwhat is it to\b/i, 'type'],
  [/\bnothing of\b/i, 'no'],
  [/\bis asked\b/i, 'name who asks'],
  [/\bhas been\b|\bhave been\b/i, 'the present tense'],
  [/ that .* that /i, 'two sentences'],
  [/\bworks? by itself\b|\bupdate by itself\b/i, 'automatically'],
];

/** The longest text: two sentences of an error, or of a dialog. */
const LONGEST = 220;
/** The longest help beneath a field or a name: one line. */
const LONGEST_HINT = 110;

describe('the texts that users read', () => {
  it('there are texts of every kind', () => {
    expect(catalog.length).toBeGreaterThan(300);
    expect(new Set(catalog.map(({ folder }) => folder.split('/')[0]))).toEqual(new Set(['renderer', 'main']));
  });

  it.each(BANNED)('%s is not said, but %s', (words) => {
    expect(catalog.filter(({ text }) => words.test(text)).map(shown)).toEqual([]);
  });

  it('an ellipsis is one character, at the end of what opens more input', () => {
    expect(catalog.filter(({ text }) => text.includes('...') || /….|^…/.test(text)).map(shown)).toEqual([]);
  });

  it('no text has two spaces in a row', () => {
    expect(catalog.filter(({ text }) => / {2}/.test(text)).map(shown)).toEqual([]);
  });

  it('every text is short', () => {
    expect(catalog.filter(({ text }) => text.length > LONGEST).map(shown)).toEqual([]);
  });

  it('a help text is one line', () => {
    const hints = catalog.filter(({ key }) => /hint$/i.test(key));
    expect(hints.filter(({ text }) => text.length > LONGEST_HINT).map(shown)).toEqual([]);
  });

  it('a button has at most four words', () => {
    const buttons = catalog.filter(({ key }) => /(^|\.)verb$/.test(key));
    expect(buttons.length).toBeGreaterThan(2);
    expect(buttons.filter(({ text }) => text.split(' ').length > 4).map(shown)).toEqual([]);
  });
});

/** What is not said in the window either. */
const BANNED_IN_WINDOW: readonly [words: RegExp, instead: string][] = [
  [/\bcancelled\b/i, 'canceled'],
  [/\bany ?more\b/i, 'no longer'],
  [/\bby (itself|themselves)\b/i, 'automatically'],
  [/\bpresent (content|sign-in|URL|name|one)\b/i, 'current'],
  [/\bcut off\b/i, 'canceled'],
  [/\baccess to no\b|\boffers you no\b|\bmay \w+ no\b/i, 'none is available to you'],
  [/\b(begun|anew|whatever|nowhere)\b/i, 'the plain word'],
  [/\btaken out\b|\breplaced by \[/i, 'removed, replaced with'],
  [/\bplease\b/i, 'nothing'],
  [/\. ·/, 'one separator'],
];

describe('the texts of the window', () => {
  const texts = catalog.filter(({ folder }) => folder.startsWith('renderer/'));

  it.each(BANNED_IN_WINDOW)('%s is not said, but %s', (words) => {
    expect(texts.filter(({ text }) => words.test(text)).map(shown)).toEqual([]);
  });

  it('a heading is a noun phrase or a question, without a period', () => {
    const headings = texts.filter(({ key }) => /(^|\.)title$/.test(key));
    expect(headings.length).toBeGreaterThan(20);
    expect(headings.filter(({ text }) => text.endsWith('.')).map(shown)).toEqual([]);
  });
});

const LITERAL = /\b(?:label|title|placeholder|description|aria-label|alt)="[^"]*[A-Za-z][^"]*"/g;

describe('the components of the window', () => {
  const files = globSync('renderer/**/*.tsx', { cwd: ROOT });

  it.each(files)('%s holds no text of its own', (file) => {
    const literals = readFileSync(join(ROOT, file), 'utf8').match(LITERAL) ?? [];
    expect(literals).toEqual([]);
  });
});
