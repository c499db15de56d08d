import type { AskApproval } from '../permissions/approvals.ts';
import type { DecidedBy, Decision, ToolHints } from '../permissions/decide.ts';
import type { ServerPermissions } from '../permissions/server-permissions.ts';
import { CausewayError } from '../platform/errors.ts';
import { inOneLine } from '../words/failure.ts';
import type { AnswerStore } from './answer-store.ts';
import type { FrameSink } from './back-pressure.ts';
import { CLIENT_INFO, clientNameOf } from './client-name.ts';
import { elementsOf, textAt, wholeOf, withElements, withMembers, withoutMembers } from './frame/edit.ts';
import { errorFrame, toolTextFrame } from './frame/error-frame.ts';
import {
  isIdText,
  parseFrame,
  parseText,
  rawId,
  readEnvelope,
  type SendableEnvelope,
  scanFrame,
} from './frame/frame.ts';
import { memberAt } from './frame/members.ts';
import { readStrictly, type StrictMessage } from './frame/strict-frame.ts';
import type { BridgeLayer, ClientMessage } from './layers.ts';
import { hintsByName, listedTool, listedTools } from './listed-tools.ts';
import type { ProgressReports } from './progress.ts';
import type { SessionOwner } from './session-owner.ts';
import { type CallerAndTool, NOT_ALLOWED, ToolApprovals } from './tool-approvals.ts';
import { ToolRequests } from './tool-requests.ts';

export interface ToolGuardOptions {
  permissions: ServerPermissions;
  /** The server's last known list of tools, whole. */
  memory: AnswerStore;
  /** Takes the answers to refused calls, and the notification that the tools have changed. */
  sink: FrameSink;
  askApproval?: AskApproval | undefined;
  /** As whom calls are sent. */
  owner(): Pick<SessionOwner, 'key' | 'userName' | 'notAllowed'>;
  /** Tells the client that its call waits for the user. */
  progress: ProgressReports;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
}

/** What happens to a message: it is sent, it is refused, or the user is asked. */
type Verdict = 'go' | 'stop' | CallerAndTool;

/**
 * Holds the user's permissions about tools between one client and one server: a call of a tool that is off does not reach the
 * server, and the tool does not appear in `tools/list`. The permissions are those of the moment at which a call comes.
 */
export class ToolGuard implements BridgeLayer {
  readonly #options: ToolGuardOptions;
  readonly #approvals: ToolApprovals;
  readonly #requests = new ToolRequests();
  readonly #hints = new Map<string, ToolHints>();
  /** The tools in the pages of the list that is being read. */
  #pages = new Map<string, ToolHints>();
  /** As the client has named itself in `initialize`, empty if it has not; undefined before. */
  #client: string | undefined;
  /** The raw id of an `initialize` that has no answer yet. */
  #initializeId: string | undefined;
  #areHintsLoaded = false;
  /** Resolves when the decision about the last frame has been made. */
  #last: Promise<void> = Promise.resolve();
  /** The calls that the user has allowed. */
  readonly #approved = new WeakSet<Buffer>();
  #queued = 0;

