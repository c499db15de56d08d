import type { Schema } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import type { ToolInfo } from '../../../preload/contract.ts';
import { entriesOf, type FormEntry, problemsIn, readFormEntries } from '../../../renderer/servers/form/entry.ts';
import { type FormField, formFields } from '../../../renderer/servers/form/field.ts';
import { tableIn } from '../../../renderer/servers/tools/answer.tsx';
import { followUps } from '../../../renderer/servers/tools/try-tool.tsx';

/** One field for one property, as its kind alone. */
const kindOf = (property: unknown, root: object = {}) => {
  const [field] = formFields({ ...root, type: 'object', properties: { x: property } });
  return field?.kind;
};

describe('the control for a property of a tool', () => {
  it.each<[string, unknown, FormField['kind']]>([
    ['a text', { type: 'string' }, 'text'],
    ['a number', { type: 'number' }, 'number'],
    ['a whole number', { type: 'integer' }, 'number'],
    ['yes or no', { type: 'boolean' }, 'boolean'],
    ['one of several texts', { type: 'string', enum: ['a', 'b'] }, 'choice'],
    ['one of several constants', { oneOf: [{ const: 1, title: 'One' }, { const: 2 }] }, 'choice'],
    ['a constant', { const: 'fixed' }, 'choice'],
    ['a text or null', { type: ['string', 'null'] }, 'text'],
    ['a number or null, as Python writes it', { anyOf: [{ type: 'number' }, { type: 'null' }] }, 'number'],
    ['a list', { type: 'array', items: { type: 'string' } }, 'list'],
    ['a list of anything', { type: 'array' }, 'json'],
    ['an object', { type: 'object', properties: { y: { type: 'string' } } }, 'object'],
    ['an object of any names', { type: 'object', additionalProperties: true }, 'json'],
    ['two kinds', { type: ['string', 'number'] }, 'json'],
    ['anything', {}, 'json'],
    ['what is no schema', true, 'json'],
  ])('is chosen for %s', (_, property, kind) => {
    expect(kindOf(property)).toBe(kind);
  });

  it('follows references, and ends where they go in circles', () => {
    const node = { type: 'object', properties: { child: { $ref: '#/$defs/node' }, name: { type: 'string' } } };
    expect(kindOf({ $ref: '#/$defs/name' }, { $defs: { name: { type: 'string' } } })).toBe('text');
    expect(kindOf({ $ref: '#/$defs/node' }, { $defs: { node } })).toBe('object');
    expect(kindOf({ $ref: '#/$defs/self' }, { $defs: { self: { $ref: '#/$defs/self' } } })).toBe('json');
    expect(kindOf({ $ref: 'https://elsewhere.example/schema' })).toBe('json');
  });

  it('has the schema’s own title and description', () => {
    const schema = {
      properties: { q: { type: 'string', title: 'Question', description: 'In words.' } },
      required: ['q'],
    };
    expect(formFields(schema)).toMatchObject([
      { name: 'q', label: 'Question', description: 'In words.', required: true },
    ]);
  });
});

const SCHEMA: Schema = {
  type: 'object',
  properties: {
    query: { type: 'string', minLength: 2 },
    limit: { type: 'integer', minimum: 1, maximum: 10, default: 5 },
    exact: { type: 'boolean' },
    order: { enum: ['up', 'down'], default: 'down' },
    columns: { type: 'array', items: { type: 'string' } },
    options: { type: 'object', properties: { depth: { type: 'number' } }, required: ['depth'] },
    filters: {},
  },
  required: ['query'],
};
const FIELDS = formFields({ ...SCHEMA });
const START = entriesOf(FIELDS);

