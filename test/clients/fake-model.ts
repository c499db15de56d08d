import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

/** What the model asks the SQL server. The question does not contain the answer. */
export const QUERY = "SELECT 'row-' || CAST(6 * 7 AS VARCHAR) AS answer";
/** What only the warehouse can have said. */
export const ROW = 'row-42';
/** What the model asks a service such as GitHub, which answers with it. */
export const CODE = 'retry-with-backoff';
/** What it looks for where a client keeps its servers' tools behind a search. */
const SEARCH = 'databricks execute_sql poll_sql_result sign_in search_code';

/** How often it looks until it is offered the SQL tool, and how long it thinks before, in milliseconds. */
const SEARCHES = 5;
const SEARCH_PAUSE_MS = 1500;

/** A stand-in for the model behind an AI client, in the four wire formats that clients speak. */
export interface FakeModel extends AsyncDisposable {
  /** Without a path: clients append `/v1/messages`, `/v1/responses`, `/v1/chat/completions` or `/v1beta/models/…`. */
  url: string;
  /** The names of the tools that the client offered the model. */
  offered: Set<string>;
  /** The calls that the model asked for. */
  asked: string[];
  /** The results of tools that the client passed back to the model, as text. */
  results: string[];
  /** Whether a result held the row that only the warehouse knows. */
  gotRow(): boolean;
  /** Lets the model ask again what it has asked, and forgets what it was offered. */
  forget(): void;
  /** From now on, the model asks the SQL server three times in a session. @param afterFirst what its second call waits for */
  askThrice(afterFirst: () => Promise<unknown>): void;
  /** Requests whose format is not known, such as telemetry. */
  unknown: string[];
}

/** What a request says, whatever its format. */
interface Turn {
  tools: string[];
  results: string[];
  stream: boolean;
}

/** What the model does next. */
type Reply = { call: string; args: Record<string, unknown>; isSecond?: true } | { say: string };

/** One wire format. */
interface Format {
  matches(path: string): boolean;
  read(body: unknown, path: string): Turn;
  answer(reply: Reply, turn: Turn, response: ServerResponse): void;
}

const Named = z.looseObject({ name: z.string() });
const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));

/**
 * Starts the model on the loopback interface. It calls the SQL tool once, polls while that runs, and says what it got.
 * @param beforeLastWords what its last words wait for, with which a client ends its session
 */
export async function startFakeModel(beforeLastWords: Promise<unknown> = Promise.resolve()): Promise<FakeModel> {
  const [offered, asked, results, unknown] = [new Set<string>(), [] as string[], [] as string[], [] as string[]];
  let afterFirst: (() => Promise<unknown>) | undefined;
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '/').replace(/\?.*$/, '');
    const body = await text(request);
    const format = FORMATS.find((it) => it.matches(path));
    if (request.method !== 'POST' || !format) {
      if (!path.endsWith('/models')) unknown.push(`${request.method} ${path}`);
      if (request.method === 'POST' && path.endsWith('/chat-stream')) await beforeLastWords;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'fake', object: 'model' }] }));
      return;
    }
    try {
      const turn = format.read(JSON.parse(body), path);
      for (const name of turn.tools) offered.add(name);
      results.push(...turn.results.filter((result) => !results.includes(result)));
      const reply = next(turn, asked, afterFirst ? 3 : 1);
      if ('call' in reply && reply.isSecond) await afterFirst?.();
      if ('call' in reply && /^tool_?search$/i.test(reply.call)) await sleep(SEARCH_PAUSE_MS);
      if ('call' in reply) asked.push(reply.call);
      else if (turn.tools.length > 0) await beforeLastWords;
      format.answer(reply, turn, response);
    } catch (error) {
      unknown.push(`${path}: ${error}`);
      response.writeHead(400).end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port }: Partial<AddressInfo> = Object(server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    offered,
    asked,
    results,
    unknown,
    forget: () => {
      asked.length = 0;
      offered.clear();
    },
    askThrice: (wait) => {
      afterFirst = wait;
    },
    gotRow: () => results.some((result) => result.includes(ROW)),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * The tool of a service such as GitHub once, if there is one; the SQL tool once; the one that polls while its statement runs; `sign_in` where a server has no other tool; where a
 * client keeps its servers' tools behind a search, that search, as a model does that learns of tools it is not offered; then
 * words.
 */
function next({ tools, results }: Turn, asked: string[], times: number): Reply {
  const named = (end: RegExp) => tools.find((name) => end.test(name));
  const search_code = named(/search_code$/);
  if (search_code !== undefined && !asked.includes(search_code)) return { call: search_code, args: { query: CODE } };
  const sql = named(/execute_sql$/);
  const last = results.at(-1);
  const calls = asked.filter((name) => name === sql).length;
  if (sql !== undefined && calls === 0) return { call: sql, args: { query: QUERY } };
  const statement = last && /PENDING|RUNNING/.test(last) ? /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(last)?.[0] : undefined;
  const poll = named(/poll_sql_result$/);
  if (statement !== undefined && poll !== undefined && results.length < 20)
    return { call: poll, args: { statement_id: statement } };
  if (sql !== undefined && calls < times)
    return { call: sql, args: { query: QUERY }, ...(calls === 1 && { isSecond: true }) };
  const ours = named(/sign_in$/) ?? named(/connection_status$/);
  if (ours !== undefined && !asked.includes(ours)) return { call: ours, args: {} };
  const search = named(/^tool_?search$/i);
  const tries = asked.filter((name) => name === search).length;
  // A client may search before its servers have connected, and what it found goes when signing in brings the real tools.
  if (search !== undefined && sql === undefined && tries < SEARCHES) return { call: search, args: { query: SEARCH } };
  return { say: last === undefined ? 'No tools were offered.' : `The tool said: ${last.slice(0, 2000)}` };
}

/** Writes events, each with a name where the format has names. */
function events(response: ServerResponse, all: [name: string | undefined, data: unknown][]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const [name, data] of all)
    response.write(`${name === undefined ? '' : `event: ${name}\n`}data: ${asText(data)}\n\n`);
  response.end();
}

