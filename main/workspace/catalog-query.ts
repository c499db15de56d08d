import { z } from 'zod';
import { CausewayError } from '../platform/errors.ts';
import type { CatalogItem, Connection } from './catalog.ts';
import type { RestClient } from './client.ts';
import type { GenieSpace } from './genie.ts';
import { gather, type Listing } from './paging.ts';

/** What can be listed. */
export type CatalogKind =
  | { what: 'catalogs' }
  | { what: 'schemas'; catalog: string }
  | { what: 'functions'; catalog: string; schema: string }
  | { what: 'indexes' }
  | { what: 'genie-spaces' }
  /** The MCP services of AI Gateway, in preview. */
  | { what: 'services' }
  /** Connections to MCP servers outside the workspace. */
  | { what: 'connections' };

/** One item of such a list. */
export interface CatalogItemFound {
  /** What a server's path is made of: `main`, `main.default`, `main.default.initials`, a Genie space's id. */
  target: string;
  title: string;
  /** The owner's comment; empty if there is none. */
  about: string;
}

/** Browsing one workspace as its signed-in user. */
export interface Discovery {
  /**
   * The next part of a list, from where an earlier answer ended.
   * @throws {CausewayError} `invalid_argument` if `from` is not valid; and as the REST client
   */
  browse(list: CatalogKind, from?: string, signal?: AbortSignal): Promise<Listing<CatalogItemFound>>;
  /** Whether the managed server can search a vector search index: it can if the workspace computes the embeddings. */
  isSearchable(index: string, signal?: AbortSignal): Promise<boolean>;
}

/** Internal catalogs and schemas, for which there are no servers. Databricks' own clients hide the same ones. */
const HIDDEN = new Set(['system', 'information_schema', '__databricks_internal']);

/** Whether a catalog or schema of that name is not shown. */
export function isHidden(name: string): boolean {
  return HIDDEN.has(name);
}

/** The spellings of the option that marks a connection as an MCP server. */
const MCP_MARKS = ['is_mcp_connection', 'is_mcp', 'mcp', 'mcp_enabled', 'enable_mcp'];

/** Builds the service over one REST client. */
export function createDiscovery({ catalog, genie, vectorSearch }: RestClient): Discovery {
  /** Goes through the endpoints one after the other; the token says which endpoints are left. */
  const indexes = async (
    from: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Listing<CatalogItemFound>> => {
    const place = from === undefined ? { rest: await gather(vectorSearch.endpoints(signal)) } : placeIn(from);
    const [endpoint, ...rest] = place.rest;
    if (endpoint === undefined) return { items: [], next: undefined };
    const { items, next } = await vectorSearch.indexes(endpoint, place.token, signal);
    const after = next === undefined ? { rest } : { rest: place.rest, token: next };
    const found = items.map(({ name }) => ({ target: name, title: name, about: '' }));
    return { items: found, next: after.rest.length === 0 ? undefined : JSON.stringify(after) };
  };

  const nextPart = async (list: CatalogKind, from: string | undefined, signal: AbortSignal | undefined) => {
    switch (list.what) {
      case 'catalogs':
        return shown(await catalog.catalogs(from, signal), named(''));
      case 'schemas':
        return shown(await catalog.schemas(list.catalog, from, signal), named(`${list.catalog}.`));
      case 'functions': {
        const found = await catalog.functions(list.catalog, list.schema, from, signal);
        return shown(found, named(`${list.catalog}.${list.schema}.`));
      }
      case 'indexes':
        return indexes(from, signal);
      case 'genie-spaces':
        return shown(await genie.spaces(from, signal), space);
      case 'services':
        return shown(await catalog.mcpServices('system.ai', from, signal), service);
      case 'connections':
        return shown(await catalog.connections(from, signal), connection);
    }
  };

  return {
    browse: async (list, from, signal) => {
      let found = await nextPart(list, from, signal);
      // A part may hold nothing that is shown and still have a next one.
      while (found.items.length === 0 && found.next !== undefined) found = await nextPart(list, found.next, signal);
      return found;
    },
    isSearchable: (index, signal) => vectorSearch.hasManagedEmbeddings(index, signal),
  };
}

function shown<T>({ items, next }: Listing<T>, show: (item: T) => CatalogItemFound[]): Listing<CatalogItemFound> {
  return { items: items.flatMap(show), next };
}

function named(prefix: string): (item: CatalogItem) => CatalogItemFound[] {
  return ({ name, comment }) =>
    HIDDEN.has(name) ? [] : [{ target: prefix + name, title: name, about: comment ?? '' }];
}

function space({ space_id, title, description }: GenieSpace): CatalogItemFound[] {
  return [{ target: space_id, title: title || space_id, about: description ?? '' }];
}

function service({ name, comment }: CatalogItem): CatalogItemFound[] {
  const target = name.replace(/^mcp-services\//, '');
  return [{ target, title: target, about: comment ?? '' }];
}

function connection(found: Connection): CatalogItemFound[] {
  const { name, comment } = found;
  return isMcpConnection(found) ? [{ target: name, title: name, about: comment ?? '' }] : [];
}

/** Whether a connection leads to an MCP server. */
export function isMcpConnection({ options, properties }: Connection): boolean {
  return MCP_MARKS.some((mark) => [options[mark], properties[mark]].some((value) => String(value) === 'true'));
}

const Place = z.object({ rest: z.array(z.string()), token: z.string().optional() });

function placeIn(from: string): z.infer<typeof Place> {
  try {
    return Place.parse(JSON.parse(from));
  } catch (cause) {
    throw new CausewayError('invalid_argument', 'The list of indexes has no such page.', { cause });
  }
}
