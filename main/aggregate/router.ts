import { placesAt, textAt, withTexts } from '../bridge/frame/edit.ts';
import { errorFrame, toolTextFrame } from '../bridge/frame/error-frame.ts';
import { matchOfIds, parseFrame, parseText } from '../bridge/frame/frame.ts';
import { memberAt } from '../bridge/frame/members.ts';
import { isStateless } from '../bridge/stateless/headers.ts';
import { CausewayError } from '../platform/errors.ts';
import type { RoutedRequest } from './client-request.ts';
import {
  LIST_KINDS,
  LISTS,
  type ListItem,
  type ListKind,
  listAnswer,
  mayBeOf,
  viewsOf,
  withUris,
  withViews,
} from './lists.ts';
import type { Member } from './member.ts';
import { type Found, type Owned, SharedNames } from './shared-names.ts';
import { withOneOfEachSignIn } from './sign-in-tools.ts';
import { asPlainCall } from './tasks.ts';

/** How long one server can delay the combined list, in milliseconds. The bridge of one that does not answer at all answers before that. */
const LIST_MS = 3_000;

const NAME = ['params', 'name'];
const URI = ['params', 'uri'];

/** What a request names, and in which member. */
interface Target {
  kind: ListKind;
  path: string[];
}

const TARGETS: Readonly<Record<string, Target>> = {
  'tools/call': { kind: 'tools', path: NAME },
  'prompts/get': { kind: 'prompts', path: NAME },
  'resources/read': { kind: 'resources', path: URI },
  'resources/subscribe': { kind: 'resources', path: URI },
  'resources/unsubscribe': { kind: 'resources', path: URI },
};

/** Requests whose answers may contain a question from the server. */
const ASKING = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Finds the server that a client's request is for, and translates names in servers' answers for the client. */
export class Router {
  readonly #members: () => readonly Member[];
  readonly #names: Record<ListKind, SharedNames>;
  /** The client's names of the resources that it has subscribed to, by server and the server's own name. */
  readonly #subscribed = new Map<string, string>();
  /** The client's names of the resources that show results, from its last list of tools. */
  #views: ReadonlyMap<string, Owned> = new Map();
  /** What each open request names: the server's name for it and the client's. */
  readonly #namedBy = new WeakMap<RoutedRequest, { own: string; asked: string }>();
  /** The parameters of the client's last `logging/setLevel`. */
  #level: string | undefined;

