import type { Secret } from '../../platform/secret.ts';
import { elementsOf, textAt, wholeOf } from '../frame/edit.ts';
import { errorFrame } from '../frame/error-frame.ts';
import { matchOfIds, parseFrame, rawId, readEnvelope, withId } from '../frame/frame.ts';
import { memberAt } from '../frame/members.ts';
import type { HttpOutcome, ResponseHead } from '../http-exchange.ts';
import { MAX_FRAME_BYTES, MAX_TOOL_PAGES } from '../limits.ts';
import { isServersOwnError, jsonRpcError } from '../session.ts';
import type { OnFrame, UpstreamClient } from '../upstream-client.ts';
import { ANSWER_TIMEOUTS } from '../waiting-requests.ts';
import { OutgoingRequests } from './client-request.ts';
import { initializeAnswer, readDiscovered } from './discovery.ts';
import { refusedAddress, unsafeAddress } from './elicitations.ts';
import { requestHeaders, revisionOf, STATELESS_REVISION } from './headers.ts';
import { type InputPort, InputRounds, needsInput } from './server-requests.ts';
import { Subscriptions } from './subscriptions.ts';
import { ToolCatalog } from './tool-headers.ts';

const LOCAL: ResponseHead = { status: 200, headers: {} };
const ACCEPTED: HttpOutcome = { kind: 'accepted', head: LOCAL };
/** How many rounds of input a server may ask for before it has to answer. */
const MAX_ROUNDS = 10;

/** Requests that only open or list, and so do not take long. */
const QUICK_METHODS = new Set(['server/discover', 'tools/list']);

/** Notifications that exist only in sessions: they are not sent to a stateless server. */
const SESSION_ONLY = new Set([
  'notifications/initialized',
  'notifications/roots/list_changed',
  'notifications/progress',
]);

/** A server of the stateless revision (2026-07-28), for a client of any revision. */
export class StatelessServer {
  readonly #upstream: UpstreamClient;
  readonly #inputs: InputRounds;
  readonly #outgoing = new OutgoingRequests();
  readonly #tools = new ToolCatalog();
  readonly #subscriptions: Subscriptions;
  /** The requests in flight, by raw id. */
  readonly #open = new Map<string, AbortController>();

