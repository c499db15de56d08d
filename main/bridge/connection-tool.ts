import { endsBySignIn } from '../../preload/contract/error-facts.ts';
import { CausewayError, sentences } from '../platform/errors.ts';
import type { SilentHostError } from '../platform/silent-host.ts';
import { within } from '../platform/within.ts';
import { inOneLine, remedyFor } from '../words/failure.ts';
import type { ServiceSignIn } from '../workspace/service-sign-in.ts';
import type { AnswerStore } from './answer-store.ts';
import type { Endpoint, EndpointSignIn } from './endpoint.ts';
import { toolTextFrame } from './frame/error-frame.ts';
import { parseFrame, rawId } from './frame/frame.ts';
import { itemsOf, memberAt } from './frame/members.ts';
import type { BridgeLayer, ClientMessage } from './layers.ts';
import { NEVER_SENT } from './limits.ts';
import { ANSWER_TIMEOUTS } from './waiting-requests.ts';

/** How long a call of `sign_in` waits for the user, in milliseconds: clients give up after 60 s. */
const SIGN_IN_MS = 45_000;
/** How long a call waits for the session and the tools after the sign-in, in milliseconds. */
const TOOLS_MS = 8_000;

const SIGN_IN = 'sign_in';
/** The member of `_meta` of `sign_in` that names its sign-in: the tools of several servers may share one. */
export const WHICH_SIGN_IN = 'causeway/sign-in';
const STATUS = 'connection_status';
const NAMES: ReadonlySet<unknown> = new Set([SIGN_IN, STATUS]);

/** The server that the tool represents, and the means to reach it. */
export interface ConnectionToolPort {
  host: string;
  path: string;
  profile: string;
  /** Undefined if the profile holds credentials of its own. */
  signIn: EndpointSignIn | undefined;
  /** The sign-in to the service behind the server, if there is one. */
  service?: ServiceSignIn | undefined;
  memory: AnswerStore;
  /** Gives the client a frame. */
  write(frame: Buffer): void;
  /** Resolves when there is a session. @throws why there is none */
  connect(): Promise<void>;
}

const NOTHING_RUN = 'Nothing was run.';

/**
 * The only tool that a client has while the server's tools are unknown: `sign_in` if that is the remedy, which stands beside tools
 * that are known too, else `connection_status`. Its description says what is wrong; its call does the next step, and answers before clients give up.
 */
export class ConnectionTool implements BridgeLayer {
  readonly #port: ConnectionToolPort;
  readonly #waiting = new Set<() => void>();
  #problem: CausewayError | undefined;
  /** Whether the server has listed its tools since its last failure. */
  #isListed = false;

  constructor(port: ConnectionToolPort) {
    this.#port = port;
  }

  /** Why the server cannot be asked, if that is known. */
  get problem(): CausewayError | undefined {
    return this.#problem;
  }

  set problem(problem: CausewayError | undefined) {
    this.#problem = problem;
    if (problem) this.#isListed = false;
  }

