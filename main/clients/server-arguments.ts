import { readServerPath } from '../../preload/contract/server-path.ts';
import { CausewayError } from '../platform/errors.ts';

/**
 * A server's path as it goes out, the same for all who send it. `name` is what the path is called where it was given.
 * @throws {CausewayError} `usage`
 */
export function checkedServerPath(text: string, name: string): string {
  const read = readServerPath(text);
  if ('path' in read) return read.path;
  throw new CausewayError('usage', `${name} "${text}" ${read.fault}.`, {
    remedy: /^\/mcp\/?$/.test(text)
      ? 'Add a Databricks App by its name: causeway servers add app:NAME.'
      : 'A path begins with /api/ or /ai-gateway/, for example /api/2.0/mcp/sql.',
  });
}

/** Members of `_meta` by their names, such as `warehouse_id`. */
export type Meta = Record<string, string>;

/** The member of `_meta` that names the warehouse of a call (spec/managed-mcp-endpoints.md; documented as a preview). */
const WAREHOUSE = 'warehouse_id';

/** The warehouse that calls with these members are pinned to. */
export function pinIn(meta: Meta | undefined): string | null {
  return meta?.[WAREHOUSE] ?? null;
}

/** The same members with a pin to that warehouse, or without one. */
export function withPin({ [WAREHOUSE]: _before, ...others }: Meta, warehouseId: string | null): Meta {
  return warehouseId === null ? others : { ...others, [WAREHOUSE]: warehouseId };
}

/** What a managed server takes in `_meta` of a call: https://docs.databricks.com › Managed MCP servers › Meta parameters. */
const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

/** In an entry for all servers, a member for calls to one of them: `SERVER/NAME`. */
const NAME_OF_SERVER = new RegExp(`^(?:[a-z0-9-]+/)?${NAME.source.slice(1)}`);

/**
 * Reads `NAME=VALUE` pairs, what tool calls are to carry in `_meta`; of one name that comes twice, the last counts.
 * @throws {CausewayError} `usage`, naming the pair
 */
export function parseMeta(pairs: readonly string[]): Meta {
  return Object.fromEntries(pairs.map((pair) => parsePair(pair, NAME)));
}

/** As `parseMeta`, for all servers as one: a name may have a server before it. @throws {CausewayError} `usage`, naming the pair */
export function parseMetaOfAll(pairs: readonly string[]): Meta {
  return Object.fromEntries(pairs.map((pair) => parsePair(pair, NAME_OF_SERVER)));
}

/** What an entry for all servers sets for the calls of one of them: its members for every server, overridden by those for this one. */
export function metaForServer(all: Meta, server: string): Meta {
  const entries = Object.entries(all);
  const own = entries.filter(([name]) => name.startsWith(`${server}/`));
  return Object.fromEntries([
    ...entries.filter(([name]) => !name.includes('/')),
    ...own.map(([name, value]) => [name.slice(server.length + 1), value]),
  ]);
}

/** The members of an entry for all servers with these for the calls of one of them. */
export function withMetaForServer(all: Meta, server: string, meta: Meta): Meta {
  const forAll = metaForServer(all, '');
  const others = Object.entries(all).filter(([name]) => !name.startsWith(`${server}/`));
  const own = Object.entries(meta).filter(([name, value]) => forAll[name] !== value);
  return Object.fromEntries([...others, ...own.map(([name, value]) => [`${server}/${name}`, value])]);
}

function parsePair(pair: string, names: RegExp): [name: string, value: string] {
  const at = pair.indexOf('=');
  const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
  if (at < 1 || !names.test(name) || value === '') {
    throw new CausewayError('usage', `--meta "${pair}" is not NAME=VALUE.`, {
      remedy: 'Use the form --meta warehouse_id=0123456789abcdef.',
    });
  }
  // With one token for all calls, their progress could not be told apart (MCP › Progress).
  if (name.split('/').at(-1) === TOKEN) {
    throw new CausewayError('usage', `--meta "${pair}" sets the client's own ${TOKEN}.`, { remedy: 'Leave it out.' });
  }
  return [name, value];
}

const TOKEN = 'progressToken';

/** The members as text for users. */
export function formatMeta(meta: Meta = {}): string {
  return Object.entries(meta)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

/** The arguments that `parseMeta` reads, in the order of the names. */
export function metaArguments(meta: Meta = {}): string[] {
  return Object.entries(meta)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, value]) => ['--meta', `${name}=${value}`]);
}
