import { z } from 'zod';
import { unlessAborted } from '../../auth/token-broker.ts';
import type { FrameSink } from '../../bridge/back-pressure.ts';
import { type Bridge, createBridge } from '../../bridge/bridge.ts';
import type { Endpoint } from '../../bridge/endpoint.ts';
import { errorBehind } from '../../bridge/frame/error-frame.ts';
import { parseFrame } from '../../bridge/frame/frame.ts';
import { MAX_TOOL_PAGES } from '../../bridge/limits.ts';
import { CausewayError } from '../../platform/errors.ts';
import { foreignText } from '../../platform/foreign-text.ts';
import { VERSION } from '../../platform/version.ts';

const answerSchema = z.object({
  id: z.number(),
  result: z.unknown().optional(),
  error: z
    .object({ code: z.number().catch(0), message: z.string().catch(''), data: z.unknown().optional() })
    .optional(),
});
const requestSchema = z.object({ id: z.union([z.string(), z.number()]), method: z.string() });
const notificationSchema = z.object({ method: z.string(), params: z.unknown().optional() });
const progressSchema = z.object({
  progressToken: z.number(),
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().optional(),
});
const elicitationSchema = z.object({ elicitations: z.array(z.object({ url: z.string() })).min(1) });

/** How far a call has come, as its server tells it. */
export type Progress = Omit<z.output<typeof progressSchema>, 'progressToken'>;

export interface AskOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** The error of a server whose user must sign in with another provider first (MCP › URL mode elicitation required). */
const SIGN_IN_ELSEWHERE = -32042;

/** How long a server may take to open a session, in milliseconds: a workspace may be waking up. */
const OPEN_TIMEOUT_MS = 60_000;

interface Asked {
  answer(frame: Buffer, answer: z.output<typeof answerSchema>): void;
  fail(error: unknown): void;
  progress(progress: Progress): void;
}

/**
 * Causeway as an MCP client, in front of a bridge as any other client is: the bridge handles sessions,
 * tokens, retries and protocol revisions. It declines every request of a server.
 */
export class OwnClient {
  readonly #bridge: Bridge;
  readonly #waiting = new Map<number, Asked>();
  readonly #onToolsChanged: () => void;
  #lastId = 0;
  /** How many requests wait for an answer, or for the session. */
  #asking = 0;
  #isRetired = false;
  #opened: Promise<void> | undefined;

  constructor(endpoint: Endpoint, onToolsChanged: () => void = () => {}) {
    const sink: FrameSink = {
      buffered: 0,
      flowing: true,
      write: (frame) => this.#hear(frame),
      onDrain: () => {},
      flushed: async () => {},
    };
    this.#bridge = createBridge(endpoint, sink);
    this.#onToolsChanged = onToolsChanged;
  }

