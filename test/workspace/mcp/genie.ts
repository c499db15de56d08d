import { randomUUID } from 'node:crypto';
import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { GenieSpace, User, WorkspaceState } from '../model.ts';
import { QUESTIONS, type Understood, understand } from './genie-questions.ts';
import type { ManagedServerSettings } from './settings.ts';
import { type StatementRecord, type Statements, statementBody } from './statements.ts';
import { badRequest, readArguments, type ServedServer, type ServedTool, structured } from './toolset.ts';

/** The Genie server: questions in words, answered by queries on the warehouse of the space. */

interface Message {
  messageId: string;
  understood: Understood | undefined;
  statement: StatementRecord | undefined;
}

interface Conversation {
  conversationId: string;
  userId: string;
  spaceId: string;
  messages: Message[];
}

export interface GenieParts {
  state: WorkspaceState;
  statements: Statements;
  settings: ManagedServerSettings;
  /** By conversation id; they live as long as the servers do. */
  conversations: Map<string, Conversation>;
}

const Ask = z.object({ query: z.string().min(1), conversation_id: z.string().optional() });
const Poll = z.object({ conversation_id: z.string(), message_id: z.string() });

export function genieServer(parts: GenieParts, user: User, spaceId: string): ServedServer {
  return {
    name: 'genie',
    instructions: 'Answers questions about data. Poll until the status is COMPLETED or FAILED.',
    tools: () => {
      const space = parts.state.genieSpaces.find((candidate) => candidate.spaceId === spaceId);
      if (!space) throw badRequest(`Genie space ${spaceId} not found`);
      if (!parts.state.isGranted(user, space.grantedTo)) return [];
      return [askTool(parts, user, space), pollTool(parts, user, space)];
    },
  };
}

function askTool(parts: GenieParts, user: User, space: GenieSpace): ServedTool {
  const definition: Tool = {
    name: `query_space_${space.spaceId}`,
    description: `Asks the Genie space "${space.title}". ${space.description}`,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'The question, in words.' },
        conversation_id: { type: 'string', description: 'Continues a conversation; a new one if left out.' },
      },
      required: ['query'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
  return {
    definition,
    call: async (input) => {
      const { query, conversation_id } = readArguments(Ask, input);
      const conversation =
        conversation_id === undefined ? begin(parts, user, space) : find(parts, user, space, conversation_id);
      const message = ask(parts, user, space, conversation, query);
      return structured({
        status: 'ASKING_AI',
        conversationId: conversation.conversationId,
        messageId: message.messageId,
        content: {},
      });
    },
  };
}

function pollTool(parts: GenieParts, user: User, space: GenieSpace): ServedTool {
  return {
    definition: {
      name: `poll_response_${space.spaceId}`,
      description: `Fetches the answer of the Genie space "${space.title}".`,
      inputSchema: {
        type: 'object',
        properties: { conversation_id: { type: 'string' }, message_id: { type: 'string' } },
        required: ['conversation_id', 'message_id'],
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    call: async (input) => {
      const { conversation_id, message_id } = readArguments(Poll, input);
      const conversation = find(parts, user, space, conversation_id);
      const message = conversation.messages.find(({ messageId }) => messageId === message_id);
      if (!message) throw badRequest(`Message ${message_id} not found`);
      if (message.statement) await parts.statements.wait(message.statement, parts.settings.waitMs);
      return structured({
        conversationId: conversation.conversationId,
        messageId: message.messageId,
        ...answer(message),
      });
    },
  };
}

function begin({ conversations }: GenieParts, user: User, { spaceId }: GenieSpace): Conversation {
  const conversation = { conversationId: randomUUID(), userId: user.id, spaceId, messages: [] };
  conversations.set(conversation.conversationId, conversation);
  return conversation;
}

/** A conversation of this user's own in this space; others' are as good as unknown. */
function find({ conversations }: GenieParts, user: User, { spaceId }: GenieSpace, id: string): Conversation {
  const conversation = conversations.get(id);
  if (conversation?.userId === user.id && conversation.spaceId === spaceId) return conversation;
  throw badRequest(`Conversation ${id} not found`);
}

function ask(
  { statements }: GenieParts,
  user: User,
  { warehouseId }: GenieSpace,
  { messages }: Conversation,
  text: string,
): Message {
  const understood = understand(text, messages.findLast((message) => message.understood)?.understood);
  const statement =
    understood &&
    statements.submit({
      user,
      query: understood.question.sql(understood.limit),
      readOnly: true,
      choice: { source: 'genie-space', warehouseId },
    });
  const message = { messageId: randomUUID(), understood, statement };
  messages.push(message);
  return message;
}

function answer({ understood, statement }: Message): { status: string; content: Record<string, unknown> } {
  if (!understood || !statement) {
    const examples = QUESTIONS.map(({ example }) => example);
    const text = 'I do not understand the question. These I can answer.';
    return { status: 'COMPLETED', content: { textAttachments: [text], suggestedQuestions: examples } };
  }
  const { status } = statement;
  switch (status.state) {
    case 'PENDING':
      return { status: 'PENDING_WAREHOUSE', content: {} };
    case 'RUNNING':
      return { status: 'EXECUTING_QUERY', content: {} };
    case 'CANCELED':
      return { status: 'CANCELLED', content: {} };
    case 'CLOSED':
      return { status: 'QUERY_RESULT_EXPIRED', content: {} };
    case 'FAILED':
      return { status: 'FAILED', content: { textAttachments: [status.error.message] } };
    case 'SUCCEEDED': {
      const { question, limit } = understood;
      const first = status.rows.rows[0]?.map((value) => value ?? 'nothing') ?? [];
      const attachment = { query: statement.query, statement_response: statementBody(statement) };
      return {
        status: 'COMPLETED',
        content: { textAttachments: [question.say(first, limit)], queryAttachments: [attachment] },
      };
    }
  }
}