function json(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const AnthropicBody = z.looseObject({
  stream: z.boolean().optional(),
  tools: z.array(Named).optional(),
  messages: z.array(z.looseObject({ content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]) })),
});

/** Anthropic's Messages API. */
const anthropic: Format = {
  matches: (path) => path.endsWith('/messages'),
  read(body) {
    const { stream, tools, messages } = AnthropicBody.parse(body);
    const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
    return {
      tools: (tools ?? []).map(({ name }) => name),
      results: blocks.filter(({ type }) => type === 'tool_result').map(({ content }) => asText(content)),
      stream: stream === true,
    };
  },
  answer(reply, { stream }, response) {
    const block =
      'call' in reply
        ? { type: 'tool_use', id: `toolu_${randomUUID()}`, name: reply.call, input: reply.args }
        : { type: 'text', text: reply.say };
    const stop = 'call' in reply ? 'tool_use' : 'end_turn';
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', model: 'fake', usage };
    if (!stream) return json(response, { ...message, content: [block], stop_reason: stop, stop_sequence: null });
    const delta =
      'call' in reply
        ? { type: 'input_json_delta', partial_json: JSON.stringify(reply.args) }
        : { type: 'text_delta', text: reply.say };
    const empty = 'call' in reply ? { ...block, input: {} } : { type: 'text', text: '' };
    events(response, [
      ['message_start', { type: 'message_start', message: { ...message, content: [], stop_reason: null } }],
      ['content_block_start', { type: 'content_block_start', index: 0, content_block: empty }],
      ['content_block_delta', { type: 'content_block_delta', index: 0, delta }],
      ['content_block_stop', { type: 'content_block_stop', index: 0 }],
      ['message_delta', { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage }],
      ['message_stop', { type: 'message_stop' }],
    ]);
  },
};

/** A tool of the Responses API; those of one server may stand together in a namespace. */
const ResponsesTool = z.looseObject({
  name: z.string().optional(),
  tools: z.array(z.looseObject({ name: z.string().optional() })).optional(),
});
const ResponsesBody = z.looseObject({
  stream: z.boolean().optional(),
  tools: z.array(ResponsesTool).optional(),
  input: z.union([z.string(), z.array(z.looseObject({ type: z.string().optional(), output: z.unknown().optional() }))]),
});
/** Between a namespace and a tool, in the names that this model uses. */
const NAMESPACE = '→';

