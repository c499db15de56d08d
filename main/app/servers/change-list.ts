import { serverAt } from '../../../preload/contract/server-kinds.ts';
import { appOf } from '../../../preload/contract/server-path.ts';
import type { RequestOutputs } from '../../../preload/contract.ts';
import type { Meta } from '../../clients/server-arguments.ts';
import {
  findServer,
  type ManagedServer,
  openServers,
  type ServerList,
  sameServer,
  suggestName,
  withConfirmed,
  withMeta,
  withoutServer,
  withServer,
} from '../../clients/servers.ts';
import { CausewayError } from '../../platform/errors.ts';
import { spaceOf, spaceTitle } from '../../workspace/genie.ts';
import type { Causeway } from '../causeway.ts';
import { type TypedServer, typedServer } from './typed-server.ts';

/** How long a Genie space's title is waited for, in milliseconds. Without it, the server is named after its id. */
const TITLE_TIMEOUT_MS = 5_000;

/** The title of a Genie space; undefined for another server, and if it cannot be read now. */
export async function titleOfSpace(
  causeway: Causeway,
  { profile, path }: Pick<ManagedServer, 'profile' | 'path'>,
): Promise<string | undefined> {
  if (spaceOf(path) === undefined) return undefined;
  try {
    const { client } = await causeway.open(profile);
    return await spaceTitle(client.genie, path, AbortSignal.timeout(TITLE_TIMEOUT_MS));
  } catch (error) {
    if (error instanceof CausewayError) return undefined;
    throw error;
  }
}

/** What would be added for what the user has typed, with an unused name. @throws {CausewayError} as `typedServer` */
export async function proposeServer(
  causeway: Causeway,
  { profile, ...typed }: TypedServer & { profile: string },
): Promise<RequestOutputs['proposeServer']> {
  const { path } = await typedServer(causeway, { ...typed, profile }, 'The path');
  const { servers } = (await openServers(causeway.env)).initial;
  const title = await titleOfSpace(causeway, { profile, path });
  const usedNames = servers.map(({ name }) => name);
  return {
    path,
    name: suggestName({ path, title }, usedNames),
    ...(title ? { title } : {}),
    same: sameServer(servers, { profile, path })?.name ?? null,
  };
}

/** A server to add; without a name it gets one, and is not added a second time. */
export type NewServer = Omit<ManagedServer, 'name' | 'kind'> & {
  name?: string | undefined;
  /** Where a server would do the same: one that is there is enough. */
  paths?: readonly string[] | undefined;
};

/** A server that was added, or whose address was confirmed anew. */
export interface Added {
  server: ManagedServer;
  isNew: boolean;
}

/**
 * Adds a server to the list. Of an app that is in it already, the address is confirmed.
 * @throws {CausewayError} `usage`, `managed`; `already_exists`, also for the same server without another name
 */
export async function addServer(causeway: Causeway, wanted: NewServer, { dryRun = false } = {}): Promise<Added> {
  const list = await openServers(causeway.env);
  let added: Added | undefined;
  const edit = (now: ServerList): ServerList => {
    added = addedTo(now, wanted);
    const { server, isNew } = added;
    const after = isNew ? withServer(now, server) : now;
    return server.confirmed === undefined ? after : withConfirmed(after, server);
  };
  if (dryRun) edit(list.read());
  else await list.change(edit);
  if (added) return added;
  throw new CausewayError('internal', 'The list of servers was not changed.');
}

function addedTo({ servers }: ServerList, wanted: NewServer): Added {
  const { name, profile, path, title, meta, confirmed } = wanted;
  const same = name === undefined ? presentServer(servers, wanted) : undefined;
  if (same && appOf(path) && same.confirmed !== confirmed) return { server: { ...same, confirmed }, isNew: false };
  if (same) throw alreadyThere(same);
  const usedNames = servers.map((server) => server.name);
  const server: ManagedServer = {
    name: name ?? suggestName({ path, title }, usedNames),
    profile,
    kind: serverAt(path).kind,
    path,
    ...(title ? { title } : {}),
    ...(meta ? { meta } : {}),
    ...(confirmed === undefined ? {} : { confirmed }),
  };
  return { server, isNew: true };
}

/** The same server in the list. An app has only one address, whatever its calls carry. */
function presentServer(servers: readonly ManagedServer[], wanted: NewServer): ManagedServer | undefined {
  const { profile, path, paths = [path] } = wanted;
  if (!appOf(path)) return paths.flatMap((each) => sameServer(servers, { ...wanted, path: each }) ?? [])[0];
  return servers.find((server) => server.profile === profile && server.path === path);
}

function alreadyThere({ name, path, profile }: ManagedServer): CausewayError {
  const app = appOf(path);
  const what = app ? `app "${app.name}"` : path;
  return new CausewayError('already_exists', `Server "${name}" is already ${what} with profile ${profile}.`, {
    remedy: 'To add it twice, give the second one a name with --name.',
    candidates: [{ name }],
  });
}

/** Lets a server's calls carry other members in `_meta`. @throws {CausewayError} `not_found`, `managed` */
export async function setMeta(
  causeway: Causeway,
  name: string,
  meta: (now: Meta) => Meta,
  { dryRun = false } = {},
): Promise<ManagedServer> {
  const list = await openServers(causeway.env);
  const edit = (now: ServerList) => withMeta(now, name, meta(findServer(now, name).meta ?? {}));
  return findServer(dryRun ? edit(list.read()) : await list.change(edit), name);
}

/** Removes servers from the list. Clients keep their entries. @throws {CausewayError} `not_found`, `managed` */
export async function removeServers(
  causeway: Causeway,
  names: readonly string[],
  { dryRun = false } = {},
): Promise<ManagedServer[]> {
  const list = await openServers(causeway.env);
  let removed: ManagedServer[] = [];
  const edit = (now: ServerList): ServerList => {
    removed = [];
    return names.reduce((left, name) => {
      removed.push(findServer(left, name));
      return withoutServer(left, name);
    }, now);
  };
  if (dryRun) edit(list.read());
  else await list.change(edit);
  return removed;
}
