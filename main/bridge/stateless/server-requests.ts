import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { frameMembers, placeAt, textAt, withMembers, withoutMembers } from '../frame/edit.ts';
import { parseFrame, rawId, withId } from '../frame/frame.ts';
import { memberAt, membersOf } from '../frame/members.ts';
import { type ClientRequest, INPUT_METHODS, protocolError, type RequestContext } from './client-request.ts';

/** How long to wait for further questions before the client is asked, in milliseconds: servers ask several at once. */
const GATHER_MS = 25;
/** How long a client may take to answer a question, in milliseconds: a user may have to answer. */
const ANSWER_TIMEOUT_MS = 600_000;

/** The most questions of one call that wait for the client, and the most bytes that they take up. */
const MAX_QUESTIONS = 100;
const MAX_QUESTION_BYTES = 1024 * 1024;

/** The client capability that each kind of question needs. */
const ANSWERABLE = new Map<unknown, string>([
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
  ['roots/list', 'roots'],
]);

/** The member of an elicitation by URL that the stateless revision does not have. */
const ELICITATION_ID = new Set(['elicitationId']);

/** The two sides that questions go between. */
export interface ServerRequestPort {
  toServer(frame: Buffer): void;
  toClient(frame: Buffer): void;
}

/** A request of the server's that the client has not answered. */
interface ServerQuestion {
  /** The server's own id for it. */
  id: string;
  /** Method and parameters, as JSON text. */
  request: string;
  /** Whether a client with these capabilities can answer it. */
  isFor(capabilities: Record<string, unknown>): boolean;
  /** The upstream id of the call in whose answer it came; undefined if it came by itself. */
  of: string | undefined;
}

/** A request of the client's that the server has not answered. */
interface Call {
  /** The id under which the server knows it. */
  upstream: string;
  /** The id under which the client waits for it now; undefined while the client is to answer a question. */
  waiting: string | undefined;
  capabilities: Record<string, unknown>;
  /** Its progress token at the server, and the client's own in this round. Raw JSON text. */
  progress: { upstream: string | undefined; now: string | undefined };
  /** What the server asks, by the name that the client sees. */
  questions: Map<string, ServerQuestion>;
  /** How many questions were refused because there are too many. */
  refused: number;
  /** What the client has to give back together with its answers. */
  state: string | undefined;
  /** The server's answer, where it came while the client was to answer a question. */
  answer: Buffer | undefined;
  gathering: NodeJS.Timeout | undefined;
  timeout: NodeJS.Timeout | undefined;
}

/**
 * Passes a server's requests within a session (sampling, elicitation, roots) on to a client of the stateless revision, which
 * takes them in results: the call that the server works on is answered with its requests, continues at the server meanwhile,
 * and gets its final answer under the id of the client's last round.
 */
export class ServerRequests {
  readonly #port: ServerRequestPort;
  /** By upstream id, in the order they came. */
  readonly #calls = new Map<string, Call>();
  #asked = 0;

  constructor(port: ServerRequestPort) {
    this.#port = port;
  }