  /** The server has listed its tools. */
  hasTools(): void {
    this.#isListed = true;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  /** The tool as an element of `tools/list`. */
  definition(): { name: string } & Record<string, unknown> {
    const away = this.#awaitedService;
    const { needsSignIn } = this;
    const title = needsSignIn ? `Sign in to ${away?.title ?? 'Databricks'}` : 'Check the connection to Databricks';
    return {
      name: needsSignIn ? SIGN_IN : STATUS,
      title,
      description: this.#description(),
      inputSchema: { type: 'object', properties: {}, additionalProperties: false },
      annotations: { title, readOnlyHint: !needsSignIn, destructiveHint: false, idempotentHint: true },
      ...(needsSignIn ? { _meta: { [WHICH_SIGN_IN]: this.#whichSignIn(away) } } : {}),
    };
  }

  /** Answers a call of this tool. If the server has a tool of that name, the call is the server's. */
  toServer(message: ClientMessage, next: (message: ClientMessage) => Promise<void>): Promise<void> {
    const { json } = message;
    const isCall = memberAt(json, 'method') === 'tools/call' && NAMES.has(calledName(json));
    return isCall ? this.#take(message, next) : next(message);
  }

  async #take(message: ClientMessage, next: (message: ClientMessage) => Promise<void>): Promise<void> {
    const { frame, json } = message;
    const name = calledName(json);
    const known = await this.#port.memory.get('tools/list');
    const tools = itemsOf(memberAt(known && parseFrame(known), 'result', 'tools'));
    if (tools.some((tool) => memberAt(tool, 'name') === name)) return next(message);
    const { text, isError } = await this.#act(name);
    this.#port.write(toolTextFrame(rawId(frame), frame, text, isError));
  }

  #act(name: unknown): Promise<CallText> {
    const away = this.#awaitedService;
    if (name === SIGN_IN && away) return this.#signInToService(away);
    return name === SIGN_IN && this.#port.signIn ? this.#signIn(this.#port.signIn) : this.#check();
  }

  /** The error of a request whose wait timed out. */
  stillWaiting(): CausewayError {
    const { host, signIn } = this.#port;
    if (signIn?.pending) {
      return new CausewayError('signed_out', `Nothing was run: the user has not signed in to ${hostOf(host)} yet.`, {
        remedy: `${PAGE_IS_OPEN} Finish signing in there, then try again.${addressOf(signIn.pending.url)}`,
      });
    }
    if (signIn?.awaitsKeychain) {
      return new CausewayError('keychain_locked', 'Nothing was run: the keychain with the sign-in is locked.', {
        remedy: 'The system asks the user for its password in a window of its own. Then try again.',
      });
    }
    const none = `There is still no connection to the workspace ${hostOf(host)}.`;
    if (this.#problem) {
      const { code, message } = this.#problem;
      // What it says may be of an earlier wait.
      const text = message.startsWith(none) ? message : sentences(none, message);
      const remedy = remedyFor('command', this.#problem);
      const isSaid = sentences(text, remedy).includes(NOTHING_RUN);
      return new CausewayError(code, text, { remedy: isSaid ? remedy : sentences(remedy, NOTHING_RUN) });
    }
    return new CausewayError('timeout', none, {
      remedy: `Open Causeway to see what it waits for, then try again. ${NOTHING_RUN}`,
    });
  }

  /** The notice on a terminal while a session is being opened. */
  waitingNotice(): string {
    const { host, signIn } = this.#port;
    if (signIn?.awaitsKeychain) return KEYCHAIN_IS_AWAITED;
    return signIn?.pending
      ? `${PAGE_IS_OPEN}${addressOf(signIn.pending.url)}`
      : `${hostOf(host)} has not responded yet. Still trying.`;
  }

  /** The service that waits for its user's sign-in, if the user can sign in. */
  get #awaitedService(): ServiceSignIn | undefined {
    const { code, action } = this.problem ?? {};
    return code === 'service_signed_out' && action?.do === 'sign-in-to-service' ? this.#port.service : undefined;
  }

  /** Whether the tool signs in: to the workspace, or to the service behind the server. */
  get needsSignIn(): boolean {
    return this.#awaitsWorkspace || this.#awaitedService !== undefined;
  }

  get #awaitsWorkspace(): boolean {
    const { signIn } = this.#port;
    if (!signIn) return false;
    return signIn.pending !== undefined || (this.problem !== undefined && endsBySignIn(this.problem.code));
  }

  #whichSignIn(service: ServiceSignIn | undefined): string {
    const { host, profile } = this.#port;
    return `${profile} ${service?.url ?? host}`;
  }

