import { type ManagedServerKind, pathOfRow, SERVER_KINDS, serverAt } from '../../../preload/contract/server-kinds.ts';
import { pathInRow, serverPath } from '../../clients/servers.ts';
import { CausewayError } from '../../platform/errors.ts';
import { walkCatalog } from '../../workspace/catalog-walk.ts';
import type { OfferedServer } from '../../workspace/offered-servers.ts';
import { serviceOf, servicePath } from '../../workspace/service-name.ts';
import type { CommandContext } from '../command.ts';

/** A server as `servers browse` names it. */
export interface NamedServer {
  kind: ManagedServerKind;
  path: string;
}

type Resolve = (target: string, context: CommandContext, profile: string | undefined) => Promise<NamedServer>;

const named = (path: string): NamedServer => ({ kind: serverAt(path).kind, path });
const pathOf = (row: 'search' | 'functions', target: string) => named(pathInRow(row, target, row));

/** The forms of a name by the word before its colon. */
const FORMS: Record<string, Resolve> = {
  genie: findSpace,
  search: async (target) => pathOf('search', target),
  functions: async (target) => pathOf('functions', target),
  connection: async (target) => named(pathOfRow('connection', [target])),
};

/**
 * The server that one word names: `system.ai.github`, `genie:TITLE`, `search:main.support`. Undefined for a word of another
 * form, such as a kind.
 * @throws {CausewayError} `usage` for an unknown form; `not_found` and `ambiguous` for a Genie space's title
 */
export async function namedServer(
  context: CommandContext,
  word: string,
  profile: string | undefined,
): Promise<NamedServer | undefined> {
  if (SERVER_KINDS.some((kind) => kind === word)) return undefined;
  const at = word.indexOf(':');
  if (at === -1) {
    const path = servicePath(word);
    return serviceOf(path) === undefined ? undefined : named(path);
  }
  const [form, target] = [word.slice(0, at), word.slice(at + 1).trim()];
  const resolve = Object.hasOwn(FORMS, form) ? FORMS[form] : undefined;
  if (resolve && target !== '') return resolve(target, context, profile);
  const known = Object.keys(FORMS).map((name) => `${name}:…`);
  throw new CausewayError('usage', `"${word}" does not name a server.`, {
    remedy: `Use ${known.join(', ')} or CATALOG.SCHEMA.SERVICE. \`causeway servers browse\` shows all servers.`,
  });
}

const SPACE_ID = /^[0-9a-f]{16,}$/i;

/** A Genie space by its id, its title, or a part of the title that no other space has. */
async function findSpace(target: string, context: CommandContext, profile: string | undefined): Promise<NamedServer> {
  if (SPACE_ID.test(target)) return { kind: 'genie', path: serverPath('genie', target) };
  const { client } = await context.causeway().open(profile);
  const spaces: OfferedServer[] = [];
  for await (const event of walkCatalog(client.rest, { groups: ['genie'], isWhole: true, signal: context.signal })) {
    if (event.what === 'found') spaces.push(...event.servers.filter(({ add }) => add.startsWith('genie:')));
  }
  const wanted = target.toLowerCase();
  const exact = spaces.filter(
    ({ title, add }) => title.toLowerCase() === wanted || add.toLowerCase() === `genie:${wanted}`,
  );
  const fitting = exact.length > 0 ? exact : spaces.filter(({ title }) => title.toLowerCase().includes(wanted));
  const [space, other] = fitting;
  if (space?.path && !other) return { kind: 'genie', path: space.path };
  const candidates = (other ? fitting : spaces).map(({ title, add }) => ({ id: add, name: title }));
  if (other) {
    throw new CausewayError('ambiguous', `Several Genie spaces have the title "${target}".`, {
      remedy: `Name one by its id: ${fitting.map(({ add }) => add).join(', ')}.`,
      candidates,
    });
  }
  throw new CausewayError('not_found', `There is no Genie space "${target}" that you can open.`, {
    remedy: 'List them with: causeway servers browse --kind genie',
    candidates,
  });
}