  /** A request goes to the server, for whose answer the client waits under the raw id `waiting`. */
  began(frame: Buffer, { method, capabilities }: RequestContext, waiting: string): void {
    if (!INPUT_METHODS.has(method)) return;
    const id = rawId(frame);
    const token = progressToken(frame);
    const nothing = { state: undefined, answer: undefined, gathering: undefined, timeout: undefined };
    const progress = { upstream: token, now: token };
    this.#calls.set(id, {
      upstream: id,
      waiting,
      capabilities,
      progress,
      questions: new Map(),
      refused: 0,
      ...nothing,
    });
  }

  /** The server asks, in the answer to `of` where that is known. */
  ask(frame: Buffer, of: string | undefined): void {
    const { method, params } = membersOf(parseFrame(frame));
    const isByUrl = memberAt(params, 'mode') === 'url';
    const capability = ANSWERABLE.get(method) ?? '';
    const text = textAt(isByUrl ? withoutMembers(frame, ['params'], ELICITATION_ID) : frame, 'params');
    this.#assign({
      id: rawId(frame),
      request: `{"method":${JSON.stringify(method)}${text === undefined ? '' : `,"params":${text}`}}`,
      isFor: (capabilities) => {
        const declared = capabilities[capability];
        return (isByUrl ? memberAt(declared, 'url') : declared) !== undefined;
      },
      of,
    });
  }

  /** Gives a question to the call that it came with; one that came by itself, to the latest whose client can answer it. */
  #assign(question: ServerQuestion): void {
    const { of, isFor } = question;
    const calls = of === undefined ? [...this.#calls.values()] : [this.#calls.get(of)];
    const call = calls.findLast((each) => each && isFor(each.capabilities));
    if (!call) {
      this.#refuse(question, -32601, 'The client cannot answer this request now.');
      return;
    }
    const held = [...call.questions.values(), question];
    const bytes = held.reduce((sum, { id, request }) => sum + id.length + request.length, 0);
    if (call.questions.size >= MAX_QUESTIONS || bytes > MAX_QUESTION_BYTES) {
      call.refused += 1;
      // They may come without end.
      if (call.refused <= MAX_QUESTIONS) this.#refuse(question, -32603, 'Too many requests to the client are open.');
      return;
    }
    this.#asked += 1;
    call.questions.set(`question-${this.#asked}`, question);
    this.#sendSoon(call);
  }

  #refuse({ id }: ServerQuestion, code: number, why: string): void {
    this.#port.toServer(Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${protocolError(code, why)}}`));
  }

  /** Takes a request that continues with a call that was answered with questions; false if it is another. */
  resume({ frame, id, params }: ClientRequest): boolean {
    const { requestState } = membersOf(params);
    if (requestState === undefined) return false;
    const call = [...this.#calls.values()].find(({ state }) => state === requestState);
    if (!call) {
      const why =
        'Invalid or expired requestState: the server no longer knows this call. Send it again without the state.';
      this.#port.toClient(Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${protocolError(-32602, why)}}`));
      return true;
    }
    call.state = undefined;
    call.waiting = id;
    call.progress.now = progressToken(frame);
    clearTimeout(call.timeout);
    const place = placeAt(frame, 'params', 'inputResponses');
    for (const { name, place: answer } of place ? frameMembers(frame, place) : []) {
      const question = call.questions.get(name);
      if (!question) continue;
      call.questions.delete(name);
      const result = frame.toString('utf8', answer.start, answer.end);
      this.#port.toServer(Buffer.from(`{"jsonrpc":"2.0","id":${question.id},"result":${result}}`));
    }
    if (call.answer) {
      this.#port.toClient(withId(call.answer, id));
      this.#forget(call);
    } else if (call.questions.size > 0) this.#sendSoon(call);
    return true;
  }

  /** The server has answered a request: its answer under the id that the client waits for; undefined while it does not. */
  settled(frame: Buffer): Buffer | undefined {
    const id = rawId(frame);
    const call = this.#calls.get(id);
    if (!call) return frame;
    if (call.waiting === undefined) {
      call.answer = frame;
      return undefined;
    }
    this.#forget(call);
    return call.waiting === id ? frame : withId(frame, call.waiting);
  }

  /** The server cancels a question. */
  withdraw(id: string): void {
    for (const { questions } of this.#calls.values()) {
      for (const [name, question] of questions) if (question.id === id) questions.delete(name);
    }
  }

  /** A progress notification with the client's own token; undefined if it has none in this round. */
  progressed(frame: Buffer): Buffer | undefined {
    const place = placeAt(frame, 'params', 'progressToken');
    const token = place && frame.toString('utf8', place.start, place.end);
    const call = [...this.#calls.values()].find(({ progress }) => token !== undefined && progress.upstream === token);
    if (!place || !call || call.progress.now === token) return frame;
    const { now } = call.progress;
    if (now === undefined) return undefined;
    return Buffer.concat([frame.subarray(0, place.start), Buffer.from(now), frame.subarray(place.end)]);
  }

  /** The id under which the client waits for what the server calls `upstream`; undefined while it is to answer a question. */
  waitingFor(upstream: string): string | undefined {
    const call = this.#calls.get(upstream);
    return call ? call.waiting : upstream;
  }

  /** The id under which the server knows the request that the client calls `id`. */
  upstreamOf(id: string): string {
    return [...this.#calls.values()].find(({ waiting }) => waiting === id)?.upstream ?? id;
  }

  /** The client cancels this call. */
  cancel(upstream: string): void {
    const call = this.#calls.get(upstream);
    if (call) this.#forget(call);
  }

  #sendSoon(call: Call): void {
    if (call.waiting === undefined || call.gathering) return;
    call.gathering = setTimeout(() => this.#send(call), GATHER_MS);
  }

  #send(call: Call): void {
    call.gathering = undefined;
    if (call.questions.size === 0) return;
    call.state = randomUUID();
    const asked = [...call.questions].map(([name, { request }]) => `"${name}":${request}`);
    const members = `"resultType":"input_required","inputRequests":{${asked.join(',')}},"requestState":"${call.state}"`;
    this.#port.toClient(Buffer.from(`{"jsonrpc":"2.0","id":${call.waiting},"result":{${members}}}`));
    call.waiting = undefined;
    call.timeout = setTimeout(() => this.#giveUp(call), ANSWER_TIMEOUT_MS);
    call.timeout.unref();
  }

  #giveUp(call: Call): void {
    for (const question of call.questions.values()) this.#refuse(question, -32603, 'The client did not answer.');
    call.questions.clear();
    const reason = `{"requestId":${call.upstream},"reason":"the client did not answer"}`;
    this.#port.toServer(Buffer.from(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":${reason}}`));
    this.#forget(call);
  }

  /** Its questions that are left are asked with another call that is still open, where they may belong to that. */
  #forget(call: Call): void {
    clearTimeout(call.gathering);
    clearTimeout(call.timeout);
    this.#calls.delete(call.upstream);
    for (const question of call.questions.values()) this.#assign(question);
  }
}

