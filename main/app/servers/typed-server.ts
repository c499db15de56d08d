import { isAppPath } from '../../../preload/contract/server-kinds.ts';
import { splitAddress } from '../../../preload/contract/server-path.ts';
import { checkedServerPath } from '../../clients/server-arguments.ts';
import { pathInRow, serverPath } from '../../clients/servers.ts';
import { CausewayError, sentences } from '../../platform/errors.ts';
import { chooseByName } from '../../platform/names.ts';
import { didYouMean, similarNames } from '../../platform/similar-names.ts';
import type { OfferedServer } from '../../workspace/offered-servers.ts';
import { serviceOf, servicePath } from '../../workspace/service-name.ts';
import type { Causeway } from '../causeway.ts';
import { bestSqlServer, type SqlServer } from './check-server.ts';

/** What a user names a server by: a kind and what it is to show, one word of the catalog, or a path. */
export interface TypedServer {
  /** A kind, or a server as `servers browse` names it: by a name, a path or an address. */
  word?: string | undefined;
  target?: string | undefined;
  /** A path, or an address in the profile's workspace. */
  path?: string | undefined;
  /** The default profile if left out. */
  profile?: string | undefined;
}

/** The server that a user names. */
export interface FoundServer {
  path: string;
  /** Why this SQL server and no other; undefined for every other server. */
  sql?: SqlServer;
}

/**
 * The server that a user names.
 * @param pathName what the path is called where it was given
 * @throws {CausewayError} `usage`; `not_found` and `ambiguous` for a Genie space's title
 */
export async function typedServer(
  causeway: Causeway,
  typed: TypedServer,
  pathName: string,
  signal?: AbortSignal,
): Promise<FoundServer> {
  const { word, path, profile } = typed;
  if (path !== undefined) {
    if (word === undefined) return { path: await typedPath(causeway, path, profile, pathName) };
    throw new CausewayError('usage', 'A kind and --path were both given.', { remedy: 'Give one of them.' });
  }
  if (word === undefined) throw notAKind('No kind was named.', '');
  const target = typed.target?.trim() ?? '';
  if (target === '' && /^(\/|https?:\/\/)/i.test(word))
    return { path: await typedPath(causeway, word, profile, 'The path') };
  if (word === 'sql' && target === '') {
    const { name } = await (await causeway.auth()).profile(profile);
    const sql = await bestSqlServer(causeway, name, signal);
    return { path: sql.path, sql };
  }
  return { path: await namedServer(causeway, { word, target, profile }, signal) };
}

function notAKind(message: string, word: string): CausewayError {
  return new CausewayError('usage', message, {
    remedy: sentences(
      didYouMean(similarNames(word, Object.keys(FORMS))),
      `Use a name from \`causeway servers browse\`, one of ${Object.keys(FORMS).join(', ')}, or --path with a path.`,
    ),
  });
}

/** A path from what the user typed: a path, or a URL copied from the workspace. */
async function typedPath(
  causeway: Causeway,
  typed: string,
  profile: string | undefined,
  pathName: string,
): Promise<string> {
  const text = typed.trim();
  if (!/^https?:\/\//i.test(text)) return withKnownQuery(checkedServerPath(text, pathName), pathName);
  const address = splitAddress(text);
  const { host } = await (await causeway.auth()).profile(profile);
  if (address?.origin === host) return withKnownQuery(checkedServerPath(address.path, pathName), pathName);
  throw new CausewayError('usage', `That address does not belong to ${host}.`, {
    remedy: 'Use the profile of its workspace, or copy the address again.',
  });
}

/** The query of a managed server names the workspace, as in `?o=123`. It would ignore anything else. An app has its own. */
function withKnownQuery(path: string, pathName: string): string {
  const [, query = ''] = path.split('?');
  const [unknown] = [...new URLSearchParams(query)].filter(([name]) => name !== 'o');
  if (!unknown || isAppPath(path)) return path;
  const [name, value] = unknown;
  throw new CausewayError('usage', `${pathName} has "${name}" in its query, and the server would ignore it.`, {
    remedy: `Nothing was added. To send it with each call, leave it out and use --meta ${name}=${value}.`,
  });
}

type Resolve = (target: string, from: () => Promise<OfferedServer[]>) => Promise<string> | string;

/** What a server is named by, by its kind: `KIND TARGET` and `KIND:TARGET` are the same. */
const FORMS: Record<string, Resolve> = {
  sql: (target) => serverPath('sql', target),
  genie: findSpace,
  search: (target) => pathInRow('search', target, 'search'),
  'vector-search': (target) => serverPath('vector-search', target),
  functions: (target) => serverPath('functions', target),
  connection: (target) => pathInRow('connection', target, 'connection'),
  app: (target) => serverPath('app', target),
};

/** The path of the server that words name: `system.ai.github`, `genie:TITLE` and `genie TITLE`, `search:main.support`. */
async function namedServer(
  causeway: Causeway,
  { word, target, profile }: { word: string; target: string; profile: string | undefined },
  signal: AbortSignal | undefined,
): Promise<string> {
  const at = word.indexOf(':');
  const isOneWord = at !== -1 && target === '';
  const form = isOneWord ? word.slice(0, at) : word;
  const name = isOneWord ? word.slice(at + 1).trim() : target;
  const resolve = Object.hasOwn(FORMS, form) ? FORMS[form] : undefined;
  if (resolve && (name !== '' || !isOneWord)) return resolve(name, () => spacesOf(causeway, profile, signal));
  if (!isOneWord && target === '' && serviceOf(servicePath(word)) !== undefined) return servicePath(word);
  if (!isOneWord) throw notAKind(`"${word}" is not a kind of server.`, word);
  const known = Object.keys(FORMS).map((one) => `${one}:…`);
  throw new CausewayError('usage', `"${word}" does not name a server.`, {
    remedy: `Use ${known.join(', ')} or CATALOG.SCHEMA.SERVICE. \`causeway servers browse\` shows all servers.`,
  });
}

async function spacesOf(
  causeway: Causeway,
  profile: string | undefined,
  signal: AbortSignal | undefined,
): Promise<OfferedServer[]> {
  const [{ walkCatalog }, { client }] = await Promise.all([
    import('../../workspace/catalog-walk.ts'),
    causeway.open(profile),
  ]);
  const spaces: OfferedServer[] = [];
  for await (const event of walkCatalog(client.rest, { groups: ['genie'], isWhole: true, signal })) {
    if (event.what === 'found') spaces.push(...event.servers.filter(({ add }) => add.startsWith('genie:')));
  }
  return spaces;
}

const SPACE_ID = /^[0-9a-f]{16,}$/i;

/** A Genie space by its id, its title, or a part of the title that no other space has. */
async function findSpace(target: string, list: () => Promise<OfferedServer[]>): Promise<string> {
  if (target === '' || SPACE_ID.test(target)) return serverPath('genie', target);
  const spaces = (await list()).flatMap(({ add, title, path }) => (path ? [{ id: add, name: title, path }] : []));
  const byWord = spaces.find(({ id }) => id.toLowerCase() === `genie:${target.toLowerCase()}`);
  if (byWord) return byWord.path;
  return chooseByName(spaces, target, {
    kind: 'Genie spaces that you can open',
    remedy: 'List them with: causeway servers browse --kind genie',
  }).path;
}
