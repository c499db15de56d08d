import { describe, expect, test } from 'vitest';
import type { Format } from '../../../main/clients/client.ts';
import { editorOf } from '../../../main/clients/editors.ts';

const target = { file: '/home/ana/file', key: ['servers'] };
const stdio = { fixed: { command: '/opt/causeway/causeway', args: ['proxy', 'x'] }, obsolete: ['url'] };
const direct = { fixed: { url: 'https://w.example.com/api/2.0/mcp/sql' }, obsolete: ['command', 'args'] };

/** Other data, and an entry of others, nested that deep in lists or maps. */
const NESTED: [string, Format, (levels: number) => string][] = [
  ['lists', 'json', (levels) => `{"x":${'['.repeat(levels)}${']'.repeat(levels)},"servers":{}}`],
  ['objects', 'json', (levels) => `{"x":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)},"servers":{}}`],
  ['lists in an entry', 'json', (levels) => `{"servers":{"mine":${'['.repeat(levels)}${']'.repeat(levels)}}}`],
  ['lists', 'toml', (levels) => `x=${'['.repeat(levels)}${']'.repeat(levels)}\n`],
  ['lists in an entry', 'toml', (levels) => `[servers.mine]\nx=${'['.repeat(levels)}${']'.repeat(levels)}\n`],
  ['lists', 'yaml', (levels) => `x: ${'['.repeat(levels)}${']'.repeat(levels)}\n`],
  ['maps', 'yaml', (levels) => `x: ${'{a: '.repeat(levels)}1${'}'.repeat(levels)}\n`],
  ['lists in an entry', 'yaml', (levels) => `servers:\n  mine: ${'['.repeat(levels)}${']'.repeat(levels)}\n`],
];

describe.each(NESTED)('nested %s of %s', (_, format, textOf) => {
  test('a hundred levels deep stay as they were', () => {
    const original = textOf(100);
    const { text, undoHint } = editorOf(format).put(original, target, 'ours', stdio);
    expect(editorOf(format).remove(text, target, 'ours', undoHint)).toBe(original);
  });

  test.each([1_500, 4_000, 20_000])('%i levels deep are refused with an explanation', (levels) => {
    expect(() => editorOf(format).put(textOf(levels), target, 'ours', stdio)).toThrow(
      expect.objectContaining({ code: 'invalid_file', message: '/home/ana/file: it is nested too deeply.' }),
    );
  });
});

test.each(['a: &a [*a]\n', 'a: &a {b: *a}\nservers:\n  mine: {command: x}\n'])(
  'YAML that contains itself is refused with an explanation: %j',
  (text) => {
    expect(() => editorOf('yaml').put(text, target, 'ours', stdio)).toThrow(
      expect.objectContaining({ code: 'invalid_file', message: '/home/ana/file: it is nested too deeply.' }),
    );
  },
);

test('YAML that its parser accepts and other readers reject is refused with the reason', () => {
  expect(() => editorOf('yaml').put('!!set {a}\n', target, 'ours', stdio)).toThrow(
    /Set items must all have null values/,
  );
});

// Where each key is compared with every other one, this takes minutes.
test('YAML with ten thousand other keys gets an entry and its bytes back, and a repeated key among them is found', () => {
  const original = Array.from({ length: 10_000 }, (_, at) => `key${at}: ${at}\n`).join('');
  const { text, undoHint } = editorOf('yaml').put(original, target, 'ours', stdio);
  expect(editorOf('yaml').remove(text, target, 'ours', undoHint)).toBe(original);
  expect(() => editorOf('yaml').read(`${original}a: {x: 1, "x": 2}\n`, target)).toThrow(
    '/home/ana/file, line 10001, column 11: this is not valid YAML: Map keys must be unique.',
  );
});

// Codex keeps a table for each folder that the user works in. Where each of them is looked for from the file's beginning, this
// takes minutes.
test('TOML with thousands of other tables gets an entry, gets its other form, and gets its bytes back', () => {
  const original = Array.from(
    { length: 3_000 },
    (_, at) => `[projects."/home/ana/${at}"]\ntrust_level = "trusted"\n`,
  ).join('\n');
  const { text } = editorOf('toml').put(original, target, 'ours', stdio);
  const changed = editorOf('toml').put(text, target, 'ours', direct).text;
  expect(editorOf('toml').read(changed, target).get('ours')).toEqual(direct.fixed);
  expect(editorOf('toml').remove(changed, target, 'ours', undefined)).toBe(original);
});
