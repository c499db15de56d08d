import {
  Client,
  type JSONRPCMessage,
  ProtocolError,
  parseJSONRPCMessage,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  type Transport,
} from '@modelcontextprotocol/client';
import { type Bridge, createBridge } from '../../bridge/bridge.ts';
import type { Endpoint } from '../../bridge/endpoint.ts';
import { errorBehind } from '../../bridge/frame/error-frame.ts';
import { CausewayError } from '../../platform/errors.ts';
import { VERSION } from '../../platform/version.ts';
import { serverError } from './client.ts';

/** How long a server may take to open a session or to list its tools, in milliseconds: a workspace may be waking up. */
const OPEN_TIMEOUT_MS = 60_000;
/** How long a server may take for one call, in milliseconds: managed servers answer sooner, with a statement to poll. */
const CALL_TIMEOUT_MS = 10 * 60_000;

interface CallOptions {
  signal?: AbortSignal | undefined;
}

/**
 * A session of the official MCP client with a managed server, through the bridge as every AI client has one: sessions,
 * tokens and protocol revisions are the bridge's.
 */
export class SqlSession {
  readonly #client = new Client({ name: 'causeway', version: VERSION });
  readonly #transport: BridgeTransport;
  #opened: Promise<void> | undefined;

  constructor(endpoint: Endpoint) {
    this.#transport = new BridgeTransport(endpoint);
  }

  /** The tools that the server offers now. Opens the session. @throws {CausewayError} what the bridge or the server says; `timeout`; `cancelled` */
  async tools(signal?: AbortSignal): Promise<{ name: string }[]> {
    const options = limits(signal, OPEN_TIMEOUT_MS);
    return this.#explained(signal, async () => {
      await this.#open(options);
      return (await this.#client.listTools(undefined, options)).tools;
    });
  }

  /** Calls a tool; its result as it came. @throws {CausewayError} as `tools` */
  call(name: string, args: Record<string, unknown>, { signal }: CallOptions): Promise<unknown> {
    return this.#explained(signal, async () => {
      await this.#open(limits(signal, OPEN_TIMEOUT_MS));
      return this.#client.callTool({ name, arguments: args }, limits(signal, CALL_TIMEOUT_MS));
    });
  }

  /** Ends the session at the server. */
  async close(): Promise<void> {
    await this.#client.close();
    await this.#transport.close();
  }

  #open(options: RequestOptions): Promise<void> {
    this.#opened ??= this.#client.connect(this.#transport, options);
    return this.#opened;
  }

  async #explained<T>(signal: AbortSignal | undefined, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (signal?.aborted) throw cancelled(signal.reason);
      throw this.#transport.failure ?? sdkFailure(error);
    }
  }
}

function limits(signal: AbortSignal | undefined, timeout: number): RequestOptions {
  return { timeout, ...(signal && { signal }) };
}

function cancelled(reason: unknown): CausewayError {
  return reason instanceof CausewayError ? reason : new CausewayError('cancelled', 'Cancelled.', { cause: reason });
}

function sdkFailure(error: unknown): unknown {
  if (error instanceof ProtocolError) return serverError(error);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    const remedy = 'Try again in a minute.';
    return new CausewayError('timeout', 'The server has not answered in time.', { cause: error, remedy });
  }
  const said = 'The server answered with something that the MCP client does not take.';
  return error instanceof CausewayError ? error : new CausewayError('unexpected_answer', said, { cause: error });
}

/** A bridge in this process, as the MCP client's transport. */
class BridgeTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  /** Causeway's own error behind the last answer, if any. */
  failure: unknown;
  readonly #bridge: Bridge;
  #isClosed = false;

  /** Answers come from the server, never from the answer cache. */
  constructor(endpoint: Endpoint) {
    this.#bridge = createBridge(
      { ...endpoint, wantsTruth: true },
      {
        buffered: 0,
        flowing: true,
        write: (frame) => this.#receive(frame),
        onDrain: () => {},
        flushed: async () => {},
      },
    );
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.#bridge.receive(Buffer.from(JSON.stringify(message)));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#bridge.close();
    this.onclose?.();
  }

  #receive(frame: Buffer): void {
    this.failure = errorBehind(frame);
    try {
      this.onmessage?.(parseJSONRPCMessage(JSON.parse(frame.toString('utf8'))));
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
