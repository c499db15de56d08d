import type { Schema } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import type { ToolInfo } from '../../../preload/contract.ts';
import { entriesOf, type FormEntry, problemsIn, readFormEntries } from '../../../renderer/servers/form/entry.ts';
import { type FormField, formFields } from '../../../renderer/servers/form/field.ts';
import { badgesOf } from '../../../renderer/servers/format.ts';
import { followUps, pollAfter } from '../../../renderer/servers/tools/follow-up.ts';
import { tableIn } from '../../../renderer/servers/tools/result-table.ts';

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
    ['one of several strings', { type: 'string', enum: ['a', 'b'] }, 'choice'],
    ['one of several constants', { oneOf: [{ const: 1, title: 'One' }, { const: 2 }] }, 'choice'],
    ['a constant', { const: 'fixed' }, 'choice'],
    ['a string or null', { type: ['string', 'null'] }, 'text'],
    ['a number or null, as Python writes it', { anyOf: [{ type: 'number' }, { type: 'null' }] }, 'number'],
    ['a list', { type: 'array', items: { type: 'string' } }, 'list'],
    ['a list of any values', { type: 'array' }, 'json'],
    ['an object', { type: 'object', properties: { y: { type: 'string' } } }, 'object'],
    ['an object with any names', { type: 'object', additionalProperties: true }, 'json'],
    ['two kinds', { type: ['string', 'number'] }, 'json'],
    ['anything', {}, 'json'],
    ['an invalid schema', true, 'json'],
  ])('is chosen for %s', (_, property, kind) => {
    expect(kindOf(property)).toBe(kind);
  });

  it('follows references, and ends if they are circular', () => {
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

describe('the input', () => {
  const read = (entries: { [name: string]: FormEntry }) => readFormEntries(FIELDS, { ...START, ...entries });

  it('starts with the defaults, and leaves out what was not entered', () => {
    expect(read({ query: 'tips' })).toEqual({
      values: { query: 'tips', limit: 5, order: 'down' },
      problems: new Map(),
    });
  });

  it('becomes the arguments that the tool takes', () => {
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
    ['a required value', {}, ['/query', 'This field is required.']],
    ['a string that is too short', { query: 'x' }, ['/query', 'This is too short.']],
    ['a number that is invalid', { query: 'xy', limit: 'many' }, ['/limit', 'Enter a number.']],
    ['a number with a fraction', { query: 'xy', limit: '1.5' }, ['/limit', 'This has the wrong type.']],
    ['too much', { query: 'xy', limit: '11' }, ['/limit', 'Enter 10 or less.']],
    ['too little', { query: 'xy', limit: '0' }, ['/limit', 'Enter 1 or more.']],
    ['invalid JSON', { query: 'xy', filters: "{'a'}" }, ['/filters', expect.stringContaining('valid JSON')]],
    ['an item that was left empty', { query: 'xy', columns: [''] }, ['/columns/0', 'This field is required.']],
  ])('is refused with a message at its field: %s', (_, entries, problem) => {
    expect([...problemsIn(SCHEMA, read(entries))]).toEqual([problem]);
  });

  it('is valid if nothing is wrong, or if the schema itself is invalid', () => {
    expect(problemsIn(SCHEMA, read({ query: 'tips' })).size).toBe(0);
    const beyond = { type: 'object', properties: { a: { $ref: '#/nowhere' } } } as const;
    expect(problemsIn(beyond, { values: { a: 1 }, problems: new Map() }).size).toBe(0);
  });
});

describe('the table in an answer', () => {
  it.each<[string, unknown, { columns: string[]; rows: (string | null)[][] } | undefined]>([
    [
      'of the SQL server',
      {
        manifest: { schema: { columns: [{ name: 'a' }, { name: 'b' }] } },
        result: { data_array: [{ values: [{ string_value: '1' }, { null_value: 'NULL_VALUE' }] }] },
      },
      { columns: ['a', 'b'], rows: [['1', null]] },
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
          ['1', null],
          [null, '{"c":2}'],
        ],
      },
    ],
    ['that is none', { answer: 'yes' }, undefined],
    ['of nothing', [], undefined],
  ])('is read from the answer: %s', (_, value, table) => {
    const found = tableIn(value);
    expect(found && { columns: found.columns.map(({ name }) => name), rows: found.rows }).toEqual(table);
  });

  it('has the types of its columns, and whether rows are missing, if the server reports them', () => {
    const columns = [
      { name: 'a', type_text: 'DECIMAL(10,2)', type_name: 'DECIMAL' },
      { name: 'b', type_name: 'STRING' },
      { name: 'c' },
    ];
    const table = tableIn({ manifest: { schema: { columns }, truncated: true }, result: { data_array: [] } });
    expect(table?.columns.map(({ type }) => type)).toEqual(['DECIMAL(10,2)', 'STRING', null]);
    expect(table).toMatchObject({ rows: [], isTruncated: true });
  });
});

describe('the badges of a tool', () => {
  const hints = { readOnly: null, destructive: null, idempotent: null, openWorld: null };

  it.each<[string, Partial<ToolInfo['hints']>, ToolInfo['effect'], string[]]>([
    ['nothing', {}, 'unknown', []],
    ['only reading', { readOnly: true, idempotent: true, openWorld: false }, 'reads', ['readOnly']],
    ['destroying', { destructive: true, openWorld: true }, 'destroys', ['destructive', 'openWorld']],
    ['changing again and again', { destructive: false, idempotent: true }, 'changes', ['writes', 'idempotent']],
  ])('follow from the server’s annotations: %s', (_, said, effect, badges) => {
    expect(badgesOf({ hints: { ...hints, ...said }, effect })).toEqual(badges);
  });
});

describe('the next step after an answer', () => {
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

  it('is the tool that takes what the answer returned', () => {
    expect(followUps(tools, 'run', { statement_id: 's1', status: { state: 'RUNNING' } })).toEqual([
      { tool: tools[1], values: { statement_id: 's1' } },
    ]);
    expect(namesAfter({ conversationId: 'c', messageId: 'm', status: 'ASKING_AI' })).toEqual(['answer']);
  });

  it('is nothing once the statement has ended, or if something is missing', () => {
    expect(namesAfter({ statement_id: 's1', status: { state: 'SUCCEEDED' } })).toEqual([]);
    expect(namesAfter({ conversationId: 'c' })).toEqual([]);
    expect(namesAfter('text')).toEqual([]);
  });

  it('is polled while it runs, and no longer', () => {
    const poll = tool('poll_sql_result', ['statement_id']);
    const asked = (state: string) => pollAfter([poll], 'execute_sql', { statement_id: 's1', status: { state } });
    expect(asked('RUNNING')).toMatchObject({ tool: { name: 'poll_sql_result' }, values: { statement_id: 's1' } });
    expect([asked('SUCCEEDED'), asked('FAILED')]).toEqual([undefined, undefined]);
    expect(pollAfter([poll], 'other', { statement_id: 's1' })).toBeUndefined();
    expect(pollAfter([{ ...poll, effect: 'destroys' }], 'x', { statement_id: 's', status: 'PENDING' })).toBeUndefined();
  });
});