/** OpenAI's Responses API. */
const responses: Format = {
  matches: (path) => path.endsWith('/responses'),
  read(body) {
    const { stream, tools, input } = ResponsesBody.parse(body);
    const names = (tools ?? []).flatMap(({ name, tools: inside }) =>
      inside ? inside.map((tool) => `${name ?? ''}${NAMESPACE}${tool.name ?? ''}`) : [name ?? ''],
    );
    const items = typeof input === 'string' ? [] : input;
    return {
      tools: names.filter((name) => name !== ''),
      results: items.filter(({ type }) => type === 'function_call_output').map(({ output }) => asText(output)),
      stream: stream === true,
    };
  },
  answer(reply, { stream }, response) {
    const id = `item_${randomUUID()}`;
    const called = () => {
      if (!('call' in reply)) return {};
      const [namespace, name] = reply.call.includes(NAMESPACE) ? reply.call.split(NAMESPACE) : [undefined, reply.call];
      return { name, ...(namespace !== undefined && { namespace }) };
    };
    const item =
      'call' in reply
        ? {
            type: 'function_call',
            id,
            call_id: `call_${randomUUID()}`,
            ...called(),
            arguments: JSON.stringify(reply.args),
            status: 'completed',
          }
        : {
            type: 'message',
            id,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: reply.say, annotations: [] }],
          };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, input_tokens_details: { cached_tokens: 0 } };
    const whole = { id: `resp_${randomUUID()}`, object: 'response', created_at: 1, model: 'fake', usage };
    const done = { ...whole, status: 'completed', output: [item] };
    if (!stream) return json(response, done);
    const said: [string, unknown][] =
      'say' in reply
        ? [
            [
              'response.output_text.delta',
              { type: 'response.output_text.delta', item_id: id, output_index: 0, content_index: 0, delta: reply.say },
            ],
          ]
        : [];
    events(response, [
      ['response.created', { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } }],
      ['response.output_item.added', { type: 'response.output_item.added', output_index: 0, item }],
      ...said,
      ['response.output_item.done', { type: 'response.output_item.done', output_index: 0, item }],
      ['response.completed', { type: 'response.completed', response: done }],
    ]);
  },
};

const ChatBody = z.looseObject({
  stream: z.boolean().optional(),
  tools: z.array(z.looseObject({ function: Named })).optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })),
});

/** OpenAI's Chat Completions API, which most other providers speak too. */
const chat: Format = {
  matches: (path) => path.endsWith('/chat/completions'),
  read(body) {
    const { stream, tools, messages } = ChatBody.parse(body);
    return {
      tools: (tools ?? []).map((tool) => tool.function.name),
      results: messages.filter(({ role }) => role === 'tool').map(({ content }) => asText(content)),
      stream: stream === true,
    };
  },
  answer(reply, { stream }, response) {
    const message =
      'call' in reply
        ? {
            role: 'assistant',
            content: null,
            tool_calls: [
              {
                index: 0,
                id: `call_${randomUUID()}`,
                type: 'function',
                function: { name: reply.call, arguments: JSON.stringify(reply.args) },
              },
            ],
          }
        : { role: 'assistant', content: reply.say };
    const finish_reason = 'call' in reply ? 'tool_calls' : 'stop';
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const whole = { id: `chatcmpl-${randomUUID()}`, created: 1, model: 'fake' };
    if (!stream) {
      const choices = [{ index: 0, message, finish_reason }];
      return json(response, { ...whole, object: 'chat.completion', choices, usage });
    }
    const chunk = (delta: unknown, reason: string | null) => ({
      ...whole,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: reason }],
    });
    events(response, [
      [undefined, chunk(message, null)],
      [undefined, { ...chunk({}, finish_reason), usage }],
      [undefined, '[DONE]'],
    ]);
  },
};

const GeminiBody = z.looseObject({
  tools: z.array(z.looseObject({ functionDeclarations: z.array(Named).optional() })).optional(),
  contents: z.array(
    z.looseObject({ parts: z.array(z.looseObject({ functionResponse: z.unknown().optional() })).optional() }),
  ),
});

/** Google's Gemini API. */
const gemini: Format = {
  matches: (path) => /:(?:streamG|g)enerateContent$/.test(path),
  read(body, path) {
    const { tools, contents } = GeminiBody.parse(body);
    return {
      tools: (tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations ?? []).map(({ name }) => name),
      results: contents
        .flatMap(({ parts }) => parts ?? [])
        .filter(({ functionResponse }) => functionResponse !== undefined)
        .map(({ functionResponse }) => asText(functionResponse)),
      stream: path.endsWith(':streamGenerateContent'),
    };
  },
  answer(reply, { stream }, response) {
    const part = 'call' in reply ? { functionCall: { name: reply.call, args: reply.args } } : { text: reply.say };
    const body = {
      candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    };
    if (stream) events(response, [[undefined, body]]);
    else json(response, body);
  },
};

const FORMATS = [anthropic, responses, chat, gemini];
