import { parseFrame, rawId } from './frame/frame.ts';
import { memberAt, membersOf } from './frame/members.ts';
import { inRevisionOf } from './stateless/completed.ts';

/** A list that a server may have (MCP › Server Features). */
export interface ServerList {
  /** Announced by servers with such a list. */
  capability: 'tools' | 'prompts' | 'resources';
  /** The member of the result that holds the list. */
  items: string;
  /** The notification that the list has changed. */
  changed: string;
}

/** The lists of a server, by the method that requests them. */
export const SERVER_LISTS = {
  'tools/list': { capability: 'tools', items: 'tools', changed: 'notifications/tools/list_changed' },
  'prompts/list': { capability: 'prompts', items: 'prompts', changed: 'notifications/prompts/list_changed' },
  'resources/list': { capability: 'resources', items: 'resources', changed: 'notifications/resources/list_changed' },
  'resources/templates/list': {
    capability: 'resources',
    items: 'resourceTemplates',
    changed: 'notifications/resources/list_changed',
  },
} as const satisfies Record<string, ServerList>;

/** The capabilities that a server is said to have before it has said so itself: all that can be served, and any list may change. */
export const ALL_CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
};

/** How a server without a feature is answered for. */
interface EmptyAnswer {
  capability: string;
  /** As JSON. */
  result: string;
  changed?: string;
}

const { 'tools/list': _, ...OTHER_LISTS } = SERVER_LISTS;

/** By method: the list is empty, no text is completed, the level is set. */
const EMPTY_ANSWERS = new Map<string, EmptyAnswer>([
  ...Object.entries(OTHER_LISTS).map(([method, { items, ...list }]): [string, EmptyAnswer] => [
    method,
    { ...list, result: `{"${items}":[]}` },
  ]),
  ['completion/complete', { capability: 'completions', result: '{"completion":{"values":[]}}' }],
  ['logging/setLevel', { capability: 'logging', result: '{}' }],
]);

/**
 * What a client was told that its server offers, before the server had said so. What it turns out not to offer is answered as
 * empty, instead of with the error of an unknown method; what it does offer is announced.
 */
export class DeclaredFeatures {
  /** Undefined if the client has the server's own answer. */
  #declared: unknown;
  /** Undefined until the server has answered. */
  #offered: unknown;
  /** The lists that the client holds as empty although the server may have some, by their notifications. */
  readonly #emptied = new Set<string>();

  /** The client was given this answer to `initialize` or `server/discover`, which is not the server's. */
  declared(answer: Buffer): void {
    this.#declared = capabilitiesIn(parseFrame(answer));
    this.#offered = undefined;
  }

  /**
   * The server itself has answered `initialize` or `server/discover`.
   * @returns the notifications of the lists that the client should request again
   */
  learned(json: unknown): Buffer[] {
    if (memberAt(json, 'result') === undefined) return [];
    this.#offered = capabilitiesIn(json);
    const changed = [...this.#emptied].map((method) => Buffer.from(`{"jsonrpc":"2.0","method":"${method}"}`));
    this.#emptied.clear();
    return changed;
  }

  /** Whether the server may lack what this request is about, although the client was told otherwise. */
  mayLack(method: string): boolean {
    return this.#emptyAnswer(method) !== undefined;
  }

  /** The answer to a request for what the server does not offer; undefined if the server answers it. */
  answerInstead(request: Buffer, method: string): Buffer | undefined {
    return this.#offered === undefined ? undefined : this.answerNow(request, method);
  }

  /** As `answerInstead`, also while the server has said nothing. */
  answerNow(request: Buffer, method: string): Buffer | undefined {
    const empty = this.#emptyAnswer(method);
    if (!empty) return undefined;
    if (empty.changed !== undefined && this.#offered === undefined) this.#emptied.add(empty.changed);
    const answer = Buffer.from(`{"jsonrpc":"2.0","id":${rawId(request)},"result":${empty.result}}`);
    return inRevisionOf(request, answer, empty.changed !== undefined);
  }

  #emptyAnswer(method: string): EmptyAnswer | undefined {
    if (this.#declared === undefined) return undefined;
    const empty = EMPTY_ANSWERS.get(method);
    const isTold = empty && memberAt(this.#declared, empty.capability) !== undefined;
    return isTold && memberAt(this.#offered, empty.capability) === undefined ? empty : undefined;
  }
}

function capabilitiesIn(answer: unknown): unknown {
  return membersOf(memberAt(answer, 'result', 'capabilities'));
}