  /**
   * Asks, after `initialize` if need be. What the server answers is given as it is.
   * @throws {CausewayError} what the bridge says of requests that fail; `unexpected_answer` with the server's own words; `cancelled`
   */
  async ask(method: string, params: Record<string, unknown>, options: AskOptions = {}): Promise<unknown> {
    this.#asking += 1;
    try {
      this.#opened ??= this.#open().catch((error: unknown) => {
        this.#opened = undefined;
        throw error;
      });
      await unlessAborted(this.#opened, options.signal).catch((error: unknown) => {
        throw options.signal?.aborted ? cancelled(options.signal.reason) : error;
      });
      return await this.#ask(method, params, options);
    } finally {
      this.#asking -= 1;
      if (this.#isRetired && this.#asking === 0) void this.close();
    }
  }

  /** Ends the session as soon as no request is in flight. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    if (this.#asking === 0) await this.close();
  }

  /** Ends the session at the server. Requests in flight fail with `cancelled`. */
  async close(): Promise<void> {
    for (const { fail } of this.#waiting.values()) fail(new CausewayError('cancelled', 'The session was closed.'));
    await this.#bridge.close();
  }

  /** Opens the session, shared by all requests: a request that is aborted does not abort it. */
  async #open(): Promise<void> {
    const signal = AbortSignal.timeout(OPEN_TIMEOUT_MS);
    const clientInfo = { name: 'causeway', version: VERSION };
    await this.#ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }, { signal });
    this.#send({ method: 'notifications/initialized' });
  }

  #ask(method: string, params: Record<string, unknown>, { signal, onProgress }: AskOptions): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const done = () => {
        this.#waiting.delete(id);
        signal?.removeEventListener('abort', cancel);
      };
      const cancel = () => {
        done();
        this.#send({ method: 'notifications/cancelled', params: { requestId: id } });
        reject(cancelled(signal?.reason));
      };
      if (signal?.aborted) return reject(cancelled(signal.reason));
      signal?.addEventListener('abort', cancel, { once: true });
      this.#waiting.set(id, {
        progress: (progress) => onProgress?.(progress),
        fail: (error) => {
          done();
          reject(error);
        },
        answer: (frame, { error, result }) => {
          done();
          if (error) reject(errorBehind(frame) ?? serverError(error));
          else resolve(result);
        },
      });
      this.#send({ id, method, params: onProgress ? { ...params, _meta: { progressToken: id } } : params });
    });
  }

  #send(frame: Record<string, unknown>): void {
    this.#bridge.receive(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...frame })));
  }

  #hear(bytes: Buffer): void {
    const frame = parseFrame(bytes);
    const request = requestSchema.safeParse(frame).data;
    const notification = notificationSchema.safeParse(frame).data;
    const answer = answerSchema.safeParse(frame).data;
    if (request) this.#send({ id: request.id, ...(DECLINED[request.method] ?? UNKNOWN) });
    else if (notification) this.#notified(notification.method, notification.params);
    else if (answer) this.#waiting.get(answer.id)?.answer(bytes, answer);
  }

  #notified(method: string, params: unknown): void {
    if (method === 'notifications/tools/list_changed') this.#onToolsChanged();
    if (method !== 'notifications/progress') return;
    const { data } = progressSchema.safeParse(params);
    if (!data) return;
    const { progressToken, ...progress } = data;
    this.#waiting.get(progressToken)?.progress(progress);
  }
}

/** What a server hears that asks something of Causeway itself. */
const DECLINED: Record<string, { result: unknown } | { error: unknown }> = {
  ping: { result: {} },
  'roots/list': { result: { roots: [] } },
  'elicitation/create': { result: { action: 'decline' } },
  'sampling/createMessage': { error: { code: -1, message: 'Causeway has no model to ask.' } },
};
const UNKNOWN = { error: { code: -32601, message: 'Method not found' } };

function cancelled(reason: unknown): CausewayError {
  if (reason instanceof CausewayError) return reason;
  const isLate = reason instanceof Error && reason.name === 'TimeoutError';
  return isLate
    ? new CausewayError('timeout', 'The server has not answered in time.', { remedy: 'Try again in a minute.' })
    : new CausewayError('cancelled', 'Cancelled.', { cause: reason });
}

/** A server's own error. Managed servers put what REST would say into its text (`BAD_REQUEST: … not found`). */
export function serverError(error: { code: number; message: string; data?: unknown }): CausewayError {
  const { code, data } = error;
  const message = foreignText(error.message);
  const elsewhere = code === SIGN_IN_ELSEWHERE ? elicitationSchema.safeParse(data).data : undefined;
  if (elsewhere) {
    return new CausewayError('unexpected_answer', message || 'The server wants you to sign in somewhere else first.', {
      remedy: `Open ${foreignText(elsewhere.elicitations[0]?.url ?? '')} in your browser, sign in there, and try again.`,
    });
  }
  const words = message || `The server answered with error ${code}.`;
  if (/PERMISSION_DENIED|not authori[sz]ed|does not have permission/i.test(message)) {
    return new CausewayError('no_grants', words, { remedy: 'Ask for grants on what the server serves.' });
  }
  if (/\b(not found|does not exist)\b|NOT_FOUND/i.test(message) && code !== -32601) {
    return new CausewayError('not_found', words, { remedy: 'Check what the path of the server names.' });
  }
  return new CausewayError('unexpected_answer', words);
}

