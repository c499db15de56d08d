import type { FrameSink } from '../bridge/back-pressure.ts';
import { provisionalInitialize } from '../bridge/early-answer.ts';
import { ALL_CAPABILITIES } from '../bridge/features.ts';
import { elementsOf, wholeOf } from '../bridge/frame/edit.ts';
import { errorFrame } from '../bridge/frame/error-frame.ts';
import { idOfInvalid, rawId, readFrame } from '../bridge/frame/frame.ts';
import { type FrameFault, faultFrame } from '../bridge/frame/splitter.ts';
import type { Bridge } from '../bridge/layers.ts';
import { towardClient } from '../bridge/layers.ts';
import { StatelessClient } from '../bridge/stateless/client.ts';
import { monotonicMs } from '../platform/clock.ts';
import { VERSION } from '../platform/version.ts';
import { inOneLine } from '../words/failure.ts';
import { RoutedRequest } from './client-request.ts';
import { LIST_KINDS, LISTS, type ListKind, listKindOf } from './lists.ts';
import { Member, type MemberPort, type OpenedServer } from './member.ts';
import { OpenRequests } from './open-requests.ts';
import { Router } from './router.ts';
import { withoutTasksExtension } from './tasks.ts';

/** A server that is offered together with others. */
export interface AggregateServer {
  /** Its name in the list of servers: letters, digits and hyphens. */
  name: string;
  /** Opens a session with it. */
  open(sink: FrameSink): OpenedServer;
  /** Differs if the same name stands for a server with a different setup. */
  setUp: string;
  /** Why it has no tools as yet, for the client's model; undefined if that is not known. */
  unavailable?: string;
}

/** How long changes of lists are gathered before the client is notified, in milliseconds. */
const GATHER_MS = 50;

/**
 * Several servers as one. To the client it is a server with sessions, whatever revision the servers speak. Each server gets a
 * session of its own, opened with the client's `initialize`, so the permissions for that client apply. Requests go to the server
 * that they name (`Router`), and answers go to whoever asked.
 */
export class Aggregate implements Bridge {
  readonly #client: FrameSink;
  readonly #sink: FrameSink;
  readonly #stateless: StatelessClient;
  #servers: readonly AggregateServer[] = [];
  #ifNone = NONE_YET;
  /** Why the list of servers could not be read; undefined if it could. */
  #unreadable: unknown;
  readonly #members = new Map<string, { member: Member; setUp: string; release(): void }>();
  readonly #router: Router;
  /** Requests of the servers to the client. */
  readonly #asked = new OpenRequests<Member>();
  /** Requests of the client that have no answer yet. */
  readonly #requests = new Set<RoutedRequest>();
  #initialize: Buffer | undefined;
  #isAnnounced = false;
  readonly #changed = new Set<string>();
  #telling: NodeJS.Timeout | undefined;
  readonly #draining = new Set<() => void>();
  #settled: () => void = () => {};
  #allAnswered: () => void = () => {};
  #isClosed = false;

