import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';

const SPACE = '01ef2b7c5a9d1e3f8c4b6a0d2e5f7191';

const Turn = z.object({
  status: z.string(),
  conversationId: z.string(),
  messageId: z.string(),
  content: z.object({ textAttachments: z.array(z.string()).optional() }),
});
const Rows = z.object({ rows: z.array(z.array(z.unknown())) });
const Matches = z.object({ result: z.object({ data_array: z.array(z.array(z.unknown())) }) });

/** One question to one server, and what came back in a line. */
export interface Exchange extends Record<string, string> {
  server: string;
  asked: string;
  answered: string;
}

/** Asks a Genie space, polling as its tools demand. */
async function askGenie(client: Client): Promise<string> {
  const query = 'What is the average fare?';
  let turn = Turn.parse(await call(client, `query_space_${SPACE}`, { query }));
  while (!['COMPLETED', 'FAILED', 'CANCELLED'].includes(turn.status)) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const { conversationId: conversation_id, messageId: message_id } = turn;
    turn = Turn.parse(await call(client, `poll_response_${SPACE}`, { conversation_id, message_id }));
  }
  const [text] = turn.content.textAttachments ?? [];
  if (turn.status !== 'COMPLETED' || text === undefined) throw new Error(`Genie ended as ${turn.status}.`);
  return text;
}

/** The servers besides SQL: a question to each, as a user would put it. */
const QUESTIONS: { server: string; asked: string; ask(client: Client): Promise<string> }[] = [
  { server: 'genie-taxi-trips', asked: 'What is the average fare?', ask: askGenie },
  {
    server: 'search-support',
    asked: 'My parcel is late',
    ask: async (client) => {
      const found = Matches.parse(await call(client, 'main__support__faq_index', { query: 'My parcel is late' }));
      return String(found.result.data_array[0]?.[1] ?? 'nothing');
    },
  },
  {
    server: 'functions-default',
    asked: 'fare_with_tip(20, 15)',
    ask: async (client) => {
      const made = Rows.parse(await call(client, 'main__default__fare_with_tip', { fare: 20, tip_percent: 15 }));
      return String(made.rows[0]?.[0] ?? 'nothing');
    },
  },
];

/** Asks each of the servers besides SQL its question. */
export async function askOtherServers(clients: Map<string, Client>): Promise<Exchange[]> {
  return Promise.all(
    QUESTIONS.map(async ({ server, asked, ask }) => {
      const client = clients.get(server);
      if (!client) throw new Error(`${server} is not connected.`);
      return { server, asked, answered: await ask(client) };
    }),
  );
}

async function call(client: Client, name: string, given: Record<string, unknown>): Promise<unknown> {
  const answer = await client.callTool({ name, arguments: given });
  const [first] = answer.content;
  const text = first?.type === 'text' ? first.text : '';
  if (answer.isError) throw new Error(`${name} failed: ${text}`);
  return answer.structuredContent ?? JSON.parse(text);
}