  constructor(members: () => readonly Member[]) {
    this.#members = members;
    const isServer = (name: string) => members().some((member) => member.name === name);
    const named = (kind: ListKind) => new SharedNames(LISTS[kind].prefix, isServer);
    this.#names = {
      tools: named('tools'),
      prompts: named('prompts'),
      resources: named('resources'),
      templates: named('templates'),
    };
  }

  introduced(member: Member): void {
    if (this.#level !== undefined && member.mayHave('logging')) void member.ask('logging/setLevel', this.#level);
  }

  left(server: string): void {
    for (const kind of LIST_KINDS) this.#names[kind].forget(server);
    for (const key of this.#subscribed.keys()) if (key.startsWith(`${server} `)) this.#subscribed.delete(key);
  }

  /** Sets the log level of all servers that log, also of those added later. */
  setLevel(frame: Buffer): void {
    const level = textAt(frame, 'params');
    this.#level = level;
    if (level === undefined) return;
    for (const member of this.#members()) if (member.isIntroduced) this.introduced(member);
  }

  /** Whether the answer to such a request can contain a question from the server. */
  isAsking(method: string): boolean {
    return ASKING.has(method);
  }

  /** Answers with one list of what all servers have. A slow server is left out, and announced as a change later. */
  async answerList(kind: ListKind, request: RoutedRequest): Promise<void> {
    const { owned, items } = await this.#listAll(kind);
    const shown = kind === 'tools' ? this.#withShownViews(owned, items) : items;
    request.reply(listAnswer(request.id, kind, shown, this.#names[kind].namesFor(owned)));
  }

  /** These tools with the names under which the client sees the resources that show their results. */
  #withShownViews(owned: readonly Owned[], tools: readonly ListItem[]): ListItem[] {
    const views = tools.map((tool, at) => viewsOf(tool).map((name) => ({ server: owned[at]?.server ?? '', name })));
    const all = views.flat();
    const shown = this.#names.resources.mentionAll(all);
    this.#views = new Map(shown.flatMap((uri, at) => (all[at] ? [[uri, all[at]] as const] : [])));
    let from = 0;
    return tools.map((tool, at) => {
      const count = views[at]?.length ?? 0;
      from += count;
      return withViews(tool, shown.slice(from - count, from));
    });
  }

  /** Sends a request to the server that it is for, or answers it if there is none. Returns false for an unknown method. */
  send(received: Buffer, request: RoutedRequest): boolean {
    const frame = request.method === 'tools/call' ? asPlainCall(received) : received;
    const target = this.#targetOf(frame, request.method);
    if (!target) return false;
    const text = textAt(frame, ...target.path);
    const name = text === undefined ? undefined : parseText(text);
    if (typeof name !== 'string') {
      refuse(request, `Invalid params: ${target.path.at(-1)} is missing or is not a string.`);
      return true;
    }
    const found = this.#find(target.kind, name);
    if (found.kind === 'none') void this.#sendLater(frame, request, target, name);
    else this.#deliver(frame, request, target, name, found);
    return true;
  }

  /** An answer with the client's own names for the resources in it. */
  received(member: Member, request: RoutedRequest, answer: Buffer): Buffer {
    const server = member.name;
    const named = this.#namedBy.get(request);
    return withUris(request.method, answer, (uri) =>
      uri === named?.own ? named.asked : this.#names.resources.mention({ server, name: uri }),
    );
  }

  /** A notification with the client's own names. */
  notified(member: Member, frame: Buffer, method: string): Buffer {
    if (method !== 'notifications/resources/updated') return frame;
    const server = member.name;
    return withTexts(frame, placesAt(frame, URI), (text) => {
      const name = parseText(text);
      if (typeof name !== 'string') return text;
      return JSON.stringify(
        this.#subscribed.get(`${server} ${name}`) ?? this.#names.resources.mention({ server, name }),
      );
    });
  }

  /** The request that a client's notification cancels. */
  cancelled(notification: Buffer, requests: readonly RoutedRequest[]): RoutedRequest | undefined {
    const id = textAt(notification, 'params', 'requestId');
    if (id === undefined) return undefined;
    return requests.find((request) => request.method !== 'initialize' && matchOfIds(id, request.id) !== undefined);
  }

  #targetOf(frame: Buffer, method: string): Target | undefined {
    if (method !== 'completion/complete') return Object.hasOwn(TARGETS, method) ? TARGETS[method] : undefined;
    const isPrompt = memberAt(parseFrame(frame), 'params', 'ref', 'type') === 'ref/prompt';
    return isPrompt
      ? { kind: 'prompts', path: ['params', 'ref', 'name'] }
      : { kind: 'templates', path: ['params', 'ref', 'uri'] };
  }

  #find(kind: ListKind, name: string): Found {
    const found = this.#names[kind].find(name);
    if (kind !== 'resources' || found.kind === 'one') return found;
    const view = this.#views.get(name);
    if (view) return { kind: 'one', owned: view };
    return found.kind === 'none' ? this.#byTemplate(name) : found;
  }

  /** The server with a template that matches a URI that no server lists. */
  #byTemplate(uri: string): Found {
    const owners = this.#templates.filter(({ name }) => mayBeOf(name, uri));
    const servers = [...new Set(owners.map(({ server }) => server))];
    const [server] = servers;
    if (server === undefined) return { kind: 'none' };
    if (servers.length === 1) return { kind: 'one', owned: { server, name: uri } };
    return { kind: 'several', names: servers.map((one) => LISTS.resources.prefix.full({ server: one, name: uri })) };
  }

  #templates: readonly Owned[] = [];

  /** For a name that was never listed: asks the servers for their lists. */
  async #sendLater(frame: Buffer, request: RoutedRequest, target: Target, name: string): Promise<void> {
    try {
      for (const kind of target.kind === 'resources' ? (['resources', 'templates'] as const) : [target.kind]) {
        for (const owned of (await this.#listAll(kind)).owned) this.#names[kind].mention(owned);
      }
      const found = this.#find(target.kind, name);
      const isHidden = found.kind === 'none' && target.kind === 'resources';
      if (!request.isOver) this.#deliver(frame, request, target, name, isHidden ? this.#ofTheOnlyOne(name) : found);
    } catch (error) {
      request.reply(errorFrame(request.id, error));
    }
  }

  /** The servers that may have what no list has, in words. */
  #unusable(): string[] {
    return this.#members().flatMap(({ name, problem }) => (problem === undefined ? [] : unusable(name, problem)));
  }

  /** For a resource in no list: if only one server has resources, it is asked. */
  #ofTheOnlyOne(uri: string): Found {
    const [only, ...others] = this.#members().filter((member) => member.mayHave('resources'));
    return only && others.length === 0 ? { kind: 'one', owned: { server: only.name, name: uri } } : { kind: 'none' };
  }

  #deliver(frame: Buffer, request: RoutedRequest, { kind, path }: Target, name: string, found: Found): void {
    const what = kind === 'resources' || kind === 'templates' ? 'resource' : kind.slice(0, -1);
    if (found.kind === 'none') {
      if (kind === 'resources') {
        refuse(request, `Resource not found: ${name}`, isStateless(frame) ? -32602 : -32002, { uri: name });
      } else refuse(request, [`Unknown ${what}: ${name}`, ...this.#unusable()].join('. '));
      return;
    }
    if (found.kind === 'several') {
      const words = `Several servers have a ${what} "${name}". Nothing was run. Use one of ${found.names.join(', ')}.`;
      if (kind === 'tools') request.reply(toolTextFrame(request.id, frame, words));
      else refuse(request, words);
      return;
    }
    const member = this.#members().find((one) => one.name === found.owned.server);
    if (!member) {
      const gone = `The server "${found.owned.server}" no longer exists.`;
      request.reply(errorFrame(request.id, new CausewayError('not_found', gone, { remedy: 'List them again.' })));
    } else if (member.problem !== undefined && kind === 'tools') {
      request.reply(
        toolTextFrame(
          request.id,
          frame,
          `${unusable(member.name, member.problem)} Causeway is trying again. List the tools again in a moment.`,
        ),
      );
      member.reopen();
    } else {
      this.#follow(request.method, found.owned, name);
      if (request.method === 'resources/read') this.#namedBy.set(request, { own: found.owned.name, asked: name });
      const own = JSON.stringify(found.owned.name);
      member.request(name === found.owned.name ? frame : withTexts(frame, placesAt(frame, path), () => own), request);
    }
  }

  #follow(method: string, { server, name }: Owned, asked: string): void {
    if (method === 'resources/subscribe') this.#subscribed.set(`${server} ${name}`, asked);
    if (method === 'resources/unsubscribe') this.#subscribed.delete(`${server} ${name}`);
  }

  async #listAll(kind: ListKind): Promise<{ owned: Owned[]; items: ListItem[] }> {
    const all = await Promise.all(
      this.#members().map(async ({ name }, at, members) => ({
        server: name,
        items: (await members[at]?.list(kind, LIST_MS)) ?? [],
      })),
    );
    const lists = kind === 'tools' ? withOneOfEachSignIn(all) : all;
    const items = lists.flatMap((list) => list.items);
    const owned = lists.flatMap(({ server, items: own }) => own.map(({ name }) => ({ server, name })));
    if (kind === 'templates') this.#templates = owned;
    return { owned, items };
  }
}

function unusable(server: string, reason: string): string {
  return `The server "${server}" cannot be used: ${reason}`;
}

function refuse(request: RoutedRequest, message: string, code = -32602, data?: object): void {
  request.reply(Buffer.from(`{"jsonrpc":"2.0","id":${request.id},"error":${JSON.stringify({ code, message, data })}}`));
}