const toolSchema = z.looseObject({
  name: z.string(),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.record(z.string(), z.unknown()).catch({}),
  annotations: z.record(z.string(), z.unknown()).optional().catch(undefined),
});
const pageSchema = z.object({ tools: z.array(toolSchema), nextCursor: z.string().nullish() });
const resultSchema = z.looseObject({ content: z.array(z.unknown()).catch([]), isError: z.boolean().catch(false) });

/** A tool as its server describes it. Servers are not strict about what they say: what is malformed is left out. */
export type Tool = z.output<typeof toolSchema>;

/** What a tool gave back, as it came: content, structured content, and whether the tool itself calls it a failure. */
export type ToolResult = z.output<typeof resultSchema>;

/** How long a server may take for its list of tools, in milliseconds: a workspace may be waking up. */
const LIST_TIMEOUT_MS = 60_000;
/** The most tools that a server may list: no client could offer so many to a model. */
const MAX_TOOLS = 10_000;

/** One server's session of Causeway's own. */
export class HealthSession {
  readonly #client: OwnClient;
  readonly #service: Endpoint['service'];

  /** Answers come from the server, never from the answer cache, which is still updated. */
  constructor(endpoint: Endpoint, onToolsChanged?: () => void) {
    this.#service = endpoint.service;
    this.#client = new OwnClient({ ...endpoint, wantsTruth: true }, onToolsChanged);
  }

  /**
   * Asks for all of the server's tools. A service tells them to everybody, and refuses each call of a user who has not signed
   * in to what is behind it: whether the user has, is asked too.
   * @throws {CausewayError} as `OwnClient.ask`; `timeout`, `service_signed_out`
   */
  async tools(signal?: AbortSignal): Promise<Tool[]> {
    const timeout = AbortSignal.timeout(LIST_TIMEOUT_MS);
    const options = { signal: signal ? AbortSignal.any([signal, timeout]) : timeout };
    const tools: Tool[] = [];
    let cursor: string | null | undefined;
    for (let page = 0; page === 0 || cursor; page += 1) {
      if (page === MAX_TOOL_PAGES || tools.length > MAX_TOOLS) throw endless();
      const answer = pageSchema.safeParse(await this.#client.ask('tools/list', cursor ? { cursor } : {}, options));
      if (!answer.success) {
        throw new CausewayError('unexpected_answer', 'The server answered with something that is no list of tools.', {
          cause: answer.error,
        });
      }
      tools.push(...answer.data.tools);
      cursor = answer.data.nextCursor;
    }
    const checked = await this.#service?.check();
    if (checked?.state === 'signed-out') throw this.#service?.signedOut(checked);
    return tools;
  }

  /** Calls a tool. It takes as long as it takes: only `signal` ends it. @throws {CausewayError} as `OwnClient.ask` */
  async call(name: string, args: Record<string, unknown>, options: AskOptions): Promise<ToolResult> {
    const result = resultSchema.safeParse(await this.#client.ask('tools/call', { name, arguments: args }, options));
    if (result.success) return result.data;
    throw new CausewayError('unexpected_answer', 'The server answered with something that is no tool result.');
  }

  /** Ends the session as soon as no call is under way. */
  retire(): Promise<void> {
    return this.#client.retire();
  }

  /** Ends the session, and the calls under way with it. */
  close(): Promise<void> {
    return this.#client.close();
  }
}

function endless(): CausewayError {
  return new CausewayError(
    'unexpected_answer',
    `The server's list of tools has not ended after ${MAX_TOOL_PAGES} pages or ${MAX_TOOLS} tools.`,
    { remedy: 'Tell whoever runs the server.' },
  );
}
