import fc from 'fast-check';
import { type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import type { EditTarget, UndoHint } from '../../../main/clients/editors/editor.ts';
import { excerptOf } from '../../../main/clients/editors/excerpt.ts';
import { jsonEditor } from '../../../main/clients/editors/json.ts';
import { ScanError, scanJson } from '../../../main/clients/editors/json-scan.ts';
import { faultWords } from '../../../main/platform/json-faults.ts';
import { lineAndColumn } from '../../../main/platform/line-and-column.ts';

const KEY = ['mcpServers'];
const LAYOUTS = [
  { format: 'json' as const, key: KEY },
  {
    format: 'json' as const,
    key: ['mcp'],
    newer: { key: ['mcp', 'servers'], stdio: () => ({ fixed: {} }), http: () => ({ fixed: {} }) },
  },
];
const targetOf = (key: string[]): EditTarget => ({ file: '/home/ana/file', key });

/** White space and comments as people and programs put them between the parts of a document. */
const gaps = fc.constantFrom('', '', ' ', '\n', '\n  ', '\n    ', '\r\n\t', '\n\n', ' // note\n', '/* {"a": [ */');
/** Nobody begins a line with a value: where one does, a new entry may be indented like it. */
const besideColon = fc.constantFrom('', ' ', '/* ": */');
const names = fc.constantFrom('a', 'b c', 'ключ', 'q\\"q', 'mcpServers', 'mcp', 'servers', 'm\\u0063p', 'ours', '日本');
const scalars = fc.constantFrom(
  '1',
  '-0.5e+3',
  'true',
  'null',
  '""',
  '"}{][,:"',
  '"\\\\"',
  '"ä\\u00e4\\n"',
  '"// no"',
  '"/*"',
);

const documents = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalars,
    tie('object'),
    fc
      .tuple(fc.array(fc.tuple(gaps, tie('value'), gaps), { maxLength: 3 }), fc.boolean())
      .map(([items, comma]) => `[${items.map((it) => it.join('')).join(',')}${comma && items.length > 0 ? ',' : ''}]`),
  ),
  object: fc
    .tuple(fc.array(fc.tuple(gaps, names, gaps, besideColon, tie('value'), gaps), { maxLength: 5 }), gaps, fc.boolean())
    .map(([members, end, comma]) => {
      const inner = members.map(([a, name, b, c, value, d]) => `${a}"${name}"${b}:${c}${value}${d}`);
      return `{${inner.join(',')}${comma && inner.length > 0 ? ',' : ''}${end}}`;
    }),
}));
const texts = fc
  .tuple(fc.boolean(), gaps, documents.object, gaps)
  .map(([mark, before, object, after]) => `${mark ? '\ufeff' : ''}${before}${object}${after}`);

const entry = { fixed: { command: '/opt/causeway/causeway', args: ['proxy', 'x'] }, obsolete: ['url'] };
const other = { fixed: { url: 'https://w.example.com/api/2.0/mcp/sql' }, obsolete: ['command', 'args'] };

type Edit = (text: string, target: EditTarget) => string;

