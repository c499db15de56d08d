import { afterEach, describe, expect, it } from 'vitest';
import { statementRows } from './sql-answers.ts';
import { type Connection, startTestHost, type TestHost } from './test-host.ts';

const TAXI = '01ef2b7c5a9d1e3f8c4b6a0d2e5f7191';
const ORDERS = '01ef2b7c5a9d1e3f8c4b6a0d2e5f7192';
const FINANCE = '01ef2b7c5a9d1e3f8c4b6a0d2e5f7193';
const BEN = 'ben@example.com';
const CHLOE = 'chloe@example.com';

let host: TestHost;
afterEach(() => host.close());

function connect(space: string, user = BEN): Promise<Connection> {
  return host.connect(`/api/2.0/mcp/genie/${space}`, user);
}

interface Answer {
  status: string;
  conversationId: string;
  messageId: string;
  content: { textAttachments?: string[]; queryAttachments?: { query: string; statement_response: object }[] };
}

async function ask(genie: Connection, space: string, query: string, conversation_id?: string): Promise<Answer> {
  const question = { query, ...(conversation_id !== undefined && { conversation_id }) };
  const asked = (await genie.call(`query_space_${space}`, question)) as unknown as Answer;
  expect(asked).toMatchObject({ status: 'ASKING_AI', content: {} });
  return poll(genie, space, asked);
}

const UNDER_WAY = ['ASKING_AI', 'PENDING_WAREHOUSE', 'EXECUTING_QUERY'];

async function poll(genie: Connection, space: string, { conversationId, messageId }: Answer): Promise<Answer> {
  const ids = { conversation_id: conversationId, message_id: messageId };
  const answer = (await genie.call(`poll_response_${space}`, ids)) as unknown as Answer;
  return UNDER_WAY.includes(answer.status) ? poll(genie, space, answer) : answer;
}

function rowsIn(answer: Answer): (string | null)[][] {
  return statementRows({ ...answer.content.queryAttachments?.[0]?.statement_response });
}

describe('a Genie space', () => {
  it('offers a question and its answer as tools that carry its id', async () => {
    host = await startTestHost();
    expect(await (await connect(TAXI)).toolNames()).toEqual([`query_space_${TAXI}`, `poll_response_${TAXI}`]);
  });

  it('answers with a query, its rows and a sentence', async () => {
    host = await startTestHost();
    const answer = await ask(await connect(TAXI), TAXI, 'Which pick-up areas are the busiest, top 3?');
    expect(answer.status).toBe('COMPLETED');
    const rows = rowsIn(answer);
    expect(rows).toHaveLength(3);
    expect(answer.content.textAttachments?.[0]).toContain(`${rows[0]?.[0]} with ${rows[0]?.[1]} trips`);
    expect(answer.content.queryAttachments?.[0]?.query).toContain('samples.nyctaxi.trips');
  });

  it('keeps the conversation: a second question can refer to the first', async () => {
    host = await startTestHost();
    const genie = await connect(TAXI);
    const first = await ask(genie, TAXI, 'Which trips were the longest?');
    const second = await ask(genie, TAXI, 'Only 2, please', first.conversationId);
    expect(second.conversationId).toBe(first.conversationId);
    expect(second.messageId).not.toBe(first.messageId);
    expect(rowsIn(second)).toEqual(rowsIn(first).slice(0, 2));
    const alone = await ask(genie, TAXI, 'Only 2, please');
    expect(alone.content.queryAttachments).toBeUndefined();
  });

  it('says what it understands if it does not understand the question', async () => {
    host = await startTestHost();
    const answer = await ask(await connect(TAXI), TAXI, 'Why?');
    expect(answer).toMatchObject({
      status: 'COMPLETED',
      content: { suggestedQuestions: expect.arrayContaining(['What is the average fare?']) },
    });
  });

  it('uses its own warehouse, whatever the user’s override, and starts it', async () => {
    host = await startTestHost();
    const warehouseId = host.state.genieSpaces.find(({ spaceId }) => spaceId === ORDERS)?.warehouseId ?? '';
    const answer = await ask(await connect(ORDERS), ORDERS, 'Which nations order the most?');
    expect(answer.status).toBe('COMPLETED');
    expect(host.servers.statements).toMatchObject([
      { choice: { source: 'genie-space', warehouseId }, startedWarehouse: true },
    ]);
    expect(host.state.warehouses.find(({ id }) => id === warehouseId)?.state).toBe('RUNNING');
  });

  it('reports that it waits for its warehouse', async () => {
    host = await startTestHost({ startupMs: 60_000 }, { waitMs: 1 });
    const genie = await connect(ORDERS);
    const asked = await genie.call(`query_space_${ORDERS}`, { query: 'Which nations order the most?' });
    const ids = { conversation_id: asked.conversationId, message_id: asked.messageId };
    expect(await genie.call(`poll_response_${ORDERS}`, ids)).toMatchObject({ status: 'PENDING_WAREHOUSE' });
  });

  it('queries with the grants of the user who asks', async () => {
    host = await startTestHost();
    host.state.schemas.find(({ schema }) => schema === 'nyctaxi')?.grantedTo.delete('users');
    const answer = await ask(await connect(TAXI), TAXI, 'How many trips were there?');
    expect(answer).toMatchObject({
      status: 'FAILED',
      content: { textAttachments: [expect.stringContaining('samples.nyctaxi')] },
    });
  });
});

describe('a Genie space that is not available to the user', () => {
  it('has no tools if the user cannot use it', async () => {
    host = await startTestHost();
    expect(await (await connect(FINANCE)).toolNames()).toEqual([]);
    expect(await (await connect(ORDERS, CHLOE)).toolNames()).toEqual([]);
  });

  it('is an error if it does not exist', async () => {
    host = await startTestHost();
    await expect((await connect('01ef')).toolNames()).rejects.toThrow('BAD_REQUEST: Genie space 01ef not found');
  });

  it('is an error if the conversation is another user’s or another space’s', async () => {
    host = await startTestHost();
    const { conversationId } = await ask(await connect(TAXI), TAXI, 'How many trips were there?');
    const [chloe, orders] = [await connect(TAXI, CHLOE), await connect(ORDERS)];
    const question = { query: 'How many trips?', conversation_id: conversationId };
    await expect(chloe.call(`query_space_${TAXI}`, question)).rejects.toThrow('Conversation');
    await expect(orders.call(`query_space_${ORDERS}`, question)).rejects.toThrow('Conversation');
    const ids = { conversation_id: conversationId, message_id: 'none' };
    await expect((await connect(TAXI)).call(`poll_response_${TAXI}`, ids)).rejects.toThrow('Message none not found');
  });
});