function progressToken(request: Buffer): string | undefined {
  return textAt(request, 'params', '_meta', 'progressToken');
}

/** The pause before a request is sent again for which the server asks no more than that, in milliseconds. */
const PAUSE_MS = 250;

/** The client's answers: members for the next round's parameters, or the error of its refusal. All JSON text. */
export type InputAnswers = { kind: 'members'; members: string } | { kind: 'refused'; error: string };

interface Question {
  answered(frame: Buffer): void;
}

/** Whether a frame is a result that says that the server needs input first (MCP 2026-07-28 › Multi Round-Trip Requests). */
export function needsInput(frame: Buffer): boolean {
  // Answers may be large: only those that contain the word are parsed.
  return frame.includes('input_required') && textAt(frame, 'result', 'resultType') === '"input_required"';
}

/** How the bridge reaches the client of a stateless server. */
export interface InputPort {
  /** Gives the client a frame. */
  write(frame: Buffer): void;
  /** Asks the client something, in the answer to its request with the raw id `of`. */
  ask(frame: Buffer, of: string): void;
}

/**
 * Passes the requests in the results of a stateless server on to a client of the session revisions, as the requests that
 * such a client knows: sampling, elicitation, roots.
 */
export class InputRounds {
  readonly #port: InputPort;
  readonly #open = new Map<string, Question>();
  #asked = 0;

  constructor(port: InputPort) {
    this.#port = port;
  }

  /** A response of the client's has come. What answers none of these questions is dropped. */
  answer(frame: Buffer): void {
    this.#open.get(rawId(frame))?.answered(frame);
  }

  /** Asks the client all that `frame`, the answer to its request `of`, demands. Rejects when `signal` is aborted; the questions are then cancelled. */
  async ask(frame: Buffer, of: string, signal: AbortSignal): Promise<InputAnswers> {
    const place = placeAt(frame, 'result', 'inputRequests');
    const requests = place ? frameMembers(frame, place) : [];
    if (requests.length === 0) await sleep(PAUSE_MS, undefined, { signal });
    const refused = new AbortController();
    const over = AbortSignal.any([signal, refused.signal]);
    let error: string | undefined;
    const answers = requests.map(async ({ name, place: { start, end } }) => {
      const answer = await this.#askClient(frame.subarray(start, end), of, over);
      const result = textAt(answer, 'result');
      if (result !== undefined) return `${JSON.stringify(name)}:${result}`;
      error ??= textAt(answer, 'error') ?? '{"code":-32603,"message":"The client did not answer."}';
      refused.abort(new Error('the client has refused another of these requests'));
      return '';
    });
    const settled = await Promise.allSettled(answers);
    if (error !== undefined) return { kind: 'refused', error };
    signal.throwIfAborted();
    const responses = settled.map((answer) => (answer.status === 'fulfilled' ? answer.value : ''));
    const state = textAt(frame, 'result', 'requestState');
    return {
      kind: 'members',
      members: [
        ...(requests.length > 0 ? [`"inputResponses":{${responses.join(',')}}`] : []),
        ...(state === undefined ? [] : [`"requestState":${state}`]),
      ].join(','),
    };
  }

  #askClient(request: Buffer, of: string, signal: AbortSignal): Promise<Buffer> {
    this.#asked += 1;
    const id = `"causeway-input-${this.#asked}"`;
    return new Promise((resolve, reject) => {
      const cancel = () => {
        this.#open.delete(id);
        this.#port.write(
          Buffer.from(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`),
        );
        reject(signal.reason);
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener('abort', cancel, { once: true });
      this.#open.set(id, {
        answered: (frame) => {
          this.#open.delete(id);
          signal.removeEventListener('abort', cancel);
          resolve(frame);
        },
      });
      this.#port.ask(withMembers(withElicitationId(request, id), [], `"jsonrpc":"2.0","id":${id}`), of);
    });
  }
}

/** A request with an elicitation id, which the session revisions need for an elicitation by URL and the stateless one has not. */
function withElicitationId(request: Buffer, id: string): Buffer {
  const isByUrl = textAt(request, 'params', 'mode') === '"url"';
  const isNumbered = !isByUrl || textAt(request, 'params', 'elicitationId') !== undefined;
  return isNumbered ? request : withMembers(request, ['params'], `"elicitationId":${id}`);
}
