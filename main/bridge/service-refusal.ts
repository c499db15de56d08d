import { randomUUID } from 'node:crypto';
import { ERROR_FACTS } from '../../preload/contract/error-facts.ts';
import { CausewayError, sentences } from '../platform/errors.ts';
import type { ServiceSignIn } from '../workspace/service-sign-in.ts';
import { elementsOf, wholeOf } from './frame/edit.ts';
import { parseFrame, scanFrame } from './frame/frame.ts';
import { itemsOf, memberAt, membersOf } from './frame/members.ts';
import type { HttpOutcome } from './http-exchange.ts';
import type { OwnRequests } from './own-requests.ts';
import type { PendingRequest } from './pending-request.ts';
import { isRejection } from './retry.ts';
import { URL_REQUIRED, unsafeAddress } from './stateless/elicitations.ts';
import { CANCELLED, type WaitingRequests } from './waiting-requests.ts';

/** How long a call waits for the user at the page, in milliseconds: clients give up after 60 s. */
const PAGE_WAIT_MS = 45_000;

/** A refusal that comes sooner than this, in milliseconds, is the client's own: Codex declines without its user in a script. */
const FIRST_READ_MS = 1_000;

/** Requests made by a model or a user: they wait for the user. Other refused requests fail at once, without a page. */
const WAITING_METHODS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

export interface ServiceRefusalPort {
  service: ServiceSignIn;
  waiting: WaitingRequests;
  /** The client has gone. */
  signal: AbortSignal;
  /** Whether the client opens addresses for its user (MCP 2025-11-25 › Elicitation, URL mode). */
  opensAddresses(): boolean;
  requests: OwnRequests;
  /** As in `Endpoint`. */
  isOwnClient: boolean;
}

/** What to do with a refused request: send it again, or treat the refusal as any other. */
type Verdict = 'again' | 'other' | typeof CANCELLED;

type Refused = Extract<HttpOutcome, { kind: 'refused' }>;

/**
 * Refusals of a server whose user is not signed in to the service behind it. The gateway refuses with 401 and a challenge
 * although the token is good (RFC 9728 §5.1), or with JSON-RPC error -32042 (MCP 2025-11-25 › URL Elicitation Required
 * Error). Both look like something else, so the service's own record decides. Neither request was run: the gateway answers
 * 401 before it reads the frame, and an error -32042 asks for the same request again.
 */
export class ServiceRefusals {
  readonly #port: ServiceRefusalPort;

  constructor(port: ServiceRefusalPort) {
    this.#port = port;
  }

  /** Whether a response may say that the user has to sign in first. `json` is the frame as it was parsed. */
  isElicitation(json: unknown): boolean {
    return elicitationIn(json) !== undefined;
  }

  /**
   * Decides what to do with a request whose token was refused, or whose answer is an elicitation, and waits for the user if
   * that helps. A request waits for one sign-in only.
   * @param isChecked whether a refusal of this request was checked before
   * @throws {CausewayError} `service_signed_out` with what to do
   */
  async handle(pending: PendingRequest, refusal: Refused | Buffer, isChecked: boolean): Promise<Verdict> {
    const { service, waiting } = this.#port;
    // A request that has waited for a sign-in has used up its time for other waits.
    const checked = isChecked
      ? await waiting.unbounded(pending, service.check())
      : await waiting.bounded(pending, service.check());
    if (checked === CANCELLED) return CANCELLED;
    const isElicitation = Buffer.isBuffer(refusal);
    if (checked.state !== 'signed-out') {
      // Where the user is signed in, an elicitation is about something else.
      if (isChecked || isElicitation) return 'other';
      if (checked.state === 'signed-in') return 'again';
      if (checked.state === 'unknown' && isTokenGood(checked.error, refusal)) throw this.#notKnown(checked.error);
      return 'other';
    }
    const isHelpless = isChecked || checked.way !== 'page' || this.#port.isOwnClient || !isWantedByUser(pending);
    if (isHelpless) throw service.signedOut(checked);
    return this.#wait(pending, isElicitation ? this.#addressIn(refusal) : undefined);
  }

  /** Whether a call's error becomes a tool result, which the model reads and can pass on to its user. */
  isForModel(error: unknown): boolean {
    return !this.#port.isOwnClient && error instanceof CausewayError && error.code === 'service_signed_out';
  }

