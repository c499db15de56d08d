import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { parseConfig, parseConfigBytes, sectionValues } from '../../main/auth/profiles/config-document.ts';
import { withoutProfile, withProfile, withRenamedProfile } from '../../main/auth/profiles/config-edit.ts';
import { CausewayError } from '../../main/platform/errors.ts';
import { fuzzProperty } from './property.ts';

const lines = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('[a]', '[b]', '[c] # since 2021', '  [a]  ', '[DEFAULT]', '[__settings__]') },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'host = https://a.example',
      'token: dapi1',
      'default_profile = a',
      'default_profile: b ; x',
    ),
  },
  { weight: 4, arbitrary: fc.constantFrom('', '   ', '# a comment', '; [a]', '  # [b', 'x="1 # 2"') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '[ana',
      '[]',
      'nothing',
      '= 1',
      '[a] ]',
      '  continued',
      'path = C:\\bin\\',
      'q = """',
      '"""',
      'r = `x',
      '`',
      'k = a\rb',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
);
const eols = fc.constantFrom('\n', '\r\n', '\n', '\r\r\n', '\r');
const encodings = fc.constantFrom<BufferEncoding>('utf8', 'utf8', 'utf8', 'utf8', 'latin1', 'utf16le');

/** Realistic files, and such files with bytes changed, put in, and cut out. */
const files = fc
  .record({
    lines: fc.array(fc.tuple(lines, eols), { maxLength: 14 }),
    eol: fc.option(eols),
    mark: fc.boolean(),
    final: fc.boolean(),
    encoding: encodings,
    changes: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      {
        weight: 1,
        arbitrary: fc.array(fc.tuple(fc.nat(), fc.nat(3), fc.uint8Array({ maxLength: 3 })), { maxLength: 3 }),
      },
    ),
  })
  .map((file) => {
    const text = file.lines.map(([line, eol]) => line + (file.eol ?? eol)).join('');
    const ended = file.final ? text : text.replace(/[\r\n]+$/, '');
    let bytes = Buffer.from((file.mark ? '\uFEFF' : '') + ended, file.encoding);
    for (const [at, length, put] of file.changes) {
      const start = at % (bytes.length + 1);
      bytes = Buffer.concat([bytes.subarray(0, start), put, bytes.subarray(start + length)]);
    }
    return bytes;
  });
const anyFile = fc.oneof(
  { weight: 8, arbitrary: files },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
);
const names = fc.oneof(
  fc.constantFrom('a', 'b', 'new', 'DEFAULT', '$1', 'ä ö', 'a # b', "it's"),
  fc.string({ maxLength: 6 }),
);

/** The edited bytes; undefined if the file or the edit was refused, in words. */
function edited(bytes: Buffer, edit: (text: string) => string): Buffer | undefined {
  const { problems } = parseConfigBytes(bytes);
  for (const { line, column, what } of problems) {
    assert.ok(line >= 1 && column >= 1 && what !== '', `${line}:${column} ${what}`);
    assert.ok(line <= bytes.toString('latin1').split('\n').length);
  }
  if (problems.length > 0) return undefined;
  assert.ok(isUtf8(bytes));
  try {
    return Buffer.from(edit(bytes.toString('utf8')));
  } catch (error) {
    assert.ok(error instanceof CausewayError && error.code !== 'internal', String(error));
    return undefined;
  }
}

const contents = (bytes: Buffer) => {
  const document = parseConfig(bytes.toString('utf8'));
  assert.deepEqual(document.problems, []);
  const found = new Set(document.sections.map(({ name }) => name));
  return new Map([...found].map((name) => [name, Object.fromEntries(sectionValues(document, name) ?? [])]));
};
const isWellFormed = (text: string) => Buffer.from(text).toString('utf8') === text;

fuzzProperty('a configuration file of any bytes is understood, or refused with line and column', [anyFile], (bytes) => {
  edited(bytes, (text) => {
    const { mark, lines: all } = parseConfig(text);
    assert.equal(mark + all.join(''), text);
    return text;
  });
});

/** The settings after a profile was added: the first one that there is becomes the default. */
function settingsWith(before: ReturnType<typeof contents>, name: string) {
  const settings = before.get('__settings__');
  const isFirst = [...before].every(([each, values]) => each === '__settings__' || !('host' in values));
  if (!isFirst || settings?.default_profile !== undefined) return settings;
  return { ...settings, default_profile: name };
}

fuzzProperty('a profile that is added leaves every byte of the file before it', [anyFile, names], (bytes, name) => {
  const host = 'https://new.example';
  const after = isWellFormed(name) ? edited(bytes, (text) => withProfile(text, name, { host })) : undefined;
  if (!after) return;
  assert.deepEqual(after.subarray(0, bytes.length), bytes);
  const before = contents(bytes);
  const settings = settingsWith(before, name);
  const wanted = new Map([...before, [name, { host }]]);
  assert.deepEqual(contents(after), settings ? wanted.set('__settings__', settings) : wanted);
});

fuzzProperty(
  'a profile that is renamed changes its header, and the default that names it',
  [anyFile, names, names],
  (bytes, from, to) => {
    const after = isWellFormed(to) ? edited(bytes, (text) => withRenamedProfile(text, from, to)) : undefined;
    if (!after) return;
    const [before, now] = [contents(bytes), contents(after)];
    assert.deepEqual(now.get(to), before.get(from));
    const others = (map: typeof now, gone: string) =>
      [...map].filter(([name]) => name !== gone && name !== '__settings__').sort();
    assert.deepEqual(others(now, to), others(before, from));
    const header = (line: string) => line.trim().startsWith('[') || /^\s*default_profile/.test(line);
    const kept = (of: Buffer) => parseConfig(of.toString('utf8')).lines.filter((line) => !header(line));
    assert.deepEqual(kept(after), kept(bytes));
  },
  // Quotes that continue over the next lines, in a name.
  { examples: [[Buffer.from('[b]\n[__settings__]\ndefault_profile: b ; x'), 'b', '`']] },
);

fuzzProperty(
  'a profile that is removed takes nothing of another one along, nor a comment outside of it',
  [anyFile, names],
  (bytes, name) => {
    const after = edited(bytes, (text) => withoutProfile(text, name));
    if (!after) return;
    const [before, now] = [contents(bytes), contents(after)];
    before.delete(name);
    const others = (map: typeof now) => [...map].filter(([each]) => each !== '__settings__').sort();
    assert.deepEqual(others(now), others(before));
    const document = parseConfig(bytes.toString('utf8'));
    const own = document.sections.filter((section) => section.name === name);
    const outside = document.lines.filter(
      (line, at) =>
        line.trim() !== '' &&
        !/^\s*default_profile/.test(line) &&
        !own.some(({ start, end }) => at >= start && at < end),
    );
    const left = parseConfig(after.toString('utf8')).lines.filter(
      (line) => line.trim() !== '' && !/^\s*default_profile/.test(line),
    );
    assert.deepEqual(left, outside);
  },
);
