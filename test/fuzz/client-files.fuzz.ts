import assert from 'node:assert/strict';
import { stringify as stringifyToml } from '@decimalturn/toml-patch';
import fc from 'fast-check';
import { stringify as stringifyYaml } from 'yaml';
import type { Format } from '../../main/clients/client.ts';
import type { EditTarget, UndoHint } from '../../main/clients/editors/editor.ts';
import { editorOf } from '../../main/clients/editors.ts';
import type { Entry } from '../../main/clients/entry.ts';
import { sameData } from '../../main/clients/entry.ts';
import { CausewayError } from '../../main/platform/errors.ts';
import { fuzzProperty } from './property.ts';

/** The ways in which clients keep their entries, with the weight that a run can afford. */
const SHAPES: { what: string; format: Format; list?: true; weight: number }[] = [
  { what: 'JSON', format: 'json', weight: 0.1 },
  { what: 'TOML', format: 'toml', weight: 0.02 },
  { what: 'a YAML map', format: 'yaml', weight: 0.01 },
  { what: 'a YAML list', format: 'yaml', list: true, weight: 0.01 },
];

const STDIO: Entry = {
  fixed: { command: '/opt/causeway/causeway', args: ['proxy', '--path', '/api/2.0/mcp/sql'] },
  initial: { timeout: 300 },
  obsolete: ['url', 'oauth'],
};
const DIRECT: Entry = {
  fixed: { url: 'https://w.example.com/api/2.0/mcp/sql', oauth: { clientId: 'app-1' } },
  initial: { timeout: 300 },
  obsolete: ['command', 'args'],
};
const OURS = ['databricks-sql', 'genie-7191'];

const texts = fc.constantFrom(
  '',
  'x',
  '# no comment',
  '// none',
  'a: b',
  '[x]',
  '{',
  '"',
  "'",
  'a\nb',
  '日本',
  '\\',
  '=',
);
const handWritten = fc.oneof(
  fc.record({
    command: texts,
    args: fc.array(texts, { maxLength: 3 }),
    env: fc.dictionary(fc.constantFrom('A', 'B_C'), texts),
  }),
  fc.record({
    url: fc.constantFrom('https://acme.cloud.databricks.com/api/2.0/mcp/sql', 'https://v.example/api/2.0/mcp/x'),
    headers: fc.record({ Authorization: texts }),
  }),
);
const names = fc.constantFrom('mine', 'a.b', 'a b', 'ключ', 'databricks', 'on', '#no', 'databricks-sql-2');
const files = fc.record({
  before: fc.dictionary(fc.constantFrom('theme', 'model', 'x y'), fc.oneof(texts, fc.integer(), fc.boolean()), {
    noNullPrototype: true,
  }),
  entries: fc.dictionary(names, handWritten, { maxKeys: 3, noNullPrototype: true }),
  eol: fc.constantFrom('\n', '\r\n'),
  comments: fc.boolean(),
  finalNewline: fc.boolean(),
});
const steps = fc.array(
  fc.tuple(fc.constantFrom(...OURS), fc.constantFrom<Entry | undefined>(STDIO, DIRECT, undefined)),
  { maxLength: 6 },
);

/** What the user adds to an entry of ours. */
const ADDED = { mine: 'theirs' };