  constructor(upstream: UpstreamClient, client: InputPort) {
    this.#upstream = upstream;
    this.#inputs = new InputRounds(client);
    this.#subscriptions = new Subscriptions((params, onFrame, signal) =>
      upstream.withRetry((token) => {
        const frame = this.#outgoing.own('subscriptions/listen', params);
        return this.#send('subscriptions/listen', frame, token, onFrame, signal);
      }),
    );
  }

  /** Whether its client is of the stateless revision too: nothing is translated. */
  get isNative(): boolean {
    return this.#outgoing.isNative;
  }

  /** Answers the client's `initialize` from the server's `server/discover`. Undefined if the server has sessions. */
  async begin(initialize: Buffer, token: Secret): Promise<HttpOutcome | undefined> {
    this.#outgoing.initialize = initialize;
    let frame: Buffer | undefined;
    const take = (answer: Buffer) => {
      frame = answer;
    };
    const ask = () =>
      this.#send('server/discover', this.#outgoing.own('server/discover'), token, take, this.#upstream.signal);
    const first = await ask();
    // The server refuses the revision. The bridge speaks only this one, so it asks once more.
    const outcome = isRevisionRefusal(first) ? await ask() : first;
    if (outcome.kind === 'frame') take(outcome.frame);
    const discovered = frame && readDiscovered(frame);
    if (!discovered) return isAbsence(outcome) ? undefined : withoutPlace(outcome);
    this.#subscriptions.offer(discovered.capabilities);
    const asked = memberAt(parseFrame(initialize), 'params', 'protocolVersion');
    const answer = initializeAnswer(discovered, rawId(initialize), asked);
    return { kind: 'frame', head: LOCAL, frame: answer };
  }

  async post(method: string, frame: Buffer, token: Secret, onFrame: OnFrame): Promise<HttpOutcome> {
    if (SESSION_ONLY.has(method)) return ACCEPTED;
    if (this.#outgoing.isNative && method !== 'notifications/cancelled')
      return this.#dispatch(method, frame, token, onFrame);
    switch (method) {
      case 'response':
        this.#inputs.answer(frame);
        return ACCEPTED;
      case 'notifications/cancelled':
        // Closing the answer's stream cancels a request (MCP 2026-07-28 › Cancellation).
        this.#open.get(textAt(frame, 'params', 'requestId') ?? '')?.abort(new Error('the client has canceled'));
        return ACCEPTED;
      case 'ping':
        return answered(frame);
      case 'logging/setLevel':
        this.#outgoing.logLevel = textAt(frame, 'params', 'level');
        return answered(frame);
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        return this.#setSubscribed(method, frame);
      case 'batch':
        return this.#each(frame, token, onFrame);
      default:
        return this.#dispatch(method, frame, token, onFrame);
    }
  }

  listen(onFrame: OnFrame, signal: AbortSignal): Promise<HttpOutcome> {
    return this.#subscriptions.listen(onFrame, signal);
  }

  async #each(batch: Buffer, token: Secret, onFrame: OnFrame): Promise<HttpOutcome> {
    const answers = await oneByOne(
      batch,
      onFrame,
      (method, frame, take) => this.post(method, frame, token, take),
      (failure, method) => this.#upstream.explained(failure, method),
    );
    return answers ? { kind: 'frame', head: LOCAL, frame: answers } : ACCEPTED;
  }

  #setSubscribed(method: string, frame: Buffer): HttpOutcome {
    const uri = memberAt(parseFrame(frame), 'params', 'uri');
    if (!this.#subscriptions.canSubscribe || typeof uri !== 'string') {
      return refusedHere(frame, `{"code":-32601,"message":"Method not found: ${method}"}`);
    }
    this.#subscriptions.setSubscribed(uri, method === 'resources/subscribe');
    return answered(frame);
  }

  async #dispatch(method: string, frame: Buffer, token: Secret, onFrame: OnFrame): Promise<HttpOutcome> {
    const id = rawId(frame);
    const gone = new AbortController();
    this.#open.set(id, gone);
    try {
      const signal = AbortSignal.any([this.#upstream.signal, gone.signal]);
      const outcome = await this.#inRounds(method, frame, token, onFrame, signal);
      return gone.signal.aborted ? { kind: 'cancelled' } : withoutPlace(outcome);
    } catch (error) {
      if (gone.signal.aborted) return { kind: 'cancelled' };
      throw error;
    } finally {
      if (this.#open.get(id) === gone) this.#open.delete(id);
    }
  }

  /** Sends a request, again with the client's input in each round, until the server answers. */
  async #inRounds(
    method: string,
    frame: Buffer,
    token: Secret,
    onFrame: OnFrame,
    signal: AbortSignal,
  ): Promise<HttpOutcome> {
    const asks = (answer: Buffer) => !this.#outgoing.isNative && needsInput(answer);
    let input = '';
    let isToolListRefreshed = false;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      let asked: Buffer | undefined;
      const outgoing = this.#outgoing.ofClient(frame, input);
      const numbered = (answer: Buffer) => underId(answer, rawId(outgoing), rawId(frame));
      const bearer = round === 0 ? token : await this.#upstream.token();
      const outcome = await this.#send(
        method,
        outgoing,
        bearer,
        (answer, head) => {
          if (asks(answer)) asked = answer;
          else onFrame(this.#forClient(method, numbered(answer)), head);
        },
        signal,
      );
      if (outcome.kind === 'frame' && !asks(outcome.frame)) {
        return { ...outcome, frame: this.#forClient(method, numbered(outcome.frame)) };
      }
      if (outcome.kind === 'frame') asked = outcome.frame;
      if (method === 'tools/call' && !isToolListRefreshed && isHeaderMismatch(outcome)) {
        isToolListRefreshed = true;
        await this.#refreshTools(signal);
        continue;
      }
      if (!asked) return outcome;
      const unsafe = unsafeAddress(parseFrame(asked));
      if (unsafe !== undefined) return localFrame(errorFrame(rawId(frame), refusedAddress(unsafe)));
      const answers = await this.#inputs.ask(asked, rawId(frame), signal);
      if (answers.kind === 'refused') return refusedHere(frame, answers.error);
      input = answers.members;
    }
    const error = { code: -31_999, message: `The server asked for more input ${MAX_ROUNDS} times and did not answer.` };
    return refusedHere(frame, JSON.stringify(error));
  }

  #send(method: string, frame: Buffer, token: Secret, onFrame: OnFrame, signal: AbortSignal): Promise<HttpOutcome> {
    const params = memberAt(parseFrame(frame), 'params');
    const declared = method === 'tools/call' ? this.#tools.headersOf(memberAt(params, 'name')) : [];
    const headers = requestHeaders(method, params, declared);
    const session = { id: undefined, protocolVersion: revisionOf(params) ?? STATELESS_REVISION };
    const silenceMs = QUICK_METHODS.has(method) ? ANSWER_TIMEOUTS.firstBytesMs : undefined;
    return this.#upstream.post(frame, session, token, onFrame, { headers, signal, silenceMs });
  }

  #forClient(method: string, answer: Buffer): Buffer {
    return method === 'tools/list' ? this.#tools.store(answer) : answer;
  }

  /** Reads the whole list of tools again, after a call was refused because of missing headers. */
  async #refreshTools(signal: AbortSignal): Promise<void> {
    let cursor: unknown;
    for (let page = 0; page < MAX_TOOL_PAGES; page += 1) {
      const params = typeof cursor === 'string' ? `"cursor":${JSON.stringify(cursor)}` : '';
      const list = this.#outgoing.own('tools/list', params);
      const take = (answer: Buffer) => {
        this.#tools.store(answer);
        cursor = memberAt(parseFrame(answer), 'result', 'nextCursor');
      };
      cursor = undefined;
      const outcome = await this.#upstream.withRetry((token) => this.#send('tools/list', list, token, take, signal));
      if (outcome.kind === 'frame') take(outcome.frame);
      if (typeof cursor !== 'string') return;
    }
  }
}