  constructor(options: ToolGuardOptions) {
    this.#options = options;
    const { permissions, sink, askApproval, progress, signal, owner } = options;
    const decide = (call: CallerAndTool) => this.#decide(call);
    this.#approvals = new ToolApprovals({
      permissions,
      decide,
      askApproval,
      progress,
      signal,
      user: () => owner().userName,
    });
    const unsubscribe = permissions.subscribe(() => {
      if (this.#client !== undefined) sink.write(Buffer.from(listChanged()));
      for (const id of this.#requests.subscriptions) sink.write(Buffer.from(listChanged(id)));
    });
    signal.addEventListener('abort', unsubscribe, { once: true });
  }

  toServer(message: ClientMessage, next: (message: ClientMessage) => Promise<void>): Promise<void> {
    const { frame, envelope, json, wantsProgress } = message;
    if (!this.concerns(frame, envelope, json)) return next(message);
    const { key } = this.#options.owner();
    return this.pass(frame, envelope, async (admitted) => {
      const left = admitted === frame ? envelope : readEnvelope(admitted);
      if (left.kind === 'invalid' || this.#options.signal.aborted) return;
      // What was allowed to be done as one user is not done as another.
      if (key !== '' && key !== this.#options.owner().key) throw this.#options.owner().notAllowed();
      await next({ frame: admitted, envelope: left, json: undefined, wantsProgress });
    });
  }

  toClient(frame: Buffer, next: (frame: Buffer) => void): void {
    next(this.filtered(frame));
  }

  /** Whether a client's frame has to go through `pass`. `json` is the frame, or its outline. */
  concerns(frame: Buffer, envelope: SendableEnvelope, json: unknown): boolean {
    if (envelope.kind === 'request' && envelope.method === 'initialize') {
      this.#client = clientNameOf(memberAt(json, 'params', 'clientInfo')) ?? '';
      this.#initializeId = rawId(frame);
    }
    if (this.#isBusy || this.#options.permissions.refresh() !== undefined || !this.#options.permissions.isEmpty)
      return true;
    if (envelope.kind === 'batch') for (const element of elementsIn(frame)) this.#remember(element);
    else if ('method' in envelope && ToolRequests.METHODS.has(envelope.method)) this.#remember(frame);
    return false;
  }

  /** Whether a frame waits for a decision. */
  get #isBusy(): boolean {
    return this.#queued > 0 || !this.#approvals.isIdle;
  }

  /**
   * Sends a frame, or the part of a batch that the permissions allow. Frames keep their order, except that they overtake calls that
   * wait for the user. A call that is refused is answered here.
   */
  async pass(frame: Buffer, envelope: SendableEnvelope, send: (frame: Buffer) => Promise<void>): Promise<void> {
    const before = this.#last;
    let release = () => {};
    this.#last = new Promise((resolve) => {
      release = resolve;
    });
    this.#queued += 1;
    let sent: Promise<void> | undefined;
    let asked: { bytes: Buffer; call: CallerAndTool } | undefined;
    try {
      await before;
      await this.#options.permissions.refresh();
      const elements = envelope.kind === 'batch' ? elementsIn(frame) : [frame];
      for (const element of elements) this.#cancel(element);
      if (this.#options.permissions.isEmpty) {
        for (const element of elements) this.#remember(element);
        sent = send(frame);
      } else {
        const judged = await this.#judgeFrame(frame, elements);
        if (judged.sent) sent = send(judged.sent);
        asked = judged.asked;
      }
    } finally {
      this.#queued -= 1;
      release();
    }
    if (asked) {
      const { bytes, call } = asked;
      const approval = await this.#approvals.ask(bytes, call);
      if (approval === 'allowed') {
        this.#approved.add(bytes);
        sent = send(bytes);
      } else if (approval !== 'cancelled') this.#answer(bytes, approval);
    }
    await sent;
  }

  /** What of a frame is sent, as it was read; or the call in it that the user is asked about. A frame that is misread is refused whole. */
  async #judgeFrame(
    frame: Buffer,
    elements: Buffer[],
  ): Promise<{ sent?: Buffer; asked?: { bytes: Buffer; call: CallerAndTool } }> {
    const read = readStrictly(frame);
    if ('fault' in read) {
      for (const element of elements) this.#answer(element, { error: misread(read.fault) });
      return {};
    }
    const kept: Buffer[] = [];
    for (const message of read.messages) {
      const verdict = await this.#judge(message, read.isBatch);
      if (typeof verdict === 'object') return { asked: { bytes: message.bytes, call: verdict } };
      if (verdict === 'go') kept.push(message.bytes);
    }
    if (!read.isBatch) return kept[0] ? { sent: kept[0] } : {};
    return kept.length > 0 ? { sent: Buffer.from(`[${kept.join(',')}]`) } : {};
  }

  /**
   * Why the current permissions forbid a call that has waited; undefined if they allow it. A call that the user was asked about
   * stays allowed.
   */
  async refusalAfterWait(frame: Buffer): Promise<string | undefined> {
    await this.#options.permissions.refresh();
    if (this.#options.permissions.isEmpty) return undefined;
    await this.#loadHints();
    const read = readStrictly(frame);
    if ('fault' in read) return inOneLine(misread(read.fault));
    for (const { tool, bytes } of read.messages) {
      if (tool === undefined) continue;
      const decision = this.#options.permissions.decide(tool, this.#clientOf(bytes), this.#hints.get(tool));
      if (decision.do === 'block') return refusalOf(tool, decision);
      if (decision.do === 'ask' && !this.#approved.has(frame)) return NOT_ALLOWED.meanwhile(tool);
    }
    return undefined;
  }

  /** A call that waits is withdrawn even if the permissions have been removed meanwhile: it would be sent then. */
  #cancel(frame: Buffer): void {
    if (scanFrame(frame).method !== 'notifications/cancelled') return;
    this.#approvals.cancel(textAt(frame, 'params', 'requestId'));
  }

  /** Decides about one message, and answers it if it is refused. */
  async #judge({ tool, bytes }: StrictMessage, isInBatch: boolean): Promise<Verdict> {
    this.#remember(bytes);
    if (tool === undefined) return 'go';
    const client = this.#clientOf(bytes);
    await this.#loadHints();
    const hints = this.#hints.get(tool);
    const decision = this.#options.permissions.decide(tool, client, hints);
    if (decision.do === 'allow') return 'go';
    if (decision.do === 'ask' && !isInBatch)
      return { client, tool, hints, isManaged: decision.by.who === 'organization' };
    if (decision.do === 'ask') this.#answer(bytes, { text: NOT_ALLOWED.batch(tool) });
    else this.#answer(bytes, { text: refusalOf(tool, decision) });
    return 'stop';
  }

  #decide({ tool, client }: CallerAndTool): 'allow' | 'ask' | { text: string } {
    const decision = this.#options.permissions.decide(tool, client, this.#hints.get(tool));
    return decision.do === 'block' ? { text: refusalOf(tool, decision) } : decision.do;
  }

  #clientOf(frame: Buffer): string | undefined {
    return clientNameOf(jsonAt(frame, 'params', '_meta', CLIENT_INFO)) ?? (this.#client || undefined);
  }

  #remember(frame: Buffer): void {
    this.#requests.sent(frame, () => this.#clientOf(frame));
  }

  /** A frame for the client, without the tools that it must not use. */
  filtered(frame: Buffer): Buffer {
    if (this.#initializeId !== undefined && isAnswerTo(this.#initializeId, frame)) return this.#withListChanged(frame);
    if (!this.#requests.isWaiting) return frame;
    const elements = elementsIn(frame);
    if (elements.length === 0) return this.#filteredOne(frame);
    const filtered = elements.map((element) => this.#filteredOne(element));
    return filtered.every((element, index) => element === elements[index])
      ? frame
      : Buffer.from(`[${filtered.join(',')}]`);
  }

  /** An answer to `initialize` that announces that the tools may change: permissions can change them even if the server does not. */
  #withListChanged(frame: Buffer): Buffer {
    this.#initializeId = undefined;
    const path = ['result', 'capabilities', 'tools'];
    const tools = memberAt(parseFrame(frame), ...path);
    const isSaid = typeof tools !== 'object' || memberAt(tools, 'listChanged') === true;
    return isSaid ? frame : withMembers(withoutMembers(frame, path, LIST_CHANGED_MEMBER), path, '"listChanged":true');
  }

  #filteredOne(frame: Buffer): Buffer {
    const { id, method } = scanFrame(frame);
    const request = id === undefined || method !== undefined ? undefined : this.#requests.answered(id);
    if (!request) return frame;
    const { client, continues } = request;
    const listed = hintsByName(listedTools(frame), continues ? this.#pages : undefined);
    this.#pages = listed;
    for (const [name, hints] of listed) this.#hints.set(name, hints);
    if (this.#options.permissions.isEmpty) return frame;
    return withElements(frame, ['result', 'tools'], (element) => {
      const tool = listedTool(parseFrame(element));
      return (
        tool !== undefined && this.#options.permissions.decide(tool.name, client, listed.get(tool.name)).do !== 'block'
      );
    });
  }

  /** A list of Causeway's own tool for the client, which does not come from the server: permissions do not apply to it. */
  ownTools(frame: Buffer): Buffer {
    this.#requests.answered(rawId(frame));
    return frame;
  }

  /** Reads the hints of the server's last known tools. */
  async #loadHints(): Promise<void> {
    if (this.#areHintsLoaded) return;
    this.#areHintsLoaded = true;
    const known = await this.#options.memory.get('tools/list');
    for (const [name, hints] of hintsByName(known ? listedTools(known) : [])) {
      if (!this.#hints.has(name)) this.#hints.set(name, hints);
    }
  }

  /** Answers a refused call with a tool error, which the model reads. A notification gets no answer. */
  #answer(frame: Buffer, answer: { text: string } | { error: CausewayError }): void {
    const { id } = scanFrame(frame);
    if (id === undefined) return;
    if ('error' in answer) {
      this.#options.sink.write(errorFrame(isIdText(id) ? id : 'null', answer.error));
      return;
    }
    this.#options.sink.write(toolTextFrame(id, frame, answer.text));
  }
}

const LIST_CHANGED_MEMBER = new Set(['listChanged']);

/** @param subscription the raw id of the request for it, in the stateless revision (MCP 2026-07-28 › Subscriptions) */
function listChanged(subscription?: string): string {
  const of = `,"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":${subscription}}}`;
  return `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"${subscription === undefined ? '' : of}}`;
}

function isAnswerTo(rawRequestId: string, frame: Buffer): boolean {
  const { id, method } = scanFrame(frame);
  return id === rawRequestId && method === undefined;
}

function elementsIn(batch: Buffer): Buffer[] {
  return elementsOf(batch, wholeOf(batch)).map(({ start, end }) => batch.subarray(start, end));
}

function jsonAt(frame: Buffer, ...path: string[]): unknown {
  const text = textAt(frame, ...path);
  return text === undefined ? undefined : parseText(text);
}

/** For a frame that a server may read differently than the permissions do. @param fault why, as the end of a sentence */
function misread(fault: string): CausewayError {
  return new CausewayError('invalid_argument', `This request was not sent, because permissions apply and ${fault}.`, {
    remedy: 'Servers may read it in different ways. Send it in the plain form of JSON-RPC 2.0 and MCP.',
  });
}

const CHANGE =
  'The user can change that in Causeway, or with `causeway permissions`. Do not try another way. Tell the user.';
const MANAGED =
  'This is managed by the organization. `causeway policy show` has the details. Do not try another way. Tell the user.';

function refusalOf(tool: string, decision: Extract<Decision, { do: 'block' }>): string {
  return decision.why === 'unreadable' ? inOneLine(decision.error) : refusal(tool, decision.why, decision.by);
}

/** The text for the model when a call was refused: which permission, and what to do. */
function refusal(tool: string, why: 'off' | 'new' | 'read-only' | 'unlisted', by: DecidedBy): string {
  const what = {
    off: `The ${by.who} has turned off "${tool}" ${placeOf(by)}.`,
    new: `"${tool}" is off ${placeOf(by)}, because the ${by.who} has not turned it on.`,
    'read-only': `"${tool}" may change something, and the ${by.who} allows only read-only tools ${placeOf(by)}.`,
    unlisted: `The ${by.who} allows only read-only tools ${placeOf(by)}, and the server has not described "${tool}" yet. List the tools first.`,
  }[why];
  return `${what} Nothing was run. ${by.who === 'organization' ? MANAGED : CHANGE}`;
}

function placeOf({ scope, name = 'this client' }: DecidedBy): string {
  return {
    everything: 'on all servers',
    client: `for ${name}`,
    server: 'on this server',
    'client-of-server': `for ${name} on this server`,
  }[scope];
}
