import type { FrameSink } from '../bridge/back-pressure.ts';
import { isOfUnknownServer } from '../bridge/early-answer.ts';
import { elementsOf, textAt, wholeOf } from '../bridge/frame/edit.ts';
import { errorFrame, errorOfFrame } from '../bridge/frame/error-frame.ts';
import { parseFrame, scanFrame } from '../bridge/frame/frame.ts';
import { memberAt, rpcErrorIn } from '../bridge/frame/members.ts';
import type { Bridge } from '../bridge/layers.ts';
import { MAX_TOOL_PAGES } from '../bridge/limits.ts';
import { within } from '../platform/within.ts';
import { inOneLine } from '../words/failure.ts';
import type { RoutedRequest } from './client-request.ts';
import { itemsIn, LIST_KINDS, LISTS, type ListItem, type ListKind } from './lists.ts';
import { OpenRequests } from './open-requests.ts';
import { isOnlyTask } from './tasks.ts';

/** The delay before another attempt to open a session, in milliseconds. */
const REOPEN_MS = 10_000;

/** What a member's session goes through: a bridge, and the reason why there is none, if it turns out so. */
export interface OpenedServer {
  bridge: Bridge;
  /** Rejects if no bridge can be built, for example because the profile is missing. */
  opened: Promise<void>;
  /** Told of an error that nothing has caught. */
  failed?(error: unknown): void;
}

export interface MemberPort {
  open(sink: FrameSink): OpenedServer;
  /** Opens the way to this server; `write` receives its frames. */
  sink(write: (frame: Buffer) => void): FrameSink;
  /** A request or a notification from the server, other than progress. */
  said(member: Member, frame: Buffer, method: string, isRequest: boolean): void;
  /** The server can be asked: a session has begun, the first one or a later one. */
  introduced(member: Member): void;
  /** The server's answer to a client's request, changed for the client. */
  answered(member: Member, request: RoutedRequest, answer: Buffer): void;
  /** The client's copy of this list may be out of date. */
  changed(kinds: readonly ListKind[]): void;
  /** There is room for frames again. */
  settled(): void;
}

/** Who waits for an answer from the server: a client's request, or the aggregate itself. */
type Asker = { client: RoutedRequest } | { own: (answer: Buffer) => void };

/** One of the servers that are offered as one: its session, its unanswered requests and its lists. */
export class Member {
  readonly name: string;
  readonly #port: MemberPort;
  readonly #requests = new OpenRequests<Asker>();
  /** The client's `initialize`. */
  readonly #initialize: Buffer;
  #opened: OpenedServer | undefined;
  /** Frames that wait for the session to be opened, each with its raw id. */
  #held: { frame: Buffer; id: string | undefined }[] | undefined = [];
  #problem: string | undefined;
  /** Undefined until the server itself has announced them. */
  #capabilities: unknown;
  #reopening: NodeJS.Timeout | undefined;
  /** The lists being requested. One that arrives too late for its request is kept for the next one. */
  readonly #lists = new Map<ListKind, { items: Promise<readonly ListItem[]>; isLate: boolean }>();
  #isClosed = false;

  constructor(name: string, initialize: Buffer, port: MemberPort) {
    this.name = name;
    this.#initialize = initialize;
    this.#port = port;
    this.#open();
  }

  /** Why the server has no session; undefined if it has one or one is being opened. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Whether the server can be asked now. */
  get isIntroduced(): boolean {
    return this.#held === undefined;
  }

  get pendingBytes(): number {
    return this.#opened?.bridge.pendingBytes ?? 0;
  }

  /** Whether the server announced a capability; true until it has announced any. */
  mayHave(capability: string): boolean {
    return capability === 'tools' || !this.#capabilities || memberAt(this.#capabilities, capability) !== undefined;
  }

