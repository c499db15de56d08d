import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Validator } from '@cfworker/json-schema';
import { DOMParser } from '@xmldom/xmldom';
import { describe, expect, it } from 'vitest';
import { parsePermissions, permissionsJsonSchema } from '../../../../main/permissions/permissions.ts';
import { parsePolicy } from '../../../../main/permissions/policy/parse-policy.ts';
import { policyJsonSchema } from '../../../../main/permissions/policy/policy-schema.ts';
import { policyInRegistry } from '../../../../main/permissions/policy/registry.ts';
import { policyFiles } from '../../../../resources/policy/files.ts';
import { type Member, membersOf } from '../../../../resources/policy/members.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const FILES = policyFiles();
const POLICY = policyJsonSchema();
const RULES = permissionsJsonSchema();

describe.each([...FILES])('%s', (path, text) => {
  it('is up to date with the schemas: `npm run policy-files` writes it', () => {
    expect(readFileSync(join(ROOT, path), 'utf8')).toBe(text);
  });
});

/** What the placeholders in paths stand for. */
const NAMES: Record<string, string> = { ID: 'codex', SERVER: 'https://adb-1.7.azuredatabricks.net/api/2.0/mcp/sql' };

/** A file with the example of each member, built from the members' paths alone. */
function fileOfExamples(members: readonly Member[]): object {
  const file: Record<string, unknown> = {};
  const isLeaf = ({ path }: Member) =>
    !members.some((other) => /^[.[]/.test(other.path.slice(path.length)) && other.path.startsWith(path));
  for (const { path, schema } of members.filter(isLeaf)) {
    const steps = path
      .replaceAll('[]', '.0')
      .split('.')
      .map((name) => NAMES[name] ?? name);
    let at: object = file;
    for (const [index, step] of steps.entries()) {
      const next: unknown = Reflect.get(at, step);
      if (index === steps.length - 1) Reflect.set(at, step, schema.examples?.[0]);
      else if (typeof next === 'object' && next !== null) at = next;
      else {
        const made: object = steps[index + 1] === '0' ? [] : {};
        Reflect.set(at, step, made);
        at = made;
      }
    }
  }
  return file;
}

describe('the members of a policy and of a permissions file', () => {
  const page = FILES.get('docs/policy-reference.md') ?? '';
  const [, policyTable = '', permissionsTable = ''] = page.split(/^## .*$/m);
  const rows = (table: string) => [...table.matchAll(/^\| `([^`]+)` \| (.+?) \| (.*?) \| (.*) \|$/gm)];

  it('have an example each that the readers accept, all together', async () => {
    const leaves = [...membersOf(POLICY), ...membersOf(RULES)].filter(
      ({ hasMembers, schema }) => !hasMembers && !schema.properties,
    );
    expect(leaves.filter(({ schema }) => schema.examples === undefined).map(({ path }) => path)).toEqual([]);
    const policy = fileOfExamples(membersOf(POLICY));
    const read = await parsePolicy('POLICY', Buffer.from(JSON.stringify(policy)));
    expect(Object.keys(read.keys)).toHaveLength(16);
    const rules = fileOfExamples(membersOf(RULES));
    expect(await parsePermissions('PERMISSIONS', Buffer.from(JSON.stringify(rules)))).toEqual(rules);
  });

  it('are all in the tables, with type and meaning', () => {
    expect(rows(permissionsTable).map(([, path]) => path)).toEqual(membersOf(RULES).map(({ path }) => path));
    const listed = rows(policyTable).map(([, path = '']) => path);
    const members = membersOf(POLICY).map(({ path }) => path);
    const isElsewhere = (path: string) =>
      path.startsWith('rules.value.') || /\.(locked|reason)$/.test(path) || members.includes(`${path}.value`);
    expect(listed).toEqual([...members.filter((path) => !isElsewhere(path)), 'KEY.locked', 'KEY.reason']);
    const empty = [...rows(policyTable), ...rows(permissionsTable)].filter((cells) => !cells[2] || !cells[4]);
    expect(empty.map(([, path]) => path)).toEqual([]);
  });

  it('are refused by both readers if the tables do not have them', async () => {
    const policy = { ...fileOfExamples(membersOf(POLICY)), other: 1 };
    await expect(parsePolicy('POLICY', Buffer.from(JSON.stringify(policy)))).rejects.toThrow('other');
    const rules = { ...fileOfExamples(membersOf(RULES)), other: 1 };
    await expect(parsePermissions('PERMISSIONS', Buffer.from(JSON.stringify(rules)))).rejects.toThrow('other');
  });
});

describe('the JSON Schemas', () => {
  it.each([
    ['policy', POLICY],
    ['permissions', RULES],
  ] as const)('of a %s accepts what the reader accepts, and refuses unknown and missing members', (name, schema) => {
    const text = FILES.get(`docs/policy-templates/${name}.schema.json`) ?? '';
    const validator = new Validator(JSON.parse(text), '2020-12');
    const examples = fileOfExamples(membersOf(schema));
    expect(validator.validate(examples)).toMatchObject({ valid: true });
    expect(validator.validate({ ...examples, other: 1 }).valid).toBe(false);
    expect(validator.validate({}).valid).toBe(false);
  });
});

/** A file as XML. @throws if it is not well-formed */
function xml(path: string): Element {
  const onError = (message: string) => {
    throw new Error(message);
  };
  const document = new DOMParser({ errorHandler: { warning: onError, error: onError, fatalError: onError } });
  return document.parseFromString(FILES.get(path) ?? '', 'text/xml').documentElement;
}

const all = (element: Element, name: string) => Array.from(element.getElementsByTagName(name));
const ids = (elements: Element[], attribute: string) => elements.map((each) => each.getAttribute(attribute) ?? '');

const fieldsIn = (elements: Element) => all(elements, '*').filter((each) => each.getAttribute('id'));

describe('the administrative template', () => {
  const admx = xml('docs/policy-templates/causeway.admx');
  const adml = xml('docs/policy-templates/en-US/causeway.adml');

  it('has a setting for every key, and every text and field that its settings name', () => {
    const settings = ids(all(admx, 'policy'), 'name');
    const keys = Object.keys(POLICY.properties ?? {}).filter((key) => !['$schema', 'version'].includes(key));
    expect(settings).toEqual(keys);
    const source = FILES.get('docs/policy-templates/causeway.admx') ?? '';
    const named = (kind: string) =>
      [...source.matchAll(new RegExp(`\\$\\(${kind}\\.(\\w+)\\)`, 'g'))].map(([, id]) => id);
    expect(named('string').filter((id) => !ids(all(adml, 'string'), 'id').includes(id ?? ''))).toEqual([]);
    expect(named('presentation').filter((id) => !ids(all(adml, 'presentation'), 'id').includes(id ?? ''))).toEqual([]);
    const fields = all(admx, 'elements').flatMap((each) => ids(fieldsIn(each), 'id'));
    const shown = ['checkBox', 'multiTextBox', 'textBox', 'dropdownList'].flatMap((name) =>
      ids(all(adml, name), 'refId'),
    );
    expect(shown.toSorted()).toEqual(fields.toSorted());
    expect(new Set(fields).size).toBe(fields.length);
  });

  it('writes what the reader of the registry reads as a policy with the same values', async () => {
    const examples: Record<string, unknown> = JSON.parse(JSON.stringify(fileOfExamples(membersOf(POLICY))));
    const lines = all(admx, 'policy').flatMap((setting) => [
      `HKEY_LOCAL_MACHINE\\${setting.getAttribute('key')}`,
      ...fieldsIn(setting).map((field) => `    ${printedBy(field, examples, setting.getAttribute('name') ?? '')}`),
      '',
    ]);
    const text = policyInRegistry(lines.join('\r\n')) ?? Buffer.from('');
    const { $schema: _, ...wanted } = examples;
    expect(JSON.parse(String(text))).toEqual(wanted);
    const { organization, optional, keys } = await parsePolicy('POLICY', text);
    expect({ organization, optional }).toEqual({ organization: wanted.organization, optional: wanted.optional });
    expect(Object.keys(keys)).toHaveLength(16);
  });
});

/** A value of a setting with its example, as `reg query` prints what the template's field writes. */
function printedBy(field: Element, examples: Record<string, unknown>, setting: string): string {
  const name = field.getAttribute('valueName') ?? '';
  const example = examples[setting];
  const value: unknown =
    typeof example === 'object' && example !== null && !Array.isArray(example) ? Reflect.get(example, name) : example;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  switch (field.tagName) {
    case 'multiText':
      return `${name}    REG_MULTI_SZ    ${Array.isArray(value) ? value.join('\\0') : ''}`;
    case 'boolean':
      return `${name}    REG_DWORD    ${value === true ? '0x1' : '0x0'}`;
    case 'enum':
      return all(field, 'decimal').length > 0
        ? `${name}    REG_DWORD    ${value === true ? '0x1' : '0x0'}`
        : `${name}    REG_SZ    ${all(field, 'string').find((each) => each.textContent === text)?.textContent}`;
    default:
      return `${name}    REG_SZ    ${text}`;
  }
}

describe('the manifest of the configuration profile', () => {
  it('has a key for every member, of the type that a property list has for it', () => {
    const plist = xml('docs/policy-templates/io.causeway.plist');
    const names = all(plist, 'key').flatMap((key) =>
      key.textContent === 'pfm_name' ? [key.nextSibling?.nextSibling?.textContent ?? ''] : [],
    );
    const members = membersOf(POLICY).map(
      ({ path }) =>
        path
          .split(/[.[]/)
          .at(-1)
          ?.replace(/^\].*\./, '') ?? '',
    );
    const wanted = members.filter((name) => name !== '$schema');
    expect(wanted.filter((name) => !names.includes(name))).toEqual([]);
    expect(names.filter((name) => !wanted.includes(name) && !/^(Payload\w+|\{\{(key|value)\}\})$/.test(name))).toEqual(
      [],
    );
    const types = all(plist, 'key').flatMap((key) =>
      key.textContent === 'pfm_type' ? [key.nextSibling?.nextSibling?.textContent ?? ''] : [],
    );
    expect(new Set(types)).toEqual(new Set(['string', 'integer', 'boolean', 'array', 'dictionary']));
  });
});