/** An answer to a request that went out under another id than the client's, as the client knows it. */
function underId(answer: Buffer, sentAs: string, id: string): Buffer {
  return sentAs !== id && rawId(answer) === sentAs && readEnvelope(answer).kind === 'response'
    ? withId(answer, id)
    : answer;
}

function localFrame(frame: Buffer): HttpOutcome {
  return { kind: 'frame', head: LOCAL, frame };
}

function answered(frame: Buffer): HttpOutcome {
  return localFrame(Buffer.from(`{"jsonrpc":"2.0","id":${rawId(frame)},"result":{}}`));
}

/** `error` is JSON text. */
function refusedHere(frame: Buffer, error: string): HttpOutcome {
  return localFrame(Buffer.from(`{"jsonrpc":"2.0","id":${rawId(frame)},"error":${error}}`));
}

/** Whether a server answered `server/discover` like one that does not have the method. */
function isAbsence(outcome: HttpOutcome): boolean {
  if (outcome.kind === 'frame' || outcome.kind === 'streamed' || outcome.kind === 'accepted') return true;
  return outcome.kind === 'refused' && [400, 404, 405, 406, 410, 422, 501].includes(outcome.head.status);
}

function isRevisionRefusal(outcome: HttpOutcome): boolean {
  return outcome.kind === 'refused' && jsonRpcError(outcome.text)?.code === -32022;
}

function isHeaderMismatch(outcome: HttpOutcome): boolean {
  return outcome.kind === 'refused' && outcome.head.status === 400 && jsonRpcError(outcome.text)?.code === -32020;
}

/** Event ids mean nothing in this revision: a cut stream is not resumed. */
function withoutPlace(outcome: HttpOutcome): HttpOutcome {
  if (outcome.kind !== 'streamed' && outcome.kind !== 'broken') return outcome;
  return { ...outcome, place: { lastEventId: undefined, retryMs: outcome.place.retryMs } };
}

type Post = (method: string, frame: Buffer, onFrame: OnFrame) => Promise<HttpOutcome>;
type Explained = UpstreamClient['explained'];

/**
 * Sends the frames of a batch one by one, and returns the answers as one frame: only revision 2025-03-26 has batches.
 * Undefined if no answer is due.
 */
async function oneByOne(
  batch: Buffer,
  onFrame: OnFrame,
  post: Post,
  explained: Explained,
): Promise<Buffer | undefined> {
  let bytes = 0;
  const sent = elementsOf(batch, wholeOf(batch)).map(async ({ start, end }) => {
    const frame = batch.subarray(start, end);
    const envelope = readEnvelope(frame);
    if (envelope.kind === 'invalid') return [];
    const method = 'method' in envelope ? envelope.method : envelope.kind;
    const id = rawId(frame);
    let answered: Buffer | undefined;
    const take: OnFrame = (answer, head) => {
      if (readEnvelope(answer).kind !== 'response') onFrame(answer, head);
      else if (rawId(answer) === 'null' || matchOfIds(rawId(answer), id)) answered ??= answer;
    };
    const outcome = await post(method, frame, take);
    if (outcome.kind === 'frame') take(outcome.frame, outcome.head);
    if (envelope.kind !== 'request' || outcome.kind === 'cancelled') return [];
    let answer = answered ?? (await failure(outcome, method, explained));
    bytes += answer.length;
    if (bytes > MAX_FRAME_BYTES) answer = errorFrame('null', await explained({ kind: 'too-long' }, method));
    return [withId(answer, id)];
  });
  const answers = (await Promise.all(sent)).flat().map(String);
  return answers.length === 0 ? undefined : Buffer.from(`[${answers.join(',')}]`);
}

async function failure(outcome: HttpOutcome, method: string, explained: Explained): Promise<Buffer> {
  if (outcome.kind === 'refused' && isServersOwnError(outcome.head.status, outcome.text)) {
    return Buffer.from(outcome.text);
  }
  const isFailure = outcome.kind === 'refused' || outcome.kind === 'broken' || outcome.kind === 'too-long';
  return errorFrame('null', await explained(isFailure ? outcome : { kind: 'unanswered' }, method));
}