  #description(): string {
    const { host, path, signIn } = this.#port;
    const what = `The Databricks server ${path} on ${hostOf(host)} cannot be used yet.`;
    const then = 'Its tools appear here once it is available.';
    const away = this.#awaitedService;
    if (away) {
      const next = `The user is not signed in to ${away.title}. Call this tool to sign in. It opens a page in the user's browser, where the user allows access.`;
      return `${what} ${next} ${then} If the page cannot be found, open ${away.url}`;
    }
    if (this.#awaitsWorkspace) {
      const next = signIn?.pending
        ? `${PAGE_IS_OPEN} The user must finish signing in there; call this tool to wait.`
        : `${this.problem?.message ?? 'The user is not signed in.'} Call this tool to sign in. It opens a page in the user's browser, where the user allows access.`;
      return `${what} ${next} ${then}${addressOf(signIn?.pending?.url)}`;
    }
    const silent = signIn?.awaitsKeychain ? KEYCHAIN_IS_AWAITED : 'The workspace has not answered yet.';
    const why = this.problem ? inOneLine(this.problem) : silent;
    return sentences(`${what} ${why}`, `Call this tool to try again and see the result. ${then}`);
  }

  async #signIn(signIn: EndpointSignIn): Promise<CallText> {
    const signedIn = `Signed in to ${hostOf(this.#port.host)}.`;
    // The page may have been answered between the list and the call. A sign-in that the workspace refuses does not count.
    const isRefused = this.problem?.code === 'unauthenticated';
    if (!isRefused && (await signIn.isDone().catch(() => false))) return this.#check(signedIn);
    const begun = signIn.begin();
    const outcome = await outcomeWithin(
      SIGN_IN_MS,
      begun.then(() => 'signed in' as const),
    );
    if (outcome instanceof Error) return { text: inOneLine(outcome), isError: true };
    if (outcome === 'late') {
      const next = 'Finish signing in there, and the tools appear. Call this tool again to wait.';
      return { text: `${PAGE_IS_OPEN} ${next}${addressOf(signIn.pending?.url)}`, isError: true };
    }
    return this.#check(signedIn);
  }

  async #signInToService(service: ServiceSignIn): Promise<CallText> {
    const work = async () => {
      const { state } = await service.check();
      if (state === 'signed-in') return;
      await service.begin({ asked: true });
      await service.signedIn();
    };
    const outcome = await outcomeWithin(SIGN_IN_MS, work());
    if (outcome instanceof Error) return { text: `${inOneLine(outcome)} ${service.url}`, isError: true };
    if (outcome === 'late') {
      const text = `${PAGE_IS_OPEN} Finish signing in to ${service.title} there; call this tool again to wait.${addressOf(service.url)}`;
      return { text, isError: true };
    }
    return this.#check(`Signed in to ${service.title}.`);
  }

  async #check(before = ''): Promise<CallText> {
    const hasTools = new Promise<void>((resolve) => this.#waiting.add(resolve));
    const outcome = await outcomeWithin(NEVER_SENT.limitMs, this.#port.connect());
    if (outcome instanceof Error) return { text: sentences(before, inOneLine(outcome)), isError: true };
    if (outcome === 'late') return { text: sentences(before, inOneLine(this.stillWaiting())), isError: true };
    if (!this.#isListed) await outcomeWithin(TOOLS_MS, hasTools);
    const text = `The connection to ${hostOf(this.#port.host)} works. The tools of ${this.#port.path} are available now: list the tools again if they do not appear.`;
    return { text: sentences(before, text), isError: false };
  }
}

interface CallText {
  text: string;
  isError: boolean;
}

function calledName(json: unknown): unknown {
  return memberAt(json, 'params', 'name');
}

const KEYCHAIN_IS_AWAITED = 'Causeway waits for the user to unlock the keychain with the sign-in.';
const PAGE_IS_OPEN = 'A sign-in page is open in the browser.';

/** At the end of the text, so that nothing follows the address. */
function addressOf(url: string | undefined): string {
  return url === undefined ? '' : ` If the page does not appear, open ${url}`;
}

function hostOf(origin: string): string {
  return new URL(origin).host;
}

/** The result of some work, its error, or `late` if it takes longer. */
function outcomeWithin<T>(timeoutMs: number, work: Promise<T>): Promise<T | Error | 'late'> {
  const done = work.catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  return within(timeoutMs, done, 'late' as const);
}

/** Notices on a terminal while there is no session. */
export class TerminalNotices {
  readonly #onNotice: Endpoint['onNotice'];
  readonly #waitingNotice: () => string;
  #reported: string | undefined;

  constructor(onNotice: Endpoint['onNotice'], waitingNotice: () => string) {
    this.#onNotice = onNotice;
    this.#waitingNotice = waitingNotice;
  }

  /** Notifies the user if the server takes long to open a session. */
  async during(opening: Promise<void>): Promise<void> {
    if (!this.#onNotice) return opening;
    const timer = setTimeout(() => this.#onNotice?.(this.#waitingNotice()), ANSWER_TIMEOUTS.noticeMs);
    timer.unref();
    await opening.finally(() => clearTimeout(timer));
  }

  /** Reports once why a silent host was given up. */
  gaveUp(error: SilentHostError): void {
    const text = inOneLine(error);
    if (text !== this.#reported) this.#onNotice?.(text);
    this.#reported = text;
  }
}
