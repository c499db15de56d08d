import type { Dispatcher } from 'undici';
import type { TokenSource } from '../../../main/auth/auth.ts';
import type { AnswerStore, RevisionStore } from '../../../main/bridge/answer-store.ts';
import type { FrameSink } from '../../../main/bridge/back-pressure.ts';
import { createBridge } from '../../../main/bridge/bridge.ts';
import type { EndpointSignIn } from '../../../main/bridge/endpoint.ts';
import { FrameSplitter } from '../../../main/bridge/frame/splitter.ts';
import type { Bridge } from '../../../main/bridge/layers.ts';
import type { AskApproval } from '../../../main/permissions/approvals.ts';
import type { ServerPermissions } from '../../../main/permissions/server-permissions.ts';
import { openPool } from '../../../main/platform/http.ts';
import { Secret } from '../../../main/platform/secret.ts';

/** An answer as the client reads it. */
export interface Answered {
  id: unknown;
  result?: unknown;
  error: { code: number; message: string; data?: unknown };
}

/** What undici lends to whoever reads an answer, if there is no connection that could be paused or ended. */
export const NO_CONNECTION: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  abort() {},
  pause() {},
  resume() {},
};

/** Collects what a client would read, and lets a test wait for it. */
export class CollectingSink implements FrameSink {
  readonly frames: Buffer[] = [];
  buffered = 0;
  flowing = true;
  #drain: () => void = () => {};
  #arrived: (() => void)[] = [];

  write(frame: Buffer): void {
    this.frames.push(frame);
    if (!this.flowing) this.buffered += frame.length;
    for (const wake of this.#arrived.splice(0)) wake();
  }

  onDrain(listener: () => void): void {
    this.#drain = listener;
  }

  async flushed(): Promise<void> {}

  /** The client stops reading. */
  block(): void {
    this.flowing = false;
  }

  /** The client has read everything and reads on. */
  drain(): void {
    this.flowing = true;
    this.buffered = 0;
    this.#drain();
  }

  async until(count: number): Promise<Buffer[]> {
    while (this.frames.length < count) await new Promise<void>((resolve) => this.#arrived.push(resolve));
    return this.frames;
  }

  /** The answer with this id. */
  async answerTo(id: number | string): Promise<Answered> {
    for (let at = 0; ; at += 1) {
      await this.until(at + 1);
      const frame = JSON.parse(String(this.frames[at]));
      if (frame.id === id && ('result' in frame || 'error' in frame)) return frame;
    }
  }
}

export interface BridgeUnderTest {
  bridge: Bridge;
  sink: CollectingSink;
  send(frame: unknown): void;
  request(id: number | string, method: string, params?: unknown): Promise<Answered>;
  /** `initialize` and `initialized`, as every client begins. */
  open(): Promise<void>;
  /** Bytes as they would come over stdin. */
  push(chunk: Buffer): void;
  close(): Promise<void>;
}

const FIXED: TokenSource = { token: async () => new Secret('dapi-test') };

export async function bridgeTo(
  origin: string,
  options: {
    tokens?: TokenSource;
    silenceMs?: number;
    /** How many requests may be in flight at the server. */
    atOnce?: number;
    firstBytesMs?: number;
    onNotice?: (words: string) => void;
    env?: NodeJS.ProcessEnv;
    memory?: AnswerStore & RevisionStore;
    permissions?: ServerPermissions;
    askApproval?: AskApproval;
    signIn?: EndpointSignIn;
  } = {},
): Promise<BridgeUnderTest> {
  const sink = new CollectingSink();
  const dispatcher = await openPool(origin, {
    env: options.env ?? {},
    silenceMs: options.silenceMs ?? 0,
    ...(options.atOnce !== undefined && { atOnce: options.atOnce }),
  });
  const profile = { name: 'test', host: origin, method: 'pat' as const, workspaceId: undefined };
  const bridge = createBridge(
    {
      profile,
      path: '/api/2.0/mcp/sql',
      tokens: options.tokens ?? FIXED,
      connections: dispatcher,
      firstBytesMs: options.firstBytesMs,
      onNotice: options.onNotice,
      permissions: options.permissions,
      askApproval: options.askApproval,
      signIn: options.signIn,
      ...(options.memory ? { memory: options.memory } : {}),
    },
    sink,
  );
  const splitter = new FrameSplitter({
    frame: (frame) => bridge.receive(frame),
    fault: (fault) => bridge.fault(fault),
  });
  const send = (frame: unknown) =>
    bridge.receive(Buffer.from(typeof frame === 'string' ? frame : JSON.stringify(frame)));
  const request: BridgeUnderTest['request'] = (id, method, params = {}) => {
    send({ jsonrpc: '2.0', id, method, params });
    return sink.answerTo(id);
  };
  return {
    bridge,
    sink,
    send,
    request,
    async open() {
      const opened = await request('open', 'initialize', { protocolVersion: '2025-06-18', capabilities: {} });
      if (!opened.result) throw new Error(`not opened: ${JSON.stringify(opened)}`);
      send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    },
    push: (chunk) => splitter.push(chunk),
    async close() {
      await bridge.close();
      await dispatcher.destroy();
    },
  };
}