describe('what is entered', () => {
  const read = (entries: { [name: string]: FormEntry }) => readFormEntries(FIELDS, { ...START, ...entries });

  it('begins with the defaults, and leaves out what was not given', () => {
    expect(read({ query: 'tips' })).toEqual({
      values: { query: 'tips', limit: 5, order: 'down' },
      problems: new Map(),
    });
  });

  it('becomes what the tool takes', () => {
    const { values } = read({
      query: 'tips',
      limit: '7',
      exact: 'no',
      order: '0',
      columns: ['a', 'b'],
      options: { depth: '1,5' },
      filters: '{"a": [1]}',
    });
    expect(values).toEqual({
      query: 'tips',
      limit: 7,
      exact: false,
      order: 'up',
      columns: ['a', 'b'],
      options: { depth: 1.5 },
      filters: { a: [1] },
    });
  });

  it.each<[string, { [name: string]: FormEntry }, [string, string]]>([
    ['something that is needed', {}, ['/query', 'This is needed.']],
    ['a text that is too short', { query: 'x' }, ['/query', 'This is too short.']],
    ['a number that is none', { query: 'xy', limit: 'many' }, ['/limit', 'This is not a number.']],
    ['a number with a fraction', { query: 'xy', limit: '1.5' }, ['/limit', 'This is of the wrong kind.']],
    ['too much', { query: 'xy', limit: '11' }, ['/limit', 'The most is 10.']],
    ['too little', { query: 'xy', limit: '0' }, ['/limit', 'The least is 1.']],
    ['JSON that is none', { query: 'xy', filters: "{'a'}" }, ['/filters', expect.stringContaining('not JSON')]],
    ['an item that was left empty', { query: 'xy', columns: [''] }, ['/columns/0', 'This is needed.']],
  ])('is refused in words at its place: %s', (_, entries, problem) => {
    expect([...problemsIn(SCHEMA, read(entries))]).toEqual([problem]);
  });

  it('passes where nothing is wrong, and where the schema itself is', () => {
    expect(problemsIn(SCHEMA, read({ query: 'tips' })).size).toBe(0);
    const beyond = { type: 'object', properties: { a: { $ref: '#/nowhere' } } } as const;
    expect(problemsIn(beyond, { values: { a: 1 }, problems: new Map() }).size).toBe(0);
  });
});

describe('the table in an answer', () => {
  it.each<[string, unknown, { columns: string[]; rows: string[][] } | undefined]>([
    [
      'of the SQL server',
      {
        manifest: { schema: { columns: [{ name: 'a' }, { name: 'b' }] } },
        result: { data_array: [{ values: [{ string_value: '1' }, { null_value: 'NULL_VALUE' }] }] },
      },
      { columns: ['a', 'b'], rows: [['1', '']] },
    ],
    [
      'of vector search',
      { manifest: { columns: [{ name: 'id' }] }, result: { data_array: [['7']] } },
      { columns: ['id'], rows: [['7']] },
    ],
    ['of a function', { columns: ['x'], rows: [['AL']] }, { columns: ['x'], rows: [['AL']] }],
    [
      'of objects',
      [{ a: 1 }, { b: { c: 2 } }],
      {
        columns: ['a', 'b'],
        rows: [
          ['1', ''],
          ['', '{"c":2}'],
        ],
      },
    ],
    ['that is none', { answer: 'yes' }, undefined],
    ['of nothing', [], undefined],
  ])('is read from the answer: %s', (_, value, table) => {
    expect(tableIn(value)).toEqual(table);
  });
});

describe('what an answer leads to', () => {
  const tool = (name: string, required: string[], others: string[] = []): ToolInfo => ({
    name,
    title: null,
    description: '',
    hints: { readOnly: true, destructive: null, idempotent: null, openWorld: null },
    effect: 'reads',
    inputSchema: { required, properties: Object.fromEntries([...required, ...others].map((each) => [each, {}])) },
  });
  const tools = [
    tool('run', ['query'], ['conversation_id']),
    tool('poll', ['statement_id']),
    tool('answer', ['conversation_id', 'message_id']),
  ];
  const namesAfter = (structured: unknown) => followUps(tools, 'run', structured).map(({ tool: { name } }) => name);

  it('is the tool that takes what the answer gave', () => {
    expect(followUps(tools, 'run', { statement_id: 's1', status: { state: 'RUNNING' } })).toEqual([
      { tool: tools[1], values: { statement_id: 's1' } },
    ]);
    expect(namesAfter({ conversationId: 'c', messageId: 'm', status: 'ASKING_AI' })).toEqual(['answer']);
  });

  it('is nothing once it has ended, or where something is missing', () => {
    expect(namesAfter({ statement_id: 's1', status: { state: 'SUCCEEDED' } })).toEqual([]);
    expect(namesAfter({ conversationId: 'c' })).toEqual([]);
    expect(namesAfter('text')).toEqual([]);
  });
});
