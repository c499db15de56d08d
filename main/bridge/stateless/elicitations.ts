import { randomUUID } from 'node:crypto';
import { asSentence, CausewayError } from '../../platform/errors.ts';
import { withoutMembers } from '../frame/edit.ts';
import { parseFrame, rawId, withId } from '../frame/frame.ts';
import { itemsOf, memberAt, membersOf } from '../frame/members.ts';
import { OMITTED } from '../frame/outline.ts';
import { type ClientRequest, INPUT_METHODS, protocolError, type RequestContext } from './client-request.ts';

/**
 * With this error a server of the session revisions says that its user has to open an address first, and the client sends
 * the request again when that is done (MCP 2025-11-25 › URL Elicitation Required Error). The stateless revision asks in a
 * result instead, and the server itself waits for the user.
 */
export const URL_REQUIRED = -32042;

/** How often a request is sent again while the user is at the address, in milliseconds: few servers notify of the end. */
const RETRY_INTERVAL_MS = 2_000;
/** How long the user may take there before they are asked again, in milliseconds. */
const ELICITATION_TIMEOUT_MS = 300_000;

const ANSWERS = new Set(['inputResponses', 'requestState']);

/** Where requests and answers go. */
export interface ElicitationPort {
  /** Sends a request whose answer the client waits for under the raw id `waiting`. */
  again(request: Buffer, waiting: string): void;
  toClient(frame: Buffer): void;
}

interface Address {
  url: string;
  message: unknown;
  elicitationId: unknown;
}

/** A request whose user has agreed to open the address. */
interface Agreed {
  request: Buffer;
  /** The raw id under which the client waits. */
  waiting: string;
  /** Until when the server may continue refusing, in milliseconds of `performance.now()`. */
  until: number;
  /** The elicitation ids of what is open. */
  ids: Set<unknown>;
  pause: NodeJS.Timeout | undefined;
}

/** Translates the URLs that a server with sessions wants to open into input requests for a stateless client. */
export class UrlElicitations {
  readonly #port: ElicitationPort;
  /** The server's message, by the state that the client gives back with its answer. */
  readonly #asked = new Map<unknown, string>();
  /** By the raw id under which the server knows the latest try. */
  readonly #agreed = new Map<string, Agreed>();
  #rounds = 0;

  constructor(port: ElicitationPort) {
    this.#port = port;
  }