  async #wait(pending: PendingRequest, address: string | undefined): Promise<Verdict> {
    const { service, waiting, signal } = this.#port;
    const opens = this.#port.opensAddresses();
    // Causeway itself opens pages of the workspace only.
    const isUsable = address && (opens || new URL(address).origin === new URL(service.url).origin);
    const url = isUsable ? address : service.url;
    const show = opens ? (page: string) => this.#ask(page, pending) : undefined;
    const signIn = async () => {
      const shown = await service.begin({ url, show });
      if (shown === 'declined') throw notOpened(service);
      await service.signedIn();
    };
    const withLink = (error: unknown) => {
      if (signal.aborted) throw error;
      const why = error instanceof CausewayError && error.code !== 'service_signed_out' ? error.message : '';
      throw new CausewayError('service_signed_out', sentences(notSignedIn(service), why, 'Nothing was run.'), {
        // An address that the user has not accepted is not offered once more.
        remedy: `Ask the user to open the page in their browser and sign in, then try again: ${service.url}`,
      });
    };
    const done = signIn().catch(withLink);
    const waited = await waiting.upTo(PAGE_WAIT_MS, pending, done, () => stillAtPage(service, url));
    return waited === CANCELLED ? CANCELLED : 'again';
  }

  /**
   * Has the client open the page. Whatever it answers, Causeway does not open the page itself then: only `accept` is a yes.
   * Resolves to false if the user declines.
   * @throws {CausewayError} `sign_in_failed` if the client has not shown the page to anybody
   */
  async #ask(url: string, pending: PendingRequest): Promise<boolean> {
    const { service, requests } = this.#port;
    const elicitationId = randomUUID();
    const params = { mode: 'url', elicitationId, url, message: `Sign in to ${service.title}.` };
    const askedAt = performance.now();
    const { result } = await requests.ask('elicitation/create', params, pending.id);
    const { action } = membersOf(result);
    if (action !== 'accept') {
      const isRefusal = action === 'decline' || action === 'cancel';
      if (isRefusal && performance.now() - askedAt >= FIRST_READ_MS) return false;
      throw new CausewayError('sign_in_failed', 'The AI client has not shown its sign-in page to anybody.');
    }
    const complete = () => requests.notify('notifications/elicitation/complete', { elicitationId }, pending.id);
    setImmediate(() => void service.signedIn().then(complete, () => undefined));
    return true;
  }

  /** The address that the service wants to open, if it is allowed. */
  #addressIn(frame: Buffer): string | undefined {
    const json = parseFrame(frame);
    return unsafeAddress(json) === undefined ? elicitationIn(json) : undefined;
  }

  /** It is unknown whether the user is signed in, but the token is good: the challenge does not blame it. */
  #notKnown(cause: CausewayError): CausewayError {
    const { title, url, profile } = this.#port.service;
    const { host } = new URL(profile.host);
    const message = `${host} refused the request (401), although the token is valid. ${title} may need its own sign-in. Nothing was run.`;
    const why = `Causeway could not check: ${cause.message}`;
    return new CausewayError('service_signed_out', sentences(message, why), {
      cause,
      remedy: `Open the page in a browser where you are signed in to the workspace, then try again: ${url}`,
    });
  }
}

/**
 * Why a service has refused a request for good, if that is not about the token: its user is not signed in to it, or no longer.
 * Undefined for any other refusal.
 */
export async function explainServiceRefusal(
  service: ServiceSignIn,
  refusal: Refused,
): Promise<CausewayError | undefined> {
  if (!isRejection(refusal)) return undefined;
  const checked = await service.check();
  if (checked.state === 'signed-out') return service.signedOut(checked);
  if (checked.state !== 'signed-in' || blamesToken(refusal)) return undefined;
  const { title, profile } = service;
  const { host } = new URL(profile.host);
  const message = `${host} refused the request (401), although you are signed in to ${title} there. ${title} may have ended that sign-in. Nothing was run.`;
  return new CausewayError('service_signed_out', message, {
    action: { do: 'renew-service-sign-in', profile: profile.name, service: service.service, title },
  });
}

/** Whether a frame contains a request that waits for the user, alone or in a batch. */
function isWantedByUser({ envelope, frame, method }: PendingRequest): boolean {
  if (envelope.kind !== 'batch') return WAITING_METHODS.has(method);
  return elementsOf(frame, wholeOf(frame)).some(({ start, end }) =>
    WAITING_METHODS.has(scanFrame(frame.subarray(start, end)).method ?? ''),
  );
}

function notSignedIn({ title }: ServiceSignIn): string {
  return `You are not signed in to ${title}.`;
}

function notOpened({ title }: ServiceSignIn): CausewayError {
  return new CausewayError('consent_denied', `The sign-in page of ${title} was not opened.`);
}

/** The error for a request that has waited for the user as long as clients wait for an answer. */
function stillAtPage(service: ServiceSignIn, url: string): CausewayError {
  return new CausewayError(
    'service_signed_out',
    `The user has not signed in to ${service.title} yet. Nothing was run.`,
    {
      remedy: `A page is open in the browser: the user must sign in there, then try again. If the page cannot be found, open ${url}`,
    },
  );
}

/** Whether the token was accepted, although it is unknown whether the user is signed in to the service. */
function isTokenGood({ code }: CausewayError, refusal: Refused): boolean {
  return !blamesToken(refusal) && ERROR_FACTS[code].token === 'accepted';
}

/** Whether a refusal says that the token is bad (RFC 6750 §3.1). */
function blamesToken({ head, text }: Refused): boolean {
  const challenge = head.headers['www-authenticate'];
  return `${challenge}`.includes('invalid_token') || challenge === undefined || /^\s*invalid token/i.test(text);
}

/** The first address that an error asks to open; empty if it names none, undefined for any other frame. */
function elicitationIn(json: unknown): string | undefined {
  if (memberAt(json, 'error', 'code') !== URL_REQUIRED) return undefined;
  const [first] = itemsOf(memberAt(json, 'error', 'data', 'elicitations'));
  const { url } = membersOf(first);
  return typeof url === 'string' ? url : '';
}
