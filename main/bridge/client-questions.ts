import type { Approval, AskApproval, CallToApprove } from '../permissions/approvals.ts';
import { onlyReads } from '../permissions/decide.ts';
import { shownCall } from '../permissions/shown-call.ts';
import { memberAt, membersOf } from './frame/members.ts';
import type { OwnRequests } from './own-requests.ts';

/** An answer that comes sooner than this, in milliseconds, is a program's own: nobody has read the question. */
const FIRST_READ_MS = 600;

/** The one field of the form for a tool that may change something, and its choices. What only reads is accepted without it. */
const DECISION = 'decision';
const ALLOW = 'Allow once';
const BLOCK = 'Block this call';
const CHOICE = { type: 'string', title: 'Decision', enum: [BLOCK, ALLOW], default: BLOCK };

/**
 * The name of a client that is known to show questions to a person, and how long it waits for the answer, in milliseconds;
 * undefined for any other client.
 */
export type ShowsQuestions = (client: string) => Promise<{ name: string; firstMs: number } | undefined>;

export interface ClientQuestionsPort {
  requests: OwnRequests;
  /** A `serverKey`. */
  server: string;
  showsQuestions: ShowsQuestions;
}

/**
 * Asks the person through their AI client, where no application of ours runs that could (MCP 2025-11-25 › Elicitation, form
 * mode). Only clients that are known to show the question to a person are used; what their organization has approved call by
 * call is not asked here.
 */
export class ClientQuestions {
  readonly #port: ClientQuestionsPort;
  /** Whether the client has declared that it shows forms. */
  #showsForms = false;

  constructor(port: ClientQuestionsPort) {
    this.#port = port;
  }

  /** The client begins a session. @param json its `initialize` */
  begins(json: unknown): void {
    const declared = memberAt(json, 'params', 'capabilities', 'elicitation');
    const { form, url } = membersOf(declared);
    // Before there were two modes, clients declared none.
    this.#showsForms = declared !== undefined && (form !== undefined || url === undefined);
  }

  readonly ask: AskApproval = async (call, signal) => {
    const { client, requestId, isManaged } = call;
    if (!this.#showsForms || isManaged || client === undefined || requestId === undefined) return 'absent';
    const found = await this.#port.showsQuestions(client);
    const message = found && this.#messageFor(call, found.name);
    if (!found || message === undefined) return 'absent';
    const reads = onlyReads(this.#port.server, call.tool, call.hints) === true;
    const until = AbortSignal.any([signal, AbortSignal.timeout(found.firstMs)]);
    return this.#answerTo(reads, message, requestId, until);
  };

  async #answerTo(reads: boolean, message: string, of: string, signal: AbortSignal): Promise<Approval> {
    const requestedSchema = reads
      ? { type: 'object', properties: {} }
      : { type: 'object', properties: { [DECISION]: CHOICE }, required: [DECISION] };
    const askedAt = performance.now();
    try {
      const { result } = await this.#port.requests.ask('elicitation/create', { message, requestedSchema }, of, signal);
      const isChosen = reads || memberAt(result, 'content', DECISION) === ALLOW;
      const isAllowed = isChosen && memberAt(result, 'action') === 'accept';
      return isAllowed && performance.now() - askedAt >= FIRST_READ_MS ? 'allowed' : 'refused';
    } catch {
      // The client has gone or withdrawn the call, or nobody has answered in time.
      return 'late';
    }
  }

  /** Undefined if the call cannot be shown whole. */
  #messageFor({ tool, user, arguments: json }: CallToApprove, client: string): string | undefined {
    const { statement, rest, cut } = shownCall(json);
    if (cut > 0) return undefined;
    const where = new URL(this.#port.server).pathname;
    const as = user === undefined ? '' : ` as ${user}`;
    const question = `${client} wants to use ${tool} on ${where}${as}. Allow this call?`;
    return [question, statement, rest].filter((text) => text !== null).join('\n\n');
  }
}