  /** Sends a client's request. */
  request(frame: Buffer, client: RoutedRequest): void {
    if (this.#problem !== undefined) client.reply(errorFrame(client.id, new Error(this.#problem)));
    else this.#send(this.#requests.pass(frame, { client }));
  }

  /** Sends a notification, or an answer to a request from the server. */
  send(frame: Buffer): void {
    if (this.#problem === undefined) this.#send(frame);
  }

  /** Sends a request of the aggregate's own. `params` is JSON text. */
  ask(method: string, params: string): Promise<Buffer> {
    return new Promise((resolve) => {
      if (this.#problem !== undefined) resolve(errorFrame('0', new Error(this.#problem)));
      else this.#send(this.#requests.pass(ownRequest(method, params), { own: resolve }));
    });
  }

  /** The client has cancelled a request. Returns false if this server does not have it. */
  cancel(notification: Buffer, request: RoutedRequest): boolean {
    const cancelled = this.#requests.cancelled(notification, (asker) => 'client' in asker && asker.client === request);
    if (!cancelled) return false;
    const id = textAt(cancelled.frame, 'params', 'requestId');
    const left = this.#held?.filter((held) => held.id === undefined || held.id !== id);
    // A request that has not been sent yet is dropped.
    if (left && left.length < (this.#held?.length ?? 0)) this.#held = left;
    else this.#send(cancelled.frame);
    return true;
  }

  /** The client's requests that the server is working on, the oldest first. */
  get working(): RoutedRequest[] {
    return this.#requests.askers.flatMap((asker) => ('client' in asker ? [asker.client] : []));
  }

  /** The server's list, or its placeholder; undefined after `timeoutMs`, and then a change is announced later. */
  async list(kind: ListKind, timeoutMs: number): Promise<readonly ListItem[] | undefined> {
    if (this.#problem !== undefined) return kind === 'tools' ? [statusTool(this.name, this.#problem)] : [];
    if (!this.mayHave(LISTS[kind].capability)) return [];
    const list = this.#lists.get(kind) ?? this.#startList(kind);
    const items = await within(timeoutMs, list.items, undefined);
    if (items === undefined) list.isLate = true;
    else this.#lists.delete(kind);
    return items;
  }

  /** Retries what has failed. */
  reopen(): void {
    clearTimeout(this.#reopening);
    if (this.#problem === undefined || this.#isClosed) return;
    this.#open();
  }

  /** Something in this process has failed: a session without the application is opened again. */
  failed(error: unknown): void {
    this.#opened?.failed?.(error);
  }

  async finish(graceMs: number): Promise<void> {
    this.#end();
    await this.#opened?.bridge.finish(graceMs);
  }

  async close(): Promise<void> {
    this.#end();
    const gone = new Error(`The server "${this.name}" no longer exists.`);
    this.#problem = gone.message;
    this.#refuse(gone);
    await this.#opened?.bridge.close();
  }

  #end(): void {
    this.#isClosed = true;
    clearTimeout(this.#reopening);
  }

  #startList(kind: ListKind) {
    const list = { items: this.#pages(kind), isLate: false };
    this.#lists.set(kind, list);
    void list.items.then(() => {
      if (list.isLate && this.#lists.get(kind) === list) this.#port.changed([kind]);
    });
    return list;
  }

  async #pages(kind: ListKind): Promise<readonly ListItem[]> {
    const all: ListItem[] = [];
    const cursors = new Set<string>();
    let params = '{}';
    for (let page = 0; page < MAX_TOOL_PAGES; page += 1) {
      const answer = await this.ask(LISTS[kind].method, params);
      const { items, nextCursor } = itemsIn(kind, answer);
      all.push(...(kind === 'tools' ? items.filter((item) => !isOnlyTask(item)) : items));
      const error = kind === 'tools' ? rpcErrorIn(parseFrame(answer)) : undefined;
      if (error) all.push(statusTool(this.name, error.message));
      // A repeated cursor would return the same items forever.
      if (nextCursor === undefined || cursors.has(nextCursor)) break;
      cursors.add(nextCursor);
      params = JSON.stringify({ cursor: nextCursor });
    }
    return withoutRepeated(all);
  }

  #open(): void {
    this.#problem = undefined;
    this.#held = [];
    let isCurrent = true;
    const sink = this.#port.sink((frame) => isCurrent && this.#received(frame));
    const session = this.#port.open(sink);
    const { bridge, opened } = session;
    this.#opened = session;
    bridge.onSettled(() => this.#port.settled());
    const failed = (error: unknown) => {
      if (!isCurrent || this.#isClosed) return;
      isCurrent = false;
      void bridge.close();
      this.#failed(error);
    };
    opened.catch(failed);
    const introduce = (answer: Buffer) => {
      const error = rpcErrorIn(parseFrame(answer));
      if (error) failed(errorOfFrame(answer) ?? new Error(error.message));
      else this.#introduced(answer);
    };
    bridge.receive(this.#requests.pass(this.#initialize, { own: introduce }));
  }

  #introduced(answer: Buffer): void {
    const json = parseFrame(answer);
    this.#capabilities = isOfUnknownServer(json) ? undefined : (memberAt(json, 'result', 'capabilities') ?? {});
    this.#opened?.bridge.receive(Buffer.from('{"jsonrpc":"2.0","method":"notifications/initialized"}'));
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#port.introduced(this);
    for (const { frame } of held) this.#opened?.bridge.receive(frame);
  }

  #failed(error: unknown): void {
    this.#problem = inOneLine(error);
    this.#refuse(error);
    this.#reopening = setTimeout(() => {
      this.reopen();
      this.#port.changed(LIST_KINDS);
    }, REOPEN_MS);
    this.#reopening.unref();
    this.#port.changed(LIST_KINDS);
  }

  /** Answers all open requests with an error: the server can no longer answer them. */
  #refuse(error: unknown): void {
    this.#held = [];
    this.#lists.clear();
    for (const { asker } of this.#requests.drop(() => true)) {
      if ('client' in asker) asker.client.reply(errorFrame(asker.client.id, error));
      else asker.own(errorFrame('0', error));
    }
  }

  #send(frame: Buffer): void {
    if (this.#held) this.#held.push({ frame, id: scanFrame(frame).id });
    else this.#opened?.bridge.receive(frame);
  }

  #received(frame: Buffer): void {
    const elements = elementsOf(frame, wholeOf(frame));
    if (elements.length === 0) this.#receivedOne(frame);
    else for (const { start, end } of elements) this.#receivedOne(frame.subarray(start, end));
  }

  #receivedOne(frame: Buffer): void {
    const { id, method } = scanFrame(frame);
    if (method === undefined) this.#answered(frame);
    else if (method === 'notifications/progress') this.#progressed(frame);
    else {
      if (id === undefined) this.#forgetLists(method);
      this.#port.said(this, frame, method, id !== undefined);
    }
  }

  #answered(frame: Buffer): void {
    const answered = this.#requests.answered(frame);
    if (!answered) return;
    const { asker, frame: answer } = answered;
    if ('client' in asker) this.#port.answered(this, asker.client, answer);
    else asker.own(errorOfFrame(frame) ? frame : answer);
  }

  #progressed(frame: Buffer): void {
    const progressed = this.#requests.progressed(frame);
    if (progressed && 'client' in progressed.asker) progressed.asker.client.progress(progressed.frame);
  }

  /** A list in flight may be out of date. */
  #forgetLists(method: string): void {
    for (const kind of LIST_KINDS) if (LISTS[kind].changed === method) this.#lists.delete(kind);
  }
}

/** Some clients' models reject a list with a duplicate name. The first one is kept. */
function withoutRepeated(items: readonly ListItem[]): ListItem[] {
  const seen = new Set<string>();
  return items.filter(({ name }) => seen.size < seen.add(name).size);
}

/** The tool that replaces those of a server without a session. */
function statusTool(server: string, problem: string): ListItem {
  const description = `The tools of the Databricks server "${server}" are not available. ${problem} Call this tool to try again. The tools appear once they are available.`;
  const tool = {
    name: STATUS_TOOL,
    title: `Check the connection of ${server}`,
    description,
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  };
  return { name: STATUS_TOOL, bytes: Buffer.from(JSON.stringify(tool)) };
}

const STATUS_TOOL = 'connection_status';

function ownRequest(method: string, params: string): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","id":0,"method":"${method}","params":${params}}`);
}
