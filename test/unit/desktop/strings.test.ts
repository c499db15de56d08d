import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TextRole } from './source-strings.ts';
import { type CatalogText, readCatalog } from './strings-catalog.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const catalog = await readCatalog();
const shown = ({ folder, key, text }: CatalogText) => `${folder} ${key}: ${text}`;

/** What no native speaker says in a dialog, with the word that is said instead. */
const BANNED: readonly [words: RegExp, instead: string][] = [
  [/\bsomebody\b|\bwhoever\b|\bnobody\b/i, 'a user'],
  [/\bthe usual (?!form)/i, 'normal, default'],
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
  [/\ball the same\b/i, 'anyway'],
  [/\bleft alone\b/i, 'not changed'],
  [/\b(goes|go|went) on\b/i, 'continue'],
  [/\banswered with\b/i, 'returned'],
  [/\bplease\b/i, 'nothing'],
  [/\bcancelled\b/i, 'canceled'],
  [/, which\b|\bin which\b|\bof which\b/i, 'two sentences, where'],
  [/(?<!\bthere )\b(is|are) no (?!longer\b)/i, 'is not a, has no'],
  [/, so\b/i, 'two sentences'],
  [/\bany ?more\b/i, 'no longer'],
  [/\b(by itself|by themselves)\b/i, 'automatically, on their own'],
  [/\bmay or may not\b/i, 'may'],
  [/\bmeant\b|\bmatter of\b/i, 'the plain verb'],
  [/\bwrite it like\b/i, 'use the form'],
  [/\bwhat it holds\b|\bit holds\b/i, 'contains'],
  [/\bbegun\b|\banew\b/i, 'started, again'],
  [/[\w}] %(?!\w)/, 'no space before the percent sign'],
  [/\bthe one entry\b|\bone entry for all\b(?! servers)/i, 'shared entry'],
];

/** The longest text: two sentences of an error, or of a dialog. */
const LONGEST = 220;
/** The longest help beneath a field or a name, or of an option: one line. */
const LONGEST_HINT = 110;
/** The longest line of a command's help. */
const LONGEST_LINE = 130;

const inMain = (...roles: TextRole[]) => catalog.filter(({ role }) => role && roles.includes(role));
/** These say what the Databricks CLI says, letter by letter. */
const isVerbatim = ({ folder, key }: CatalogText) =>
  folder === 'main/cli' && /^drop-in\/(group|override-operations|warehouses)\./.test(key);

describe('the texts that users read', () => {
  it('a command in a sentence is in backticks, not in quotation marks', () => {
    const isQuoted = ({ text }: CatalogText) => /(?<! for )"(causeway|databricks|az) [a-z$-]/.test(text);
    expect(catalog.filter(isQuoted).map(shown)).toEqual([]);
    expect(catalog.filter(({ text }) => /`(causeway|databricks|az) [a-z$-]/.test(text)).length).toBeGreaterThan(50);
  });

  it('there are texts of every kind', () => {
    expect(catalog.length).toBeGreaterThan(3000);
    expect(new Set(catalog.map(({ folder }) => folder.split('/')[0]))).toEqual(new Set(['renderer', 'main']));
    const count = (role: TextRole) => inMain(role).length;
    expect([count('message') > 250, count('remedy') > 200, count('description') > 130, count('help') > 10]).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  it.each(BANNED)('%s is not used, but %s', (words) => {
    expect(catalog.filter(({ text }) => words.test(text)).map(shown)).toEqual([]);
  });

  it('an ellipsis is one character, at the end of what opens more input', () => {
    // A label that is quoted may have one.
    const wrong = catalog.filter(({ text }) => text.includes('...') || /…[^”\n]|^…/.test(text));
    expect(wrong.map(shown)).toEqual([]);
  });

  it('no text has two spaces in a row', () => {
    // The columns of a help's table, and the indent of a line of output, are not between words.
    const wrong = catalog.filter(({ text, role }) => role !== 'help' && (role ? /\S {2,}\S/ : / {2}/).test(text));
    expect(wrong.map(shown)).toEqual([]);
  });

  it('every text is short', () => {
    expect(catalog.filter(({ text, role }) => role !== 'help' && text.length > LONGEST).map(shown)).toEqual([]);
  });

  it('a message is a sentence', () => {
    const wrong = inMain('message').filter(({ text }) => !/^["“{\p{Lu}\d-].*[.!?}]$/su.test(text));
    expect(wrong.filter((each) => !isVerbatim(each)).map(shown)).toEqual([]);
  });

  it('a remedy is one or more sentences, or ends with what to run or open', () => {
    const wrong = inMain('remedy').filter(({ text }) => !/^["“{`\p{Lu}\d-].*([.}`]|: [^.]+)$/su.test(text));
    expect(wrong.map(shown)).toEqual([]);
  });

  it('the description of a command or an option is one phrase on one line, without a period', () => {
    const wrong = inMain('description').filter(
      ({ text }) => !/^["`{\p{Ll}-].*[^.]$/u.test(text) || text.length > LONGEST_HINT,
    );
    // The first line of all help is a sentence.
    expect(wrong.map(({ text }) => text.split(' ')[0])).toEqual(['Connects']);
  });

  it('the lines of a command’s help fit a terminal', () => {
    const wrong = inMain('help').filter(({ text }) => text.split('\n').some((line) => line.length > LONGEST_LINE));
    expect(wrong.map(shown)).toEqual([]);
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
  [/\bpresent (content|sign-in|URL|name|one)\b/i, 'current'],
  [/\bcut off\b/i, 'canceled'],
  [/\baccess to no\b|\boffers you no\b|\bmay \w+ no\b/i, 'none is available to you'],
  [/\b(begun|anew|whatever|nowhere)\b/i, 'the plain word'],
  [/\btaken out\b|\breplaced by \[/i, 'removed, replaced with'],
  [/\. ·/, 'one separator'],
];

describe('the texts of the window', () => {
  const texts = catalog.filter(({ folder }) => folder.startsWith('renderer/'));

  it.each(BANNED_IN_WINDOW)('%s is not used, but %s', (words) => {
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
