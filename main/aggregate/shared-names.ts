import { createHash } from 'node:crypto';

/** A tool, prompt, resource or template of one server, under the server's own name for it. */
export interface Owned {
  server: string;
  name: string;
}

/** How a name shows its server. `parse` reverses `full`. */
export interface Prefix {
  full(owned: Owned): string;
  parse(name: string): Owned | undefined;
  /** A full name that clients would refuse, in a shorter form that cannot be reversed. */
  short(full: string): string;
}

/** What a name stands for: something of one server, of several servers, or nothing known. */
export type Found = { kind: 'one'; owned: Owned } | { kind: 'several'; names: string[] } | { kind: 'none' };

/** How many names are remembered besides those in the client's last list. */
const MAX_REMEMBERED = 20_000;

/**
 * The names of several servers as one client sees them. A name that only one server uses stays as it is. One that several use
 * gets the server's name as a prefix, and keeps it for the whole session. A name in the client's last list always leads to the
 * server that it was listed for.
 */
export class SharedNames {
  readonly #prefix: Prefix;
  readonly #isServer: (name: string) => boolean;
  /** The servers that have used each name, the oldest first. */
  readonly #owners = new Map<string, Set<string>>();
  /** The meaning of the names in the client's last list. */
  #listed = new Map<string, Owned>();
  /** The meaning of shortened names, the oldest first. */
  readonly #shortened = new Map<string, Owned>();

  /** @param isServer whether a server of that name is offered now */
  constructor(prefix: Prefix, isServer: (name: string) => boolean) {
    this.#prefix = prefix;
    this.#isServer = isServer;
  }

  /** The names for a complete list, in its order. From then on, the client knows only these. */
  namesFor(list: readonly Owned[]): string[] {
    for (const owned of list) this.#note(owned);
    this.#listed = new Map();
    const shown = list.map((owned) => this.#shown(owned));
    this.#listed = new Map(shown.flatMap((name, at) => (list[at] ? [[name, list[at]] as const] : [])));
    this.#trim();
    return shown;
  }

  /** The name for something that a server mentions outside a list. */
  mention(owned: Owned): string {
    const [shown = owned.name] = this.mentionAll([owned]);
    return shown;
  }

  /** The same for several servers at once: names that two of them use are made distinct. */
  mentionAll(list: readonly Owned[]): string[] {
    for (const owned of list) this.#note(owned);
    this.#trim();
    return list.map((owned) => this.#shown(owned));
  }

  find(name: string): Found {
    const listed = this.#listed.get(name);
    if (listed) return { kind: 'one', owned: listed };
    const owned = this.#qualified(name);
    if (owned) return { kind: 'one', owned };
    const owners = [...(this.#owners.get(name) ?? [])];
    const [server] = owners;
    if (server === undefined) return { kind: 'none' };
    if (owners.length === 1) return { kind: 'one', owned: { server, name } };
    return { kind: 'several', names: owners.map((one) => this.#withServer({ server: one, name })) };
  }

  /** The server is no longer offered: its names become free. */
  forget(server: string): void {
    for (const [name, owners] of this.#owners) {
      owners.delete(server);
      if (owners.size === 0) this.#owners.delete(name);
    }
  }

  #note({ server, name }: Owned): void {
    const owners = this.#owners.get(name);
    if (owners) owners.add(server);
    else this.#owners.set(name, new Set([server]));
  }

  /** Removes the oldest names that were only mentioned, if there are too many. */
  #trim(): void {
    for (const text of this.#shortened.keys()) {
      if (this.#shortened.size <= MAX_REMEMBERED) break;
      if (!this.#listed.has(text)) this.#shortened.delete(text);
    }
    if (this.#owners.size <= MAX_REMEMBERED + this.#listed.size) return;
    const names = new Set([...this.#listed.values()].map(({ name }) => name));
    for (const name of this.#owners.keys()) {
      if (this.#owners.size <= MAX_REMEMBERED / 2 + this.#listed.size) return;
      if (!names.has(name)) this.#owners.delete(name);
    }
  }

  #shown(owned: Owned): string {
    const { server, name } = owned;
    const others = (this.#owners.get(name)?.size ?? 0) > 1;
    const listed = this.#listed.get(name);
    const isTaken = listed !== undefined && listed.server !== server;
    return others || isTaken || this.#qualified(name) ? this.#withServer(owned) : name;
  }

  /** The name with its server in front. If two would be shortened to the same, the later one stays long. */
  #withServer(owned: Owned): string {
    const full = this.#prefix.full(owned);
    const text = this.#prefix.short(full);
    if (text === full) return full;
    const known = this.#shortened.get(text);
    if (known && known.name !== owned.name) return full;
    this.#shortened.set(text, owned);
    return text;
  }

  #qualified(name: string): Owned | undefined {
    const owned = this.#shortened.get(name) ?? this.#prefix.parse(name);
    return owned && this.#isServer(owned.server) ? owned : undefined;
  }
}

/** The longest name that the models of all clients accept for a tool. */
const MAX_NAME = 64;
/** How many characters of the hash stand at the end of a shortened name. */
const HASH_LENGTH = 8;
/** What looks like a shortened name is shortened itself, so that no two names are the same. */
const SHORTENED = new RegExp(`^.{${MAX_NAME - HASH_LENGTH - 1}}_[0-9a-f]{${HASH_LENGTH}}$`, 's');

/**
 * `sql__execute_sql`. Server names contain no underscore, so the first two underscores separate the parts. A name that would be
 * too long ends with a hash instead of its rest: a client refuses all tools for one such name.
 */
export const IN_NAMES: Prefix = {
  full: ({ server, name }) => `${server}__${name}`,
  parse: (text) => partsOf(/^([a-z0-9-]+)__(.*)$/s, text),
  short(full) {
    if (full.length <= MAX_NAME && !SHORTENED.test(full)) return full;
    const hash = createHash('sha256').update(full).digest('hex').slice(0, HASH_LENGTH);
    return `${full.slice(0, MAX_NAME - HASH_LENGTH - 1)}_${hash}`;
  },
};

/**
 * `causeway.sql+file:///a`: still a URI, and still a template. Clients recognize an app's view by the scheme `ui`, so that
 * is kept: `ui://causeway.sql/a`.
 */
export const IN_URIS: Prefix = {
  full: ({ server, name }) =>
    name.startsWith(VIEW) ? `${VIEW}causeway.${server}/${name.slice(VIEW.length)}` : `causeway.${server}+${name}`,
  parse(text) {
    const view = partsOf(/^ui:\/\/causeway\.([a-z0-9-]+)\/(.*)$/s, text);
    return view ? { ...view, name: `${VIEW}${view.name}` } : partsOf(/^causeway\.([a-z0-9-]+)\+(.*)$/s, text);
  },
  short: (full) => full,
};

/** How the URI of an app's view begins (MCP Apps, SEP-1865). */
const VIEW = 'ui://';

function partsOf(form: RegExp, text: string): Owned | undefined {
  const [, server, name] = form.exec(text) ?? [];
  return server === undefined || name === undefined ? undefined : { server, name };
}
