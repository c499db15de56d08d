import type { Approval, AskApproval, CallToApprove, WaitLimits } from '../rules/approvals.ts';
import { shownCall } from '../rules/shown-call.ts';
import { memberAt, membersOf } from './frame/members.ts';
import type { OwnRequests } from './own-requests.ts';

/** An answer that comes sooner than this, in milliseconds, is a program's own: nobody has read the question. */
const FIRST_READ_MS = 600;

/** The title of the one field of the form, and its choices. */
const DECISION = 'decision';
const ALLOW = 'Allow once';
const BLOCK = 'Block this call';

/** How long a client that is known to show questions to a person waits for the answer; undefined for any other client. */
export type ShowsQuestions = (client: string) => Promise<Pick<WaitLimits, 'firstMs'> | undefined>;

export interface ClientQuestionsPort {
  requests: OwnRequests;
  /** The server's name for the person: its path. */
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
    const { client, isManaged } = call;
    const waits =
      this.#showsForms && client !== undefined && !isManaged ? await this.#port.showsQuestions(client) : undefined;
    const message = waits && this.#messageFor(call);
    if (!waits || message === undefined) return 'absent';
    return this.#answerTo(message, AbortSignal.any([signal, AbortSignal.timeout(waits.firstMs)]));
  };

  async #answerTo(message: string, signal: AbortSignal): Promise<Approval> {
    const field = { type: 'string', title: 'Decision', enum: [BLOCK, ALLOW], default: BLOCK };
    const requestedSchema = { type: 'object', properties: { [DECISION]: field }, required: [DECISION] };
    const askedAt = performance.now();
    try {
      const { result } = await this.#port.requests.ask(
        'elicitation/create',
        { message, requestedSchema },
        'null',
        signal,
      );
      const isAllowed = memberAt(result, 'action') === 'accept' && memberAt(result, 'content', DECISION) === ALLOW;
      return isAllowed && performance.now() - askedAt >= FIRST_READ_MS ? 'allowed' : 'refused';
    } catch {
      // The client has gone or withdrawn the call, or nobody has answered in time.
      return 'late';
    }
  }

  /** Undefined if the call cannot be shown whole. */
  #messageFor({ client, tool, user, arguments: json }: CallToApprove): string | undefined {
    const { statement, rest, cut } = shownCall(json);
    if (cut > 0) return undefined;
    const as = user === undefined ? '' : ` as ${user}`;
    const question = `${client} wants to use ${tool} on ${this.#port.server}${as}. Allow this call?`;
    return [question, statement, rest].filter((text) => text !== null).join('\n\n');
  }
}
