import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { answer } from '../../../main/desktop/requests.ts';
import { isTooLarge } from '../../../main/desktop/window/input-size.ts';
import { requests } from '../../../preload/contract.ts';

/** What is bounded by the size of the whole request alone: the arguments of a tool, which its server defines. */
const BY_SIZE = ['tryTool.arguments'];

/** What has no size. */
const SCALARS = ['boolean', 'number', 'integer', 'null'];

const schemaNode = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  maxLength: z.number().optional(),
  maxItems: z.number().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  additionalProperties: z.unknown().optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  allOf: z.array(z.unknown()).optional(),
});

/** The places of a JSON schema at which the window could send as much as it likes. */
function unbounded(schema: unknown, path: string): string[] {
  if (BY_SIZE.includes(path)) return [];
  const node = schemaNode.parse(schema);
  const choices = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])];
  if (choices.length > 0) return choices.flatMap((choice) => unbounded(choice, path));
  if ('const' in node || 'enum' in node) return [];
  if (Array.isArray(node.type)) return node.type.every((type) => SCALARS.includes(type)) ? [] : [path];
  if (node.type !== undefined && SCALARS.includes(node.type)) return [];
  switch (node.type) {
    case 'string':
      return node.maxLength === undefined ? [path] : [];
    case 'array':
      return [...(node.maxItems === undefined ? [path] : []), ...unbounded(node.items, `${path}[]`)];
    case 'object': {
      const { additionalProperties: others } = node;
      const isOpen = others !== undefined && others !== false;
      const members = Object.entries(node.properties ?? {});
      return [...(isOpen ? [path] : []), ...members.flatMap(([name, each]) => unbounded(each, `${path}.${name}`))];
    }
    default:
      return [path];
  }
}

const TAKING = Object.entries(requests).filter(([, { input }]) => input.def.type !== 'undefined');

test.each(TAKING)('everything that the window sends as %s has a bound', (name, { input }) => {
  expect(unbounded(z.toJSONSchema(input, { io: 'input' }), name)).toEqual([]);
});

describe('a place without a bound is found', () => {
  test.each([
    ['a text', z.object({ x: z.string() }), ['it.x']],
    ['a list', z.object({ x: z.array(z.string().max(2)).nullable() }), ['it.x']],
    ["a list's item", z.array(z.string()).max(2), ['it[]']],
    ['a choice', z.union([z.object({ x: z.string().max(2) }), z.object({ y: z.string() })]), ['it.y']],
    ['a table of names', z.record(z.string(), z.number()), ['it']],
    ['anything', z.object({ x: z.unknown() }), ['it.x']],
    ['none', z.object({ x: z.enum(['a', 'b']).optional(), y: z.literal('c'), z: z.int().nullable() }), []],
  ])('%s', (_, schema, places) => {
    expect(unbounded(z.toJSONSchema(schema, { io: 'input' }), 'it')).toEqual(places);
  });
});

describe('a request that holds too much', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => at);

  test.each([
    ['many items', many(50_000)],
    ['many lists', many(500).map(() => many(100))],
    ['a long text', { text: 'x'.repeat(3_000_000) }],
    ['many members', Object.fromEntries(many(50_000).map((at) => [`key${at}`, at]))],
    ['long names', { ['x'.repeat(3_000_000)]: 1 }],
    ['bytes', { bytes: new Uint8Array(3_000_000) }],
    ['a hole', new Array(4_000_000_000)],
    ['depth', many(50_000).reduce<unknown>((inner) => [inner], 1)],
  ])('is recognized: %s', (_, input) => {
    expect(isTooLarge(input, false)).toBe(true);
  });

  test('is not one of an ordinary form, nor a table that is copied', () => {
    const table = { columns: ['a', 'b'], rows: many(50_000).map((at) => [`${at}`, 'value']) };
    expect(isTooLarge({ profile: 'prod', servers: many(1_000).map(String) }, false)).toBe(false);
    expect(isTooLarge(table, false)).toBe(true);
    expect(isTooLarge(table, true)).toBe(false);
    expect(isTooLarge(undefined, false)).toBe(false);
  });

  test('is refused before any schema sees it', async () => {
    const handlers = new Proxy(Object.create(null), { get: () => () => expect.unreachable() });
    const junk = { profile: 'prod', servers: many(1_000_000) };
    expect(await answer(handlers, 'signInTo', junk)).toMatchObject({
      ok: false,
      problem: { code: 'invalid_argument', message: 'The window sent too much as signInTo.' },
    });
  });
});