  /**
   * The answer for the client, which waits under the raw id `waiting`; undefined while the user is at the address.
   */
  answered(frame: Buffer, waiting: string | undefined, { method, capabilities }: RequestContext): Buffer | undefined {
    const id = rawId(frame);
    const { message, addresses } = required(frame);
    const agreed = this.#agreed.get(id);
    if (agreed && addresses.length > 0 && waiting !== undefined && performance.now() < agreed.until) {
      agreed.waiting = waiting;
      agreed.ids = new Set(addresses.map(({ elicitationId }) => elicitationId));
      agreed.pause = setTimeout(() => this.#tryAgain(id, agreed), RETRY_INTERVAL_MS);
      agreed.pause.unref();
      return undefined;
    }
    this.#agreed.delete(id);
    if (addresses.length === 0) return frame;
    const mayAsk = INPUT_METHODS.has(method) && memberAt(capabilities, 'elicitation', 'url') !== undefined;
    if (mayAsk) return this.#question(id, message, addresses);
    const words = `${message} Open ${addresses.map(({ url }) => url).join(' and ')} in a browser, then try again.`;
    const missing = { requiredCapabilities: { elicitation: { url: {} } } };
    return failureAnswer(id, method, words, protocolError(-32021, words, missing));
  }

  /** Takes a request that continues with one that was answered with an address; false if it is another. */
  resume({ frame, id, method, params }: ClientRequest): boolean {
    if (this.#asked.size === 0) return false;
    const { requestState, inputResponses } = membersOf(params);
    const message = this.#asked.get(requestState);
    if (message === undefined) return false;
    this.#asked.delete(requestState);
    if (Object.values(membersOf(inputResponses)).some((response) => memberAt(response, 'action') !== 'accept')) {
      const words = `${message} The address was not opened. Nothing was run.`;
      this.#port.toClient(failureAnswer(id, method, words, protocolError(-32603, words)));
      return true;
    }
    const request = withoutMembers(frame, ['params'], ANSWERS);
    const until = performance.now() + ELICITATION_TIMEOUT_MS;
    this.#agreed.set(id, { request, waiting: id, until, ids: new Set(), pause: undefined });
    this.#port.again(request, id);
    return true;
  }

  /** The server has notified that the user is done with the elicitation of this id. */
  completed(elicitationId: unknown): void {
    for (const [upstream, agreed] of this.#agreed) {
      if (agreed.pause && agreed.ids.has(elicitationId)) this.#tryAgain(upstream, agreed);
    }
  }

  /** The client has cancelled the request with this raw id. Tells whether only the user was waited for, not the server. */
  cancel(waiting: string): boolean {
    for (const [upstream, agreed] of this.#agreed) {
      if (agreed.waiting !== waiting) continue;
      clearTimeout(agreed.pause);
      this.#agreed.delete(upstream);
      return agreed.pause !== undefined;
    }
    return false;
  }

  #tryAgain(upstream: string, agreed: Agreed): void {
    clearTimeout(agreed.pause);
    this.#rounds += 1;
    const id = `"causeway-round-${this.#rounds}"`;
    this.#agreed.delete(upstream);
    this.#agreed.set(id, { ...agreed, pause: undefined });
    this.#port.again(withId(agreed.request, id), agreed.waiting);
  }

  #question(id: string, message: string, addresses: Address[]): Buffer {
    const requestState = randomUUID();
    this.#asked.set(requestState, message);
    setTimeout(() => this.#asked.delete(requestState), ELICITATION_TIMEOUT_MS).unref();
    const requests = addresses.map((address, at) => {
      const params = { mode: 'url', message: typeof address.message === 'string' ? address.message : message };
      return [`address-${at + 1}`, { method: 'elicitation/create', params: { ...params, url: address.url } }] as const;
    });
    const result = { resultType: 'input_required', inputRequests: Object.fromEntries(requests), requestState };
    return Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`);
  }
}

/** The addresses that an answer wants to open; none for any other answer. */
function required(frame: Buffer): { message: string; addresses: Address[] } {
  // Answers may be large: only those that contain the number are parsed.
  const error = frame.includes(`${URL_REQUIRED}`) ? memberAt(parseFrame(frame), 'error') : undefined;
  if (memberAt(error, 'code') !== URL_REQUIRED) return { message: '', addresses: [] };
  const addresses = itemsOf(memberAt(error, 'data', 'elicitations')).flatMap((each) => {
    const { url, message, elicitationId } = membersOf(each);
    return typeof url === 'string' ? [{ url, message, elicitationId }] : [];
  });
  return { message: messageText(memberAt(error, 'message')), addresses };
}

const DEFAULT_MESSAGE = 'The server asks to open an address first.';

function messageText(message: unknown): string {
  return typeof message === 'string' && message !== '' ? asSentence(message) : DEFAULT_MESSAGE;
}

/** The answer for a request that was not run: for a tool call a failed result, which the model reads, else an error. */
function failureAnswer(id: string, method: unknown, text: string, error: string): Buffer {
  const result = JSON.stringify({ content: [{ type: 'text', text }], isError: true, resultType: 'complete' });
  return Buffer.from(
    `{"jsonrpc":"2.0","id":${id},${method === 'tools/call' ? `"result":${result}` : `"error":${error}`}}`,
  );
}

/** The fault of an address in a frame that is too large to be read. */
const UNCHECKED = 'too long to check';

/**
 * What is wrong with an address that a frame of the server's wants the user to open; undefined if nothing is. The
 * client opens it in a browser or through the system: `https` only, and `http` on this computer, both without a user name.
 * Servers ask in three ways: with a request, with an error, and in a result of the stateless revision.
 */
export function unsafeAddress(json: unknown): string | undefined {
  const { method, error, result } = membersOf(json);
  if (method !== undefined) return unsafeIn(json);
  if (memberAt(error, 'code') === URL_REQUIRED) {
    const data = memberAt(error, 'data');
    const elicitations = memberAt(data, 'elicitations');
    if (data === OMITTED || elicitations === OMITTED) return UNCHECKED;
    return firstOf(itemsOf(elicitations), (each) => faultOf(memberAt(each, 'url')));
  }
  const inputRequests = memberAt(result, 'inputRequests');
  if (inputRequests === OMITTED) return UNCHECKED;
  if (typeof inputRequests !== 'object' || inputRequests === null) return undefined;
  return firstOf(Object.values(inputRequests), (request) => (request === OMITTED ? UNCHECKED : unsafeIn(request)));
}

/** Why the client was not given what the server sent. `fault` is what `unsafeAddress` says. */
export function refusedAddress(fault: string): CausewayError {
  return new CausewayError('unexpected_answer', `The server asks to open an address that is ${fault}.`, {
    remedy:
      'Causeway passes on https addresses without a user name only. Nothing was opened. Tell the owner of the server.',
  });
}

function unsafeIn(request: unknown): string | undefined {
  const { method, params } = membersOf(request);
  if (method === OMITTED || (params === OMITTED && method === 'elicitation/create')) return UNCHECKED;
  const { mode, url } = membersOf(params);
  return method === 'elicitation/create' && (mode === 'url' || url !== undefined) ? faultOf(url) : undefined;
}

function faultOf(url: unknown): string | undefined {
  const address = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  if (!address) return 'no address';
  // `https://acme.cloud.databricks.com@evil.example/` looks like a page of Databricks. Browsers leave the user name out.
  if (address.username !== '' || address.password !== '') return 'misleading (a user name is before the host)';
  if (address.protocol === 'https:' || (address.protocol === 'http:' && isLoopback(address.hostname))) return undefined;
  return address.protocol === 'http:'
    ? 'not encrypted (http:)'
    : `not a web address (${address.protocol.slice(0, 40)})`;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

function firstOf(all: readonly unknown[], faultIn: (each: unknown) => string | undefined): string | undefined {
  for (const each of all) {
    const fault = faultIn(each);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