/** What an edit makes of a text; of one that is refused, the reason. */
function outcome(work: () => string): string {
  try {
    return work();
  } catch (error) {
    return `refused: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The same by way of the excerpt. */
function throughExcerpt(text: string, layout: (typeof LAYOUTS)[number], target: EditTarget, edit: Edit): string {
  return outcome(() => {
    const excerpt = excerptOf(layout, Buffer.from(text), target);
    const edited = edit(excerpt.text, { ...target, placeAt: excerpt.placeAt });
    return excerpt.restore(edited, new Set(['ours', 'more'])).bytes.toString('utf8');
  });
}

describe.each(LAYOUTS)('entries under $key', { timeout: 180_000 }, (layout) => {
  const keys = [layout.key, ...('newer' in layout && layout.newer ? [layout.newer.key] : [])];

  test('an edit of an excerpt gives the bytes, or the reason, that an edit of the whole text gives', () => {
    fc.assert(
      fc.property(texts, fc.constantFrom(...keys), (text, key) => {
        const target = targetOf(key);
        let undoHint: UndoHint | undefined;
        const steps: Edit[] = [
          (now, at) => {
            const edited = jsonEditor.put(now, at, 'ours', entry);
            undoHint = edited.undoHint;
            return edited.text;
          },
          (now, at) => jsonEditor.put(now, at, 'more', entry).text,
          (now, at) => jsonEditor.put(now, at, 'ours', other).text,
          (now, at) => jsonEditor.remove(now, at, 'more', undefined),
          (now, at) => jsonEditor.remove(now, at, 'ours', undoHint),
        ];
        let now = text;
        for (const step of steps) {
          const whole = outcome(() => step(now, target));
          expect(throughExcerpt(now, layout, target, step)).toBe(whole);
          if (whole.startsWith('refused')) return;
          now = whole;
        }
      }),
      { numRuns: 600 },
    );
  });
});

test('all steps on one excerpt give what they give on the whole text', { timeout: 180_000 }, () => {
  fc.assert(
    fc.property(texts, (text) => {
      const target = targetOf(KEY);
      const all: Edit = (now, at) => {
        const added = jsonEditor.put(now, at, 'ours', entry);
        const both = jsonEditor.put(added.text, at, 'more', entry).text;
        return jsonEditor.remove(both, at, 'ours', undefined);
      };
      const through = throughExcerpt(text, { format: 'json', key: KEY }, target, all);
      expect(through).toBe(outcome(() => all(text, target)));
    }),
    { numRuns: 800 },
  );
});

/** The first fault that the parser finds in a text, as words with the place. */
function parsersFault(text: string): string | undefined {
  const errors: ParseError[] = [];
  parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const [first] = errors;
  if (!first) return undefined;
  const { line, column } = lineAndColumn(text, first.offset);
  return `line ${line}, column ${column}: this is not valid JSON: ${faultWords(printParseErrorCode(first.error))}.`;
}

/** Of several faults in one string, the parser reports the last one, and the scanner the first. */
const ofOneString = (text: string) =>
  text.replace(/unexpected end of string|invalid (character|escape character|unicode)/, 'a fault in a string');

const broken = fc
  .oneof(
    fc.string({ unit: fc.constantFrom(...'{}[]":,/*-+.\n\t\r a1etru0\\\u0001ä'), minLength: 1, maxLength: 30 }),
    fc
      .tuple(texts, fc.nat(), fc.nat({ max: 3 }), fc.constantFrom('', ',', '"', '}', ']', ':', '\\', 'x', '0', '/'))
      .map(([text, at, length, put]) => {
        const from = at % (text.length + 1);
        return text.slice(0, from) + put + text.slice(from + length);
      }),
  )
  .map((text) => text.replace(/^\ufeff/, ''));

test('the scanner refuses what the parser refuses, with the same words and place, and nothing else', {
  timeout: 180_000,
}, () => {
  fc.assert(
    fc.property(broken, (text) => {
      fc.pre(text.trim() !== '');
      const target = targetOf(KEY);
      const scanned = outcome(() => excerptOf({ format: 'json', key: KEY }, Buffer.from(text), target).text);
      const fault = parsersFault(text);
      if (fault) expect(ofOneString(scanned)).toBe(ofOneString(`refused: /home/ana/file, ${fault}`));
      else if (scanned.startsWith('refused')) expect(scanned).toMatch(/an object was expected/);
    }),
    { numRuns: 6_000 },
  );
});

test('a removal that would comment out what follows it is refused for that, and the file is not called invalid', () => {
  const text = '{"mcpServers": { // mine\n"ours": {}}}';
  expect(() => jsonEditor.remove(text, targetOf(KEY), 'ours', undefined)).toThrow(
    'mcpServers was not changed: it is written in a way that cannot be changed in place.',
  );
});

test('a change of another member is noticed', () => {
  const bytes = Buffer.from('{"a": 1, "mcpServers": {"theirs": {"command": "x"}}, "z": [1, 2]}');
  const { text, restore } = excerptOf({ format: 'json', key: KEY }, bytes, targetOf(KEY));
  expect(() => restore(text.replace('"x"', '"y"'), new Set(['ours']))).toThrow(/was not changed/);
  expect(() => restore(text.replace(/"z": \{[^}]*\}/, '"z": 0'), new Set(['ours']))).toThrow(/was not changed/);
  expect(() => restore(text.replace('"z"', '"zz"'), new Set(['ours']))).toThrow(/was not changed/);
  expect(restore(text.replace('"x"', '"y"'), new Set(['theirs'])).bytes.toString()).toContain('"y"');
});

test('an excerpt of a large file is small, however its other members are written', () => {
  const many = Array.from({ length: 100_000 }, (_, at) => `"key ${at}": {"value": [${at}]}`).join(',\n  ');
  const bytes = Buffer.from(`{\n  ${many},\n  "mcpServers": {},\n  ${many}\n}\n`);
  const { text, restore } = excerptOf({ format: 'json', key: KEY }, bytes, targetOf(KEY));
  expect(text.length).toBeLessThan(400);
  const edited = jsonEditor.put(text, targetOf(KEY), 'ours', entry);
  const whole = restore(edited.text, new Set(['ours'])).bytes;
  expect(whole.length).toBe(bytes.length + edited.text.length - text.length);
  const { text: again, restore: restoreAgain } = excerptOf({ format: 'json', key: KEY }, whole, targetOf(KEY));
  const removed = jsonEditor.remove(again, targetOf(KEY), 'ours', edited.undoHint);
  expect(restoreAgain(removed, new Set(['ours'])).bytes.equals(bytes)).toBe(true);
});

test('entries that nobody has are refused, not parsed', () => {
  const bytes = Buffer.from(`{"mcpServers": {"x": "${'y'.repeat(300_000)}"}}`);
  expect(() => excerptOf({ format: 'json', key: KEY }, bytes, targetOf(KEY))).toThrow(/larger than 256 KiB/);
});

test.each<['json' | 'toml' | 'yaml', string, RegExp]>([
  ['json', `{"mcpServers": {}} // ${'x'.repeat(1_100_000)}`, /what it has around its entries is larger than 1 MiB/],
  [
    'json',
    `{${'"mcpServers": {}, "a": 1, '.repeat(2_000)}"z": 1}`,
    /what it has around its entries is larger than 1 MiB/,
  ],
  ['toml', `# ${'x'.repeat(1_100_000)}`, /it is larger than 1 MiB/],
  ['yaml', `# ${'x'.repeat(1_100_000)}`, /it is larger than 1 MiB/],
])('%s of which too much would have to be parsed is refused unparsed: %#', (format, text, reason) => {
  expect(() => excerptOf({ format, key: KEY }, Buffer.from(text), targetOf(KEY))).toThrow(reason);
});

test('a scan reports comments and commas after the last item', () => {
  const found = (text: string) => scanJson(Buffer.from(text), [KEY]);
  expect(found('{"a": [1, 2], "b": "/* , */"}')).toMatchObject({ comments: false, trailingCommas: false });
  expect(found('{"a": [1, 2,]} // x')).toMatchObject({ comments: true, trailingCommas: true });
  expect(() => found('{"a": 01}')).toThrow(ScanError);
});
