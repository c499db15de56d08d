import { parse as parseToml, stringify as stringifyToml } from '@decimalturn/toml-patch';
import fc from 'fast-check';
import { parse as parseJson } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml, stringify as stringifyYaml } from 'yaml';
import type { Format } from '../../../main/clients/client.ts';
import type { EditTarget, UndoHint } from '../../../main/clients/editors/editor.ts';
import { editorOf } from '../../../main/clients/editors.ts';

type Data = Record<string, unknown>;

interface Style {
  indent: number;
  eol: string;
  comments: boolean;
  byteOrderMark: boolean;
  finalNewline: boolean;
  tight: boolean;
}

const KEY: Record<Format, string> = { json: 'mcpServers', toml: 'mcp_servers', yaml: 'extensions' };

const styles = fc.record<Style>({
  indent: fc.constantFrom(1, 2, 4),
  eol: fc.constantFrom('\n', '\r\n'),
  comments: fc.boolean(),
  byteOrderMark: fc.boolean(),
  finalNewline: fc.boolean(),
  tight: fc.boolean(),
});

const names = fc.oneof(
  fc.constantFrom('theme', 'a.b', 'a b', 'ключ', '#no', '[x]', '"q"', "it's", '- dash', 'on'),
  fc.stringMatching(/^[a-z][a-z0-9_-]{0,8}$/),
);
const scalars = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.constantFrom(
    '',
    ' ',
    '# no comment',
    '// no comment',
    '[mcp_servers.ours-a]',
    'a: b',
    '{',
    '"',
    "'",
    '日本',
    'a\nb\n',
    '\\',
  ),
  fc.string({ maxLength: 12 }),
);
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalars,
    fc.array(scalars, { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

/** With servers, with none, and in the formats that have it, with null in their place. */
const documents = (format: Format) => {
  const key = KEY[format];
  return fc
    .record(
      {
        before: fc.dictionary(names, values, { maxKeys: 3, noNullPrototype: true }),
        servers: fc.oneof(
          {
            weight: 5,
            arbitrary: fc.dictionary(
              names,
              fc.record({ command: scalars, args: fc.array(fc.string({ maxLength: 5 }), { maxLength: 2 }) }),
              { maxKeys: 3, noNullPrototype: true },
            ),
          },
          { weight: format === 'toml' ? 0 : 1, arbitrary: fc.constant(null) },
        ),
        after: fc.dictionary(names, values, { maxKeys: 2, noNullPrototype: true }),
      },
      { requiredKeys: ['before', 'after'] },
    )
    .map(({ before, servers, after }): Data => {
      const { [key]: _, ...rest } = after;
      return { ...before, ...(servers === undefined ? {} : { [key]: servers }), ...rest };
    });
};

const print: Record<Format, (data: Data, style: Style) => string> = {
  json: (data, { indent, comments, tight }) => {
    if (tight) return JSON.stringify(data);
    const lines = JSON.stringify(data, null, indent).split('\n');
    return comments
      ? lines.map((line, at) => (at % 3 === 1 ? `${line} // note ${at}` : line)).join('\n')
      : lines.join('\n');
  },
  toml: (data, { comments }) => {
    const text = stringifyToml(data).trimEnd();
    return comments ? text.replace(/^(\[.*)$/gm, '# about it\n$1 # header') : text;
  },
  yaml: (data, { indent, comments, tight }) => {
    const text = stringifyYaml(data, {
      indent: Math.max(2, indent),
      collectionStyle: tight ? 'flow' : 'any',
    }).trimEnd();
    return comments ? `# top\n${text}\n# end` : text;
  },
};

const parse: Record<Format, (text: string) => unknown> = {
  json: (text) => parseJson(text, [], { allowTrailingComma: true }),
  toml: (text) => JSON.parse(JSON.stringify(parseToml(text))),
  yaml: (text) => parseYaml(text),
};

function written(format: Format, data: Data, style: Style): string {
  const text = print[format](data, style) + (style.finalNewline ? '\n' : '');
  const mark = style.byteOrderMark ? '\ufeff' : '';
  // A line end inside a text block is data, and the formats read it as a line feed.
  return mark + text.replaceAll('\n', style.eol);
}

const bare = (text: string) => text.replace(/^\ufeff/, '');
const target = (format: Format): EditTarget => ({ file: '/home/ana/file', key: [KEY[format]] });
const OURS = ['ours-a', 'ours-b', 'ours-c'];
const entry = (arg: string) => ({ fixed: { command: '/opt/causeway/causeway', args: ['proxy', arg] } });

/** Everybody else's data, the order of properties included; what is empty without ours does not count. */
function others(format: Format, text: string): string {
  const data: Data = { ...(parse[format](bare(text)) as Data | null) };
  const servers = data[KEY[format]];
  if (typeof servers === 'object' && servers !== null) {
    const rest = Object.entries(servers).filter(([name]) => !OURS.includes(name));
    if (rest.length === 0) delete data[KEY[format]];
    else data[KEY[format]] = Object.fromEntries(rest);
  } else if (servers === null) delete data[KEY[format]];
  return JSON.stringify(data);
}

/** As many as take about the same time: a YAML document is parsed in full a dozen times a run, at about 20 ms in all. */
const RUNS: Record<Format, number> = { json: 800, toml: 400, yaml: 200 };

describe.each<Format>(['json', 'toml', 'yaml'])('%s', { timeout: 180_000 }, (format) => {
  const editor = editorOf(format);

  test('adding, correcting and removing entries in any order leaves the bytes as they were', () => {
    fc.assert(
      fc.property(
        documents(format),
        styles,
        fc.shuffledSubarray(OURS, { minLength: 1 }),
        fc.shuffledSubarray(OURS, { minLength: 3 }),
        (data, style, added, removed) => {
          const original = written(format, data, style);
          let text = original;
          let undoHint: UndoHint | undefined;
          for (const name of added) {
            const edited = editor.put(text, target(format), name, entry('--path'));
            undoHint ??= edited.undoHint;
            text = edited.text;
            expect(editor.put(text, target(format), name, entry('--path')).text).toBe(text);
          }
          expect(others(format, text)).toBe(others(format, original));
          for (const name of added) expect(editor.read(text, target(format)).get(name)).toEqual(entry('--path').fixed);
          for (const name of removed) text = editor.remove(text, target(format), name, undoHint);
          expect(text).toBe(original);
        },
      ),
      { numRuns: RUNS[format] },
    );
  });

  const steps = fc.array(
    fc.oneof(
      fc.record({ do: fc.constant('put' as const), name: fc.constantFrom(...OURS), arg: fc.constantFrom('x', 'y') }),
      fc.record({ do: fc.constant('remove' as const), name: fc.constantFrom(...OURS) }),
      fc.record({ do: fc.constant('client' as const), key: names, value: values, style: styles }),
    ),
    { maxLength: 8 },
  );

  test('what the client writes in between is never lost or reordered', () => {
    fc.assert(
      fc.property(documents(format), styles, steps, (data, style, sequence) => {
        let text = written(format, data, style);
        let undoHint: UndoHint | undefined;
        for (const step of sequence) {
          const before = others(format, text);
          if (step.do === 'put') {
            const had = OURS.some((name) => editor.read(text, target(format)).has(name));
            const edited = editor.put(text, target(format), step.name, entry(step.arg));
            undoHint = had ? undoHint : edited.undoHint;
            text = edited.text;
            expect(editor.read(text, target(format)).get(step.name)).toEqual(entry(step.arg).fixed);
          } else if (step.do === 'remove') {
            text = editor.remove(text, target(format), step.name, undoHint);
            expect(editor.read(text, target(format)).has(step.name)).toBe(false);
          } else if (step.key !== KEY[format]) {
            const now = { ...(parse[format](bare(text)) as Data | null), [step.key]: step.value };
            text = written(format, now, step.style);
            continue;
          }
          expect(others(format, text)).toBe(before);
        }
      }),
      { numRuns: RUNS[format] },
    );
  });

  test('any text at all is edited correctly or refused', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]":,#/*-=.\n\t\r a1m\\\'|&>'), maxLength: 40 }), (text) => {
        let edited: string;
        try {
          edited = editor.put(text, target(format), 'ours-a', entry('x')).text;
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_file', remedy: expect.stringMatching(/Nothing was written/) });
          return;
        }
        expect(editor.read(edited, target(format)).get('ours-a')).toMatchObject(entry('x').fixed);
      }),
      { numRuns: 500 },
    );
  });
});

test.each([
  '{ extensions: null }',
  '{extensions: ~, theme: dark}',
  '{ theme: dark, extensions: }\n',
  '{extensions: Null}',
])('null in a YAML flow map gives way to an entry and is restored: %s', (text) => {
  const editor = editorOf('yaml');
  const { text: added, undoHint } = editor.put(text, target('yaml'), 'ours-a', entry('x'));
  expect(parseYaml(added).extensions).toEqual({ 'ours-a': entry('x').fixed });
  expect(editor.remove(added, target('yaml'), 'ours-a', undoHint)).toBe(text);
});
