import { plain, wholeEntry } from '../../clients/entry.ts';
import { launcherFor, thisProcess } from '../../clients/launcher.ts';
import type { CommandContext } from '../command.ts';
import { writeJson } from '../print.ts';
import { type CommonOptions, chosenServers, openClients } from './options.ts';

/**
 * `causeway clients json [CLIENT]`: what to paste where Causeway does not write, in the shape that nearly every client takes
 * or in one client's own, with the link by which that client adds it itself if it has one.
 */
export async function json(context: CommandContext, id: string | undefined, options: CommonOptions): Promise<void> {
  const servers = await chosenServers(context, options);
  const launcher = launcherFor(thisProcess(), context.env);
  await launcher.prepare();
  if (id === undefined) {
    const { command, prefix } = launcher;
    const entries = servers.map(({ name, profile, path }) => [
      name,
      wholeEntry(plain({ name, command, args: [...prefix, 'proxy', '--profile', profile, '--path', path] })),
    ]);
    return writeJson(context.stdout, { mcpServers: Object.fromEntries(entries) });
  }
  const clients = openClients(context, options);
  const client = clients.client(id);
  const entries = servers.map((server) => [server.name, clients.entryFor(client, server)] as const);
  const links = entries.flatMap(([name, entry]) => (client.deepLink ? [[name, client.deepLink(name, entry)]] : []));
  const nested = client.key.reduceRight<unknown>((inner, key) => ({ [key]: inner }), Object.fromEntries(entries));
  await writeJson(context.stdout, {
    client: client.id,
    entries: nested,
    ...(links.length === 0 ? {} : { links: Object.fromEntries(links) }),
  });
}
