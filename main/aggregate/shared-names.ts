/** A tool, prompt, resource or template of one server, under the server's own name for it. */
export interface Owned {
  server: string;
  name: string;
}

/** How a name says which server it belongs to. Reversible: what `of` builds, `parse` takes apart. */
export interface Prefix {
  of(owned: Owned): string;
  parse(name: string): Owned | undefined;
}

/** What a client means by a name: one server's, a name that several servers have, or nothing that is known. */
export type Found = { kind: 'one'; owned: Owned } | { kind: 'several'; names: string[] } | { kind: 'none' };

/** How many names are remembered beside those that the client was told last. */
const MAX_REMEMBERED = 20_000;

/**
 * The names of several servers as one client sees them. A name that one server has stays as it is; one that several have is
 * shown with its server before it, from then on for the whole session. What a client was told leads to the server of which it
 * was told, until it is told another list.
 */
export class SharedNames {
  readonly #prefix: Prefix;
  readonly #isServer: (name: string) => boolean;
  /** Which servers have had each name, the oldest first. */
  readonly #owners = new Map<string, Set<string>>();
  /** The meaning of the names in the client's last list. */
  #told = new Map<string, Owned>();

  /** @param isServer whether a server of that name is there now */
  constructor(prefix: Prefix, isServer: (name: string) => boolean) {
    this.#prefix = prefix;
    this.#isServer = isServer;
  }

  /** The names for a list of all that there is, in its order; the client knows no other names from then on. */
  tell(list: readonly Owned[]): string[] {
    for (const owned of list) this.#note(owned);
    this.#told = new Map();
    const shown = list.map((owned) => this.#shown(owned));
    this.#told = new Map(shown.flatMap((name, at) => (list[at] ? [[name, list[at]] as const] : [])));
    this.#trim();
    return shown;
  }

  /** The name for something that a server speaks of by the way. */
  mention(owned: Owned): string {
    const [shown = owned.name] = this.mentionAll([owned]);
    return shown;
  }

  /** The same for what several servers speak of at once: names that two of them have are made distinct. */
  mentionAll(list: readonly Owned[]): string[] {
    for (const owned of list) this.#note(owned);
    this.#trim();
    return list.map((owned) => this.#shown(owned));
  }

  find(name: string): Found {
    const told = this.#told.get(name);
    if (told) return { kind: 'one', owned: told };
    const owned = this.#qualified(name);
    if (owned) return { kind: 'one', owned };
    const owners = [...(this.#owners.get(name) ?? [])];
    const [server] = owners;
    if (server === undefined) return { kind: 'none' };
    if (owners.length === 1) return { kind: 'one', owned: { server, name } };
    return { kind: 'several', names: owners.map((one) => this.#prefix.of({ server: one, name })) };
  }

  /** The server is no longer there: its names are free again. */
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

  /** What was only mentioned, longest ago, is forgotten if there is too much of it. */
  #trim(): void {
    if (this.#owners.size <= MAX_REMEMBERED + this.#told.size) return;
    const names = new Set([...this.#told.values()].map(({ name }) => name));
    for (const name of this.#owners.keys()) {
      if (this.#owners.size <= MAX_REMEMBERED / 2 + this.#told.size) return;
      if (!names.has(name)) this.#owners.delete(name);
    }
  }

  #shown(owned: Owned): string {
    const { server, name } = owned;
    const others = (this.#owners.get(name)?.size ?? 0) > 1;
    const told = this.#told.get(name);
    const isTaken = told !== undefined && told.server !== server;
    return others || isTaken || this.#qualified(name) ? this.#prefix.of(owned) : name;
  }

  #qualified(name: string): Owned | undefined {
    const owned = this.#prefix.parse(name);
    return owned && this.#isServer(owned.server) ? owned : undefined;
  }
}

/** `sql__execute_sql`. The names of servers hold no underscore, so the first two are the border. */
export const IN_NAMES: Prefix = {
  of: ({ server, name }) => `${server}__${name}`,
  parse: (text) => partsOf(/^([a-z0-9-]+)__(.*)$/s, text),
};

/**
 * `causeway.sql+file:///a`: a URI still, and a template still. Clients take a resource for an app's view by its scheme `ui`, so that
 * one stays: `ui://causeway.sql/a`.
 */
export const IN_URIS: Prefix = {
  of: ({ server, name }) =>
    name.startsWith(VIEW) ? `${VIEW}causeway.${server}/${name.slice(VIEW.length)}` : `causeway.${server}+${name}`,
  parse(text) {
    const view = partsOf(/^ui:\/\/causeway\.([a-z0-9-]+)\/(.*)$/s, text);
    return view ? { ...view, name: `${VIEW}${view.name}` } : partsOf(/^causeway\.([a-z0-9-]+)\+(.*)$/s, text);
  },
};

/** How the URI of an app's view begins (MCP Apps, SEP-1865). */
const VIEW = 'ui://';

function partsOf(form: RegExp, text: string): Owned | undefined {
  const [, server, name] = form.exec(text) ?? [];
  return server === undefined || name === undefined ? undefined : { server, name };
}
