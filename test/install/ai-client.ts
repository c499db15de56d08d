import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';
import type { Account } from './account.ts';

/** An entry in an AI client's file. */
export interface Entry {
  command: string;
  args: string[];
}

/** An official MCP client that starts an entry's command as that user, as an AI client does. */
export async function connect(account: Account, { command, args }: Entry): Promise<Client> {
  const [program = '', ...before] = account.prefix;
  const client = new Client({ name: 'claude-ai', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({ command: program, args: [...before, command, ...args], stderr: 'ignore' }),
  );
  return client;
}

const outcome = z.looseObject({ statement_id: z.string(), status: z.looseObject({ state: z.string() }) });
const NOT_DONE = ['PENDING', 'RUNNING'];
/** How long a statement is left alone before it is asked for again, in milliseconds. */
const ASK_AGAIN_MS = 100;

/** Runs a query through the client, to its end. @returns the text of the answer */
export async function query(client: Client, statement: string): Promise<string> {
  let answer = await client.callTool({ name: 'execute_sql_read_only', arguments: { query: statement } });
  for (;;) {
    const { statement_id, status } = outcome.parse(answer.structuredContent);
    if (!NOT_DONE.includes(status.state)) return JSON.stringify(answer);
    await sleep(ASK_AGAIN_MS);
    answer = await client.callTool({ name: 'poll_sql_result', arguments: { statement_id } });
  }
}
