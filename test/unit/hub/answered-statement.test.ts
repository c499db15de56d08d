import { describe, expect, test } from 'vitest';
import { parseFrame } from '../../../main/bridge/frame/frame.ts';
import { answeredStatement, polledStatement, statementOfLongAnswer } from '../../../main/hub/answered-statement.ts';

const ID = '01f0c8a2-77aa-1b2c-9d3e-4f5a6b7c8d9e';
const frame = (result: unknown) => Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
const parsed = (result: unknown) => parseFrame(frame(result));
const text = (value: unknown) => [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }];

describe('the statement in a short answer', () => {
  const shape = { statement_id: ID, status: { state: 'RUNNING' } };

  test('is found in the structured content, or in a text where there is none', () => {
    expect(answeredStatement(parsed({ structuredContent: shape, content: [] }))).toEqual({ id: ID, state: 'RUNNING' });
    expect(answeredStatement(parsed({ content: text(shape) }))).toEqual({ id: ID, state: 'RUNNING' });
    expect(answeredStatement(parsed({ content: text('| n |\n|---|\n| 1 |'), structuredContent: shape }))?.id).toBe(ID);
  });

  test('is found inside what Genie answers, with several the first', () => {
    const other = { statement_id: `${ID}-2` };
    const genie = { status: 'COMPLETED', content: { queryAttachments: [{ query: { statement_id: ID } }, other] } };
    expect(answeredStatement(parsed({ structuredContent: genie, content: [] }))).toEqual({ id: ID, state: null });
  });

  test.each([
    ['no answer of a statement', { content: text('done') }],
    ['an id that is no id', { structuredContent: { statement_id: '../x', status: { state: 'RUNNING' } } }],
    ['a number', { structuredContent: { statement_id: 17 } }],
    ['an id in a value of a row', { structuredContent: { rows: [{ string_value: `{"statement_id":"${ID}"}` }] } }],
    ['text that is not JSON', { content: text(`"statement_id": "${ID}"`) }],
  ])('is not made up: %s', (_, result) => {
    expect(answeredStatement(parsed(result))).toBeNull();
  });
});

describe('the statement in a long answer', () => {
  const shape = { statement_id: ID, status: { state: 'SUCCEEDED' }, result: { filler: 'x'.repeat(70_000) } };

  test('is found where the SQL server writes it', () => {
    const inText = frame({ content: text(shape), structuredContent: shape });
    const afterMarkdown = frame({ content: text('| n |'.repeat(20_000)), structuredContent: shape });
    const pretty = frame({ content: text(JSON.stringify(shape, null, 2)) });
    for (const answer of [inText, afterMarkdown, pretty])
      expect(statementOfLongAnswer(answer)).toEqual({ id: ID, state: null });
  });

  test('is not taken from a row that looks like one', () => {
    const row = `"structuredContent":{"statement_id":"${ID}"`.repeat(2_000);
    expect(statementOfLongAnswer(frame({ content: text(row) }))).toBeNull();
  });
});

test('a poll names its statement in its arguments', () => {
  expect(polledStatement({ name: 'poll_sql_result', arguments: { statement_id: ID } })).toBe(ID);
  expect(polledStatement({ name: 'execute_sql', arguments: { query: 'SELECT 1' } })).toBeNull();
  expect(polledStatement(undefined)).toBeNull();
});