  constructor(client: FrameSink) {
    this.#client = client;
    this.#stateless = new StatelessClient({
      toServer: (frame) => this.#take(frame),
      toClient: (frame) => client.write(frame),
      isFresh: () => !this.#initialize,
    });
    this.#sink = towardClient(client, [this.#stateless]);
    this.#router = new Router(() => [...this.#members.values()].map(({ member }) => member));
    client.onDrain(() => {
      for (const listener of this.#draining) listener();
    });
  }

  /**
   * Replaces the servers that are offered. Servers that have not changed keep their sessions.
   * @param ifNone what a client is told if there are none
   */
  offer(servers: readonly AggregateServer[], ifNone = NONE_YET): void {
    this.#servers = servers;
    this.#ifNone = ifNone;
    this.#unreadable = undefined;
    for (const [name, { setUp }] of this.#members) {
      if (!servers.some((server) => server.name === name && server.setUp === setUp)) this.#drop(name);
    }
    this.#join();
    this.#tell(LIST_KINDS);
  }

  /** The list of servers cannot be read. The servers offered so far stay; without any, clients get the error. */
  cannotList(error: unknown): void {
    this.#unreadable = error;
  }

  get pendingBytes(): number {
    return [...this.#members.values()].reduce((sum, { member }) => sum + member.pendingBytes, 0);
  }

  receive(frame: Buffer): void {
    this.#stateless.toServer(frame);
  }

  fault(fault: FrameFault): void {
    this.#sink.write(faultFrame(fault));
  }

  onSettled(listener: () => void): void {
    this.#settled = listener;
  }

  async finish(graceMs: number): Promise<void> {
    const until = monotonicMs() + graceMs;
    let tooLong: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      tooLong = setTimeout(resolve, graceMs);
      this.#allAnswered = resolve;
      if (this.#requests.size === 0) resolve();
    });
    clearTimeout(tooLong);
    this.#end();
    const left = Math.max(0, until - monotonicMs());
    await Promise.all([...this.#members.values()].map(({ member }) => member.finish(left)));
  }

  async close(): Promise<void> {
    this.#end();
    this.#allAnswered();
    for (const request of this.#requests) request.cancel();
    await Promise.all([...this.#members.values()].map(({ member }) => member.close()));
  }

  /** Told of an error that nothing has caught. */
  failed(error: unknown): void {
    for (const { member } of this.#members.values()) member.failed(error);
  }

  #end(): void {
    this.#isClosed = true;
    clearTimeout(this.#telling);
  }

  #take(frame: Buffer): void {
    const { envelope, json } = readFrame(frame);
    if (envelope.kind === 'invalid') this.#sink.write(invalid(frame, envelope));
    else if (envelope.kind !== 'batch') this.#takeOne(frame, envelope, (answer) => answer && this.#sink.write(answer));
    else this.#takeBatch(frame, Array.isArray(json) ? json.length : 0);
  }

  /** The answers to a batch come together (JSON-RPC 2.0 §6). */
  #takeBatch(batch: Buffer, length: number): void {
    const answers: Buffer[] = [];
    let open = length;
    const over = (answer?: Buffer) => {
      open -= 1;
      if (answer) answers.push(answer);
      if (open === 0 && answers.length > 0) this.#sink.write(Buffer.from(`[${answers.join(',')}]`));
    };
    for (const { start, end } of elementsOf(batch, wholeOf(batch))) {
      const frame = batch.subarray(start, end);
      const { envelope } = readFrame(frame);
      if (envelope.kind === 'batch') over(invalid(frame, NESTED));
      else if (envelope.kind === 'invalid') over(invalid(frame, envelope));
      else {
        this.#takeOne(frame, envelope, over);
        if (envelope.kind !== 'request') over();
      }
    }
  }

  #takeOne(
    frame: Buffer,
    envelope: { kind: 'request' | 'notification'; method: string } | { kind: 'response' },
    answer: (frame: Buffer | undefined) => void,
  ): void {
    if (envelope.kind === 'request') this.#requested(frame, envelope.method, answer);
    else if (envelope.kind === 'notification') this.#notified(frame, envelope.method);
    else {
      const answered = this.#asked.answered(frame);
      answered?.asker.send(answered.frame);
    }
  }

  #requested(frame: Buffer, method: string, answer: (frame: Buffer | undefined) => void): void {
    const write = (text: Buffer | undefined) => {
      this.#requests.delete(request);
      answer(text);
      this.#settled();
      if (this.#requests.size === 0) this.#allAnswered();
    };
    const request = new RoutedRequest(rawId(frame), method, write, (notification) => this.#sink.write(notification));
    this.#requests.add(request);
    const list = listKindOf(method);
    if (method === 'ping') request.reply(result(request, '{}'));
    else if (method === 'initialize') this.#introduce(frame, request);
    else if (method !== 'server/discover' && !this.#initialize) request.reply(notFound(request, NOT_YET, -32600));
    else if (method === 'logging/setLevel') this.#setLevel(frame, request);
    else if (this.#unreadable !== undefined && this.#members.size === 0) {
      request.reply(errorFrame(request.id, this.#unreadable));
    } else if (list !== undefined) {
      void this.#router
        .answerList(list, request)
        .catch((error: unknown) => request.reply(errorFrame(request.id, error)));
    } else if (!this.#router.send(frame, request)) request.reply(notFound(request, `Method not found: ${method}`));
  }

  /** Answers at once: the capabilities of the servers are not known yet, and can change. */
  #introduce(frame: Buffer, request: RoutedRequest): void {
    for (const name of this.#members.keys()) this.#drop(name);
    this.#initialize = withoutTasksExtension(frame);
    this.#join();
    const introduction = {
      protocolVersion: '2025-11-25',
      capabilities: ALL_CAPABILITIES,
      serverInfo: { name: 'causeway', title: 'Causeway', version: VERSION },
      instructions: this.#servers.length === 0 ? this.#withoutServers() : instructionsFor(this.#servers),
    };
    request.reply(provisionalInitialize(frame, Buffer.from(JSON.stringify({ result: introduction }))));
  }

  #withoutServers(): string {
    if (this.#unreadable !== undefined) return inOneLine(this.#unreadable);
    return this.#ifNone;
  }

  #setLevel(frame: Buffer, request: RoutedRequest): void {
    this.#router.setLevel(frame);
    request.reply(result(request, '{}'));
  }

  #notified(frame: Buffer, method: string): void {
    if (method === 'notifications/initialized') this.#isAnnounced = true;
    else if (method === 'notifications/cancelled') this.#cancel(frame);
    else if (method === 'notifications/progress') {
      const progressed = this.#asked.progressed(frame);
      progressed?.asker.send(progressed.frame);
    } else if (method === 'notifications/roots/list_changed') {
      for (const { member } of this.#members.values()) member.send(frame);
    }
  }

  #cancel(notification: Buffer): void {
    const request = this.#router.cancelled(notification, [...this.#requests]);
    if (!request) return;
    for (const { member } of this.#members.values()) if (member.cancel(notification, request)) break;
    request.cancel();
  }

  /** Opens a session with each server that has none. */
  #join(): void {
    if (!this.#initialize || this.#isClosed) return;
    for (const server of this.#servers) {
      if (this.#members.has(server.name)) continue;
      const draining = new Set<() => void>();
      const drain = () => {
        for (const listener of draining) listener();
      };
      this.#draining.add(drain);
      const member = new Member(server.name, this.#initialize, this.#portOf(server, draining));
      this.#members.set(server.name, { member, setUp: server.setUp, release: () => this.#draining.delete(drain) });
    }
  }

  #drop(name: string): void {
    const left = this.#members.get(name);
    if (!left) return;
    this.#members.delete(name);
    left.release();
    this.#router.left(name);
    for (const { id } of this.#asked.drop((asker) => asker === left.member)) {
      this.#sink.write(
        Buffer.from(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`),
      );
    }
    void left.member.close();
  }

  #portOf(server: AggregateServer, draining: Set<() => void>): MemberPort {
    const client = this.#client;
    return {
      open: (sink) => server.open(sink),
      sink: (write) => ({
        write,
        get buffered() {
          return client.buffered;
        },
        get flowing() {
          return client.flowing;
        },
        onDrain: (listener) => void draining.add(listener),
        flushed: () => client.flushed(),
      }),
      said: (member, frame, method, isRequest) => this.#said(member, frame, method, isRequest),
      introduced: (member) => this.#router.introduced(member),
      answered: (member, request, answer) => request.reply(this.#router.received(member, request, answer)),
      changed: (kinds) => this.#tell(kinds),
      settled: () => this.#settled(),
    };
  }

  /** A request or a notification of a server's. */
  #said(member: Member, frame: Buffer, method: string, isRequest: boolean): void {
    if (this.#members.get(member.name)?.member !== member) return;
    if (isRequest) this.#ask(member, this.#asked.pass(frame, member));
    else if (method === 'notifications/cancelled') {
      const cancelled = this.#asked.cancelled(frame, (asker) => asker === member);
      if (cancelled) this.#sink.write(cancelled.frame);
    } else if (LIST_KINDS.some((kind) => LISTS[kind].changed === method)) this.#tellSoon(method);
    else this.#sink.write(this.#router.notified(member, frame, method));
  }

  /** A client of the stateless revision is asked in the answer to one of its requests. */
  #ask(member: Member, request: Buffer): void {
    const of = member.working.findLast(({ method }) => this.#router.isAsking(method));
    if (this.#stateless.isUsed && of) this.#stateless.asked(request, of.id);
    else this.#sink.write(request);
  }

  #tell(kinds: readonly ListKind[]): void {
    for (const kind of kinds) this.#tellSoon(LISTS[kind].changed);
  }

  #tellSoon(method: string): void {
    if (!this.#isAnnounced || this.#isClosed) return;
    this.#changed.add(method);
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      const methods = [...this.#changed];
      this.#changed.clear();
      for (const changed of methods) this.#sink.write(Buffer.from(`{"jsonrpc":"2.0","method":"${changed}"}`));
    }, GATHER_MS);
  }
}

const NONE_YET = 'No Databricks server is configured yet. The user adds one with `causeway servers add`.';
const NOT_YET = 'Invalid request: initialize comes first.';
const NESTED = { code: -32600, message: 'Invalid request: a batch within a batch.' };

function invalid(frame: Buffer, { code, message }: { code: number; message: string }): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","id":${idOfInvalid(frame, code)},"error":${JSON.stringify({ code, message })}}`);
}

function instructionsFor(servers: readonly AggregateServer[]): string {
  const reasons = servers.flatMap(({ unavailable }) => unavailable ?? []);
  return [
    `Offers the tools of these Databricks servers: ${servers.map(({ name }) => name).join(', ')}.`,
    `If several servers have a tool with the same name, its name starts with the server, as in ${servers[0]?.name}__TOOL.`,
    ...reasons,
  ].join(' ');
}

function result({ id }: RoutedRequest, json: string): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${json}}`);
}

function notFound({ id }: RoutedRequest, message: string, code = -32601): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`);
}
