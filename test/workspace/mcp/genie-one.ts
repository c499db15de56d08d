import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { User, WorkspaceState } from '../model.ts';
import { QUESTIONS, type Understood, understand } from './genie-questions.ts';
import type { ManagedServerSettings } from './settings.ts';
import { type StatementRecord, type Statements, statementBody } from './statements.ts';
import { badRequest, readArguments, type ServedServer, type ServedTool, structured } from './toolset.ts';
import { chooseWarehouse } from './warehouse-choice.ts';

/** Genie One: questions about everything that the user may read, on the warehouse that is resolved for them. */

interface Answer {
  responseId: string;
  conversationId: string;
  userId: string;
  understood: Understood | undefined;
  statement: StatementRecord | undefined;
}

export interface GenieOneParts {
  state: WorkspaceState;
  statements: Statements;
  settings: ManagedServerSettings;
  /** In the order of the questions. */
  answers: Answer[];
}

const Ask = z.object({ question: z.string().min(1), conversation_id: z.string().optional() });
const Poll = z.object({ conversation_id: z.string(), response_id: z.string() });

const POLLING = {
  type: 'object' as const,
  properties: { conversation_id: { type: 'string' }, response_id: { type: 'string' } },
  required: ['conversation_id', 'response_id'],
};

export function genieOneServer(parts: GenieOneParts, user: User): ServedServer {
  return {
    name: 'genie-one',
    instructions: 'Answers questions about data. Poll until the status is completed.',
    tools: () => [askTool(parts, user), pollTool(parts, user), resultTool(parts, user)],
  };
}

function askTool(parts: GenieOneParts, user: User): ServedTool {
  return {
    definition: {
      name: 'genie_ask',
      description: 'Asks a question about the data of the workspace.',
      inputSchema: {
        type: 'object',
        properties: { question: { type: 'string' }, conversation_id: { type: 'string' } },
        required: ['question'],
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    call: async (input) => {
      const { question, conversation_id } = readArguments(Ask, input);
      const answer = ask(parts, user, question, conversation_id);
      return structured({
        conversation_id: answer.conversationId,
        response_id: answer.responseId,
        status: 'in_progress',
      });
    },
  };
}

function ask(
  { state, statements, settings, answers }: GenieOneParts,
  user: User,
  question: string,
  conversationId: string | undefined,
): Answer {
  const before = answers.findLast((one) => one.conversationId === conversationId && one.userId === user.id);
  if (conversationId !== undefined && !before) throw badRequest(`Conversation ${conversationId} not found`);
  const understood = understand(question, before?.understood);
  const choice = chooseWarehouse(state, user, undefined, settings.heuristic);
  const query = understood?.question.sql(understood.limit);
  const statement = query === undefined ? undefined : statements.submit({ user, query, readOnly: true, choice });
  const answer: Answer = {
    responseId: randomUUID(),
    conversationId: conversationId ?? randomUUID(),
    userId: user.id,
    understood,
    statement,
  };
  answers.push(answer);
  return answer;
}

function pollTool(parts: GenieOneParts, user: User): ServedTool {
  return {
    definition: {
      name: 'genie_poll_response',
      description: 'Fetches the answer to a question.',
      inputSchema: POLLING,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    call: async (input) => {
      const answer = find(parts, user, readArguments(Poll, input));
      if (answer.statement) await parts.statements.wait(answer.statement, parts.settings.waitMs);
      const known = { conversation_id: answer.conversationId, response_id: answer.responseId };
      const text = finalAnswer(answer);
      return structured({ ...known, ...(text === undefined ? { status: 'in_progress' } : completed(text)) });
    },
  };
}

function resultTool(parts: GenieOneParts, user: User): ServedTool {
  return {
    definition: {
      name: 'genie_get_query_result',
      description: 'Gives the rows behind an answer.',
      inputSchema: POLLING,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    call: async (input) => {
      const { statement } = find(parts, user, readArguments(Poll, input));
      if (!statement) throw badRequest('There is no query behind this answer.');
      return structured(statementBody(statement));
    },
  };
}

/** An answer to this user's own question; others' are as good as unknown. */
function find({ answers }: GenieOneParts, user: User, wanted: z.infer<typeof Poll>): Answer {
  const found = answers.find(
    (one) =>
      one.userId === user.id && one.responseId === wanted.response_id && one.conversationId === wanted.conversation_id,
  );
  if (!found) throw badRequest(`Response ${wanted.response_id} not found`);
  return found;
}

function completed(text: string): Record<string, string> {
  return { status: 'completed', final_answer: text };
}

/** Undefined while the query behind it is under way. */
function finalAnswer({ understood, statement }: Answer): string | undefined {
  if (!understood || !statement) {
    const examples = QUESTIONS.map(({ example }) => example).join(' ');
    return `I do not understand the question. These I can answer: ${examples}`;
  }
  const { status } = statement;
  if (status.state === 'FAILED') return status.error.message;
  if (status.state !== 'SUCCEEDED') {
    return status.state === 'PENDING' || status.state === 'RUNNING' ? undefined : 'The query was canceled.';
  }
  const first = status.rows.rows[0]?.map((value) => value ?? 'nothing') ?? [];
  return understood.question.say(first, understood.limit);
}
