import { pathOfRow, SERVER_KINDS } from '../../../preload/contract/server-kinds.ts';
import { splitAddress } from '../../../preload/contract/server-path.ts';
import { checkedServerPath } from '../../clients/server-arguments.ts';
import { pathInRow, serverPath } from '../../clients/servers.ts';
import { CausewayError, sentences } from '../../platform/errors.ts';
import { chooseByName } from '../../platform/names.ts';
import { didYouMean, similarNames } from '../../platform/similar-names.ts';
import type { OfferedServer } from '../../workspace/offered-servers.ts';
import { serviceOf, servicePath } from '../../workspace/service-name.ts';
import type { Causeway } from '../causeway.ts';

/** What a user names a server by: a kind and what it is to show, one word of the catalog, or a path. */
export interface TypedServer {
  /** A kind, or a server as `servers browse` names it. */
  word?: string | undefined;
  target?: string | undefined;
  /** A path, or an address in the profile's workspace. */
  path?: string | undefined;
  /** The default profile if left out. */
  profile?: string | undefined;
}

/**
 * The path of the server that a user names.
 * @param pathName what the path is called where it was given
 * @throws {CausewayError} `usage`; `not_found` and `ambiguous` for a Genie space's title
 */
export async function typedServer(
  causeway: Causeway,
  typed: TypedServer,
  pathName: string,
  signal?: AbortSignal,
): Promise<string> {
  const { word, target = '', path, profile } = typed;
  if (path !== undefined) {
    if (word === undefined) return typedPath(causeway, path, profile, pathName);
    throw new CausewayError('usage', 'A kind and --path were both given.', { remedy: 'Give one of them.' });
  }
  const kind = SERVER_KINDS.find((known) => known === word);
  if (kind !== undefined && kind !== 'other') return serverPath(kind, target);
  const named = word !== undefined && target === '' ? await namedServer(causeway, word, profile, signal) : undefined;
  if (named !== undefined) return named;
  const known = SERVER_KINDS.filter((one) => one !== 'other').join(', ');
  throw new CausewayError('usage', word === undefined ? 'No kind was named.' : `"${word}" is not a kind of server.`, {
    remedy: sentences(
      didYouMean(similarNames(word ?? '', SERVER_KINDS)),
      `Use a name from \`causeway servers browse\`, one of ${known}, or --path with a path.`,
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
  if (!/^https?:\/\//i.test(text)) return checkedServerPath(text, pathName);
  const address = splitAddress(text);
  const { host } = await (await causeway.auth()).profile(profile);
  if (address?.origin === host) return checkedServerPath(address.path, pathName);
  throw new CausewayError('usage', `That address does not belong to ${host}.`, {
    remedy: 'Use the profile of its workspace, or copy the address again.',
  });
}

type Resolve = (target: string, from: () => Promise<OfferedServer[]>) => Promise<string> | string;

/** The forms of a name by the word before its colon. */
const FORMS: Record<string, Resolve> = {
  genie: findSpace,
  search: (target) => pathInRow('search', target, 'search'),
  functions: (target) => pathInRow('functions', target, 'functions'),
  connection: (target) => pathOfRow('connection', [target]),
  app: (target) => serverPath('app', target),
};

/**
 * The path of the server that one word names: `system.ai.github`, `genie:TITLE`, `search:main.support`. Undefined for a word
 * of another form.
 */
async function namedServer(
  causeway: Causeway,
  word: string,
  profile: string | undefined,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const at = word.indexOf(':');
  if (at === -1) return serviceOf(servicePath(word)) === undefined ? undefined : servicePath(word);
  const [form, target] = [word.slice(0, at), word.slice(at + 1).trim()];
  const resolve = Object.hasOwn(FORMS, form) ? FORMS[form] : undefined;
  if (resolve && target !== '') return resolve(target, () => spacesOf(causeway, profile, signal));
  const known = Object.keys(FORMS).map((name) => `${name}:…`);
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
  if (SPACE_ID.test(target)) return serverPath('genie', target);
  const spaces = (await list()).flatMap(({ add, title, path }) => (path ? [{ id: add, name: title, path }] : []));
  const byWord = spaces.find(({ id }) => id.toLowerCase() === `genie:${target.toLowerCase()}`);
  if (byWord) return byWord.path;
  return chooseByName(spaces, target, {
    kind: 'Genie spaces that you can open',
    remedy: 'List them with: causeway servers browse --kind genie',
  }).path;
}