for (const { what, format, list, weight } of SHAPES) {
  const editor = editorOf(format);
  const target: EditTarget = { file: '/home/ana/file', key: ['servers'], list };

  fuzzProperty(
    `entries that are added, change their form and go leave hand-written ones and all bytes as they were: ${what}`,
    [files, steps],
    (file, sequence) => {
      const original = printed(file);
      const theirs = editor.read(original, target);
      let text = original;
      let undoHint: UndoHint | undefined;
      for (const [name, entry] of sequence) {
        const had = OURS.some((one) => editor.read(text, target).has(one));
        if (entry) {
          const edited = editor.put(text, target, name, list ? named(entry, name) : entry);
          if (!had) undoHint = edited.undoHint;
          text = edited.text;
          assert.deepEqual(
            keysIn(text, name),
            [...Object.keys(entry.fixed), 'timeout', ...(list ? ['name'] : [])].sort(),
          );
        } else text = editor.remove(text, target, name, undoHint);
        for (const [own, value] of theirs) assert.ok(sameData(editor.read(text, target).get(own), value), own);
      }
      for (const name of OURS) text = editor.remove(text, target, name, undoHint);
      assert.equal(text, original);
    },
    { weight },
  );

  fuzzProperty(
    `what the user added to an entry outlives each change of its form: ${what}`,
    [files, fc.array(fc.boolean(), { minLength: 1, maxLength: 4 })],
    (file, forms) => {
      const entryOf = (isDirect: boolean) =>
        list ? named(isDirect ? DIRECT : STDIO, 'databricks-sql') : isDirect ? DIRECT : STDIO;
      let { text } = editor.put(printed(file), target, 'databricks-sql', entryOf(false));
      text = editor.put(text, target, 'databricks-sql', { fixed: { ...entryOf(false).fixed, ...ADDED } }).text;
      for (const isDirect of forms) {
        text = editor.put(text, target, 'databricks-sql', entryOf(isDirect)).text;
        const present = Object(editor.read(text, target).get('databricks-sql'));
        assert.equal(present.mine, ADDED.mine);
        assert.equal('url' in present, isDirect);
        assert.equal('command' in present, !isDirect);
      }
    },
    { weight: weight / 2 },
  );

  fuzzProperty(
    `any bytes at all are edited soundly or refused, and hold what they held: ${what}`,
    [fc.string({ unit: fc.constantFrom(...'{}[]":,#/*-=.\n\t\r a1servrs\\\'|&>'), maxLength: 60 })],
    (original) => {
      try {
        const { text, undoHint } = editor.put(
          original,
          target,
          'databricks-sql',
          list ? named(STDIO, 'databricks-sql') : STDIO,
        );
        const direct = editor.put(text, target, 'databricks-sql', list ? named(DIRECT, 'databricks-sql') : DIRECT).text;
        const gone = editor.remove(direct, target, 'databricks-sql', undoHint);
        assert.equal(editor.read(gone, target).has('databricks-sql'), false);
      } catch (error) {
        if (!(error instanceof CausewayError) || error.code !== 'invalid_file') throw error;
      }
    },
    { weight: weight / 2 },
  );

  function printed({ before, entries, eol, comments, finalNewline }: Parameters<typeof documentOf>[0]): string {
    const text = PRINT[format](
      documentOf({ before, entries, eol, comments, finalNewline }, list === true),
      comments,
    ).trimEnd();
    return (text + (finalNewline ? '\n' : '')).replaceAll('\n', eol);
  }

  function keysIn(text: string, name: string): string[] {
    return Object.keys(Object(editor.read(text, target).get(name))).sort();
  }
}

interface WrittenFile {
  before: Record<string, unknown>;
  entries: Record<string, object>;
  eol: string;
  comments: boolean;
  finalNewline: boolean;
}

function documentOf({ before, entries }: WrittenFile, list: boolean): Record<string, unknown> {
  const held = Object.entries(entries);
  if (held.length === 0) return before;
  return { ...before, servers: list ? held.map(([name, entry]) => ({ name, ...entry })) : entries };
}

const PRINT: Record<Format, (data: Record<string, unknown>, comments: boolean) => string> = {
  json: (data, comments) => {
    const lines = JSON.stringify(data, null, 2).split('\n');
    return comments
      ? lines.map((line, at) => (at % 3 === 1 ? `${line} // note ${at}` : line)).join('\n')
      : lines.join('\n');
  },
  toml: (data, comments) => {
    const text = stringifyToml(data).trimEnd();
    return comments ? text.replace(/^(\[.*)$/gm, '# about it\n$1 # header') : text;
  },
  yaml: (data, comments) => {
    const text = Object.keys(data).length === 0 ? '' : stringifyYaml(data).trimEnd();
    return comments ? `# top\n${text}\n# end` : text;
  },
};

function named({ fixed, ...entry }: Entry, name: string): Entry {
  return { ...entry, fixed: { name, ...fixed } };
}
