import { checkedServerPath, SERVER_KINDS, type ServerKind } from '../../clients/server-path.ts';
import {
  findServer,
  type ManagedServer,
  type ServerList,
  serverPath,
  suggestName,
  withoutServer,
  withServer,
} from '../../clients/servers.ts';
import { CausewayError } from '../../platform/errors.ts';
import type { CommandContext } from '../command.ts';
import { writeJson, writeLine } from '../print.ts';
import { describeServer, openServerList } from './options.ts';

export interface AddOptions {
  profile?: string;
  name?: string;
  path?: string;
  json?: boolean;
  dryRun?: boolean;
}

/** `causeway servers add [KIND TARGET]`: one more server; the profile is written down by name, so that it stays the same. */
export async function add(
  context: CommandContext,
  kindText: string | undefined,
  target: string,
  options: AddOptions,
): Promise<void> {
  const kind = kindOf(kindText, options.path);
  const path = kind === 'other' ? checkedServerPath(options.path ?? '', '--path') : serverPath(kind, target);
  const [list, profile] = [
    await openServerList(context),
    await (await context.causeway().auth()).profile(options.profile),
  ];
  let added: ManagedServer | undefined;
  const edit = (now: ServerList): ServerList => {
    if (options.name === undefined) refuseSecond(now, profile.name, path);
    const taken = now.servers.map(({ name }) => name);
    added = { name: options.name ?? suggestName(kind, path, taken), profile: profile.name, kind, path };
    return withServer(now, added);
  };
  if (options.dryRun) edit(list.read());
  else await list.change(edit);
  if (!added) return;
  if (options.json) return writeJson(context.stdout, added);
  if (options.dryRun) return writeLine(context.stdout, `Would add ${describeServer(added)}`);
  await writeLine(context.stdout, `Added ${describeServer(added)}`);
  await writeLine(
    context.stdout,
    `Try it with "causeway servers test ${added.name}", write it with "causeway clients add".`,
  );
}

/** Added twice without a word, every client would have each of its tools twice. */
function refuseSecond({ servers }: ServerList, profile: string, path: string): void {
  const same = servers.find((server) => server.profile === profile && server.path === path);
  if (!same) return;
  throw new CausewayError('already_exists', `Server "${same.name}" is ${path} as ${profile} already.`, {
    remedy: 'To have it twice all the same, name the second one with --name.',
    candidates: [{ name: same.name }],
  });
}

/** `causeway servers remove NAME…`. */
export async function remove(
  context: CommandContext,
  names: string[],
  { json, dryRun }: { json?: boolean; dryRun?: boolean },
): Promise<void> {
  const list = await openServerList(context);
  const removed: ManagedServer[] = [];
  const edit = (now: ServerList): ServerList =>
    names.reduce((left, name) => {
      removed.push(findServer(left, name));
      return withoutServer(left, name);
    }, now);
  if (dryRun) edit(list.read());
  else await list.change(edit);
  if (json) return writeJson(context.stdout, removed);
  if (dryRun) {
    for (const server of removed) await writeLine(context.stdout, `Would remove ${describeServer(server)}`);
    return;
  }
  for (const server of removed) await writeLine(context.stdout, `Removed ${describeServer(server)}`);
  await writeLine(context.stdout, 'Entries in clients stay until "causeway clients remove" takes them out.');
}

function kindOf(text: string | undefined, path: string | undefined): ServerKind {
  if (text === undefined && path !== undefined) return 'other';
  if (text !== undefined && path !== undefined) {
    throw new CausewayError('usage', 'A kind and --path were both given.', { remedy: 'Give one of them.' });
  }
  const kind = SERVER_KINDS.find((known) => known === text && known !== 'other');
  if (kind) return kind;
  const known = SERVER_KINDS.filter((one) => one !== 'other').join(', ');
  throw new CausewayError('usage', text === undefined ? 'No kind was named.' : `"${text}" is no kind of server.`, {
    remedy: `Name one of ${known}, or the path with --path.`,
  });
}
