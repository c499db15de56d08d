import { Client, type Progress, ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { REFUSAL_FACTS } from '../../../preload/contract/refusals.ts';
import { unlessAborted } from '../../auth/single-flight.ts';
import { createBridge } from '../../bridge/bridge.ts';
import type { Endpoint } from '../../bridge/endpoint.ts';
import type { Members } from '../../bridge/frame/members.ts';
import type { Bridge } from '../../bridge/layers.ts';
import { MAX_TOOL_PAGES } from '../../bridge/limits.ts';
import { type MetaPresets, withMetaPresets } from '../../bridge/meta-presets.ts';
import { readNote } from '../../bridge/refusals.ts';
import { CausewayError } from '../../platform/errors.ts';
import { foreignText } from '../../platform/foreign-text.ts';
import { VERSION } from '../../platform/version.ts';
import { BridgeTransport, LocalFailure, notTaken } from './bridge-transport.ts';

/** How long a server may take to open a session, in milliseconds: a workspace may be waking up. */
const OPEN_TIMEOUT_MS = 60_000;
/** How long a server may take for its list of tools, in milliseconds, with the session. */
const LIST_TIMEOUT_MS = 60_000;
/** The longest that a timer can wait, in milliseconds: the client has to be given some time limit. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
/** The most tools that are read from a server: no client could offer so many to a model. */
const MAX_TOOLS = 10_000;

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
export type ServerTool = z.output<typeof toolSchema>;

/** A tool's result as it came: content, structured content, and whether the tool reports a failure. */
export type ToolResult = z.output<typeof resultSchema>;

export interface AskOptions {
  signal?: AbortSignal | undefined;
  /** Called with each progress notification of the call. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

export interface McpSessionOptions {
  onToolsChanged?: (() => void) | undefined;
  /** How long a server may take for one call, in milliseconds; without it, there is no limit. */
  callTimeoutMs?: number | undefined;
  /** What each call carries in `_meta`. */
  meta?: MetaPresets | undefined;
}

/**
 * A session of Causeway's own with one managed server: the official MCP client on a bridge, which handles sessions, tokens,
 * retries and protocol revisions as for every AI client. It declines every request of the server.
 */
export class McpSession {
  readonly #bridge: Bridge;
  readonly #service: Endpoint['service'];
  readonly #options: McpSessionOptions;
  #transport: BridgeTransport | undefined;
  #opened: Promise<Client> | undefined;
  /** How many requests wait for an answer, or for the session. */
  #asking = 0;
  #isRetired = false;

  /** Answers come from the server, never from the answer cache, which is still updated. */
  constructor(endpoint: Endpoint, options: McpSessionOptions = {}) {
    this.#service = endpoint.service;
    this.#options = options;
    const bridge = createBridge(
      { ...endpoint, isOwnClient: true },
      {
        buffered: 0,
        flowing: true,
        write: (frame) => this.#transport?.receive(frame),
        onDrain: () => {},
        flushed: async () => {},
      },
    );
    this.#bridge = options.meta ? withMetaPresets(bridge, options.meta) : bridge;
  }

  /**
   * Asks for all of the server's tools. A server with a service behind it lists them for every user, and refuses the calls of
   * those who have not signed in to the service: that is checked too.
   * @throws {CausewayError} what the bridge says about requests that fail; `unexpected_answer` with the server's own words;
   *   `service_signed_out`, `timeout`, `cancelled`
   */
  async tools(signal?: AbortSignal): Promise<ServerTool[]> {
    const options = { signal: endingAfter(LIST_TIMEOUT_MS, signal) };
    const tools: ServerTool[] = [];
    let cursor: string | null | undefined;
    for (let page = 0; page === 0 || cursor; page += 1) {
      if (page === MAX_TOOL_PAGES || tools.length > MAX_TOOLS) throw endless();
      const answer = pageSchema.safeParse(await this.#ask('tools/list', cursor ? { cursor } : {}, options));
      if (!answer.success) {
        throw new CausewayError('unexpected_answer', 'The server did not send a valid list of tools.', {
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

  /** Calls a tool. @throws {CausewayError} as `tools` */
  async call(name: string, args: Record<string, unknown>, { signal, onProgress }: AskOptions): Promise<ToolResult> {
    const { callTimeoutMs } = this.#options;
    const options = { signal: callTimeoutMs === undefined ? signal : endingAfter(callTimeoutMs, signal), onProgress };
    const result = resultSchema.safeParse(await this.#ask('tools/call', { name, arguments: args }, options));
    if (result.success) return result.data;
    throw new CausewayError('unexpected_answer', 'The server did not send a valid tool result.');
  }

  /** Ends the session as soon as no request is in flight. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    if (this.#asking === 0) await this.close();
  }

  /** Ends the session at the server. Requests in flight fail with `cancelled`. */
  async close(): Promise<void> {
    await this.#transport?.close();
    await this.#bridge.close();
  }

  /** Sends a request, in the session that all requests share, and returns the result as it came. Opens the session first. */
  async #ask(method: string, params: Members, { signal, onProgress }: AskOptions): Promise<unknown> {
    this.#asking += 1;
    try {
      this.#opened ??= this.#open();
      const client = await unlessAborted(this.#opened, signal);
      return await client.request({ method, params }, z.unknown(), {
        timeout: MAX_TIMEOUT_MS,
        ...(signal && { signal }),
        ...(onProgress && { onprogress: onProgress }),
      });
    } catch (error) {
      throw signal?.aborted ? cancelled(signal.reason) : failureOf(error);
    } finally {
      this.#asking -= 1;
      if (this.#isRetired && this.#asking === 0) void this.close();
    }
  }

  async #open(): Promise<Client> {
    const client = new Client({ name: 'causeway', version: VERSION });
    client.fallbackRequestHandler = async ({ method }) => declined(method);
    client.setNotificationHandler('notifications/tools/list_changed', () => this.#options.onToolsChanged?.());
    this.#transport = new BridgeTransport(this.#bridge);
    try {
      await client.connect(this.#transport, { timeout: OPEN_TIMEOUT_MS });
      return client;
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }
}

/** The answer to a request of a server's. */
function declined(method: string): Record<string, unknown> {
  if (method === 'roots/list') return { roots: [] };
  if (method === 'elicitation/create') return { action: 'decline' };
  if (method === 'sampling/createMessage') throw new ProtocolError(-1, 'Causeway has no model to ask.');
  throw new ProtocolError(-32601, 'Method not found');
}

/** The same signal, which is also aborted after some time. */
function endingAfter(timeoutMs: number, signal: AbortSignal | undefined): AbortSignal {
  const timeout = AbortSignal.timeout(timeoutMs);
  return signal ? AbortSignal.any([signal, timeout]) : timeout;
}

function cancelled(reason: unknown): CausewayError {
  if (reason instanceof CausewayError) return reason;
  const isLate = reason instanceof Error && reason.name === 'TimeoutError';
  return isLate ? timedOut() : new CausewayError('cancelled', 'Canceled.', { cause: reason });
}

function timedOut(): CausewayError {
  return new CausewayError('timeout', 'The server did not respond in time.', { remedy: 'Try again in a minute.' });
}

/** The error behind an error of the official client. */
function failureOf(error: unknown): unknown {
  if (error instanceof ProtocolError) return error.data instanceof LocalFailure ? error.data.error : serverError(error);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return timedOut();
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) {
    return new CausewayError('cancelled', 'The session was closed.');
  }
  return error instanceof CausewayError ? error : notTaken(error);
}

/** The error of a server whose user must sign in with another provider first (MCP › URL mode elicitation required). */
const SIGN_IN_ELSEWHERE = -32042;
const elicitationSchema = z.object({ elicitations: z.array(z.object({ url: z.string() })).min(1) });

/** What stands before the sentence for people. */
const REST_CODE = /^[A-Z]+(?:_[A-Z]+)+: /;

/** A server's own error. Managed servers put what REST would say into its text (`BAD_REQUEST: … not found`). */
function serverError(error: ProtocolError): CausewayError {
  const { code, data } = error;
  const note = readNote(data);
  if (note) {
    const { refusal, said, next: remedy } = note;
    return new CausewayError(REFUSAL_FACTS[refusal].code, foreignText(said), { refusal, remedy });
  }
  const message = foreignText(error.message);
  const elsewhere = code === SIGN_IN_ELSEWHERE ? elicitationSchema.safeParse(data).data : undefined;
  if (elsewhere) {
    return new CausewayError(
      'unexpected_answer',
      message || 'The server requires a sign-in with another provider first.',
      {
        remedy: `Open ${foreignText(elsewhere.elicitations[0]?.url ?? '')} in your browser, sign in there, and try again.`,
      },
    );
  }
  const words = message.replace(REST_CODE, '') || `The server returned error ${code}.`;
  if (/PERMISSION_DENIED|not authori[sz]ed|does not have permission/i.test(message)) {
    return new CausewayError('no_grants', words, { remedy: 'Ask its owner for access.' });
  }
  if (/\b(not found|does not exist)\b|NOT_FOUND/i.test(message) && code !== -32601) {
    return new CausewayError('not_found', words, { remedy: 'Check the path of the server.' });
  }
  return new CausewayError('unexpected_answer', words);
}

function endless(): CausewayError {
  return new CausewayError(
    'unexpected_answer',
    `The server lists more than ${MAX_TOOL_PAGES} pages or ${MAX_TOOLS} tools.`,
    { remedy: 'Ask the owner of the server to check it.' },
  );
}
