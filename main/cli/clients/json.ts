import type { CommandContext } from '../command.ts';
import { writeJson } from '../print.ts';
import { type CommonOptions, chosenServers, openClients } from './options.ts';

/**
 * `causeway clients json [CLIENT]`: what to paste where Causeway does not write, in the shape that nearly every client takes
 * or in one client's own, with the link by which that client adds it itself if it has one.
 */
export async function json(context: CommandContext, id: string | undefined, options: CommonOptions): Promise<void> {
  const clients = openClients(context, options);
  const { entries, links } = await clients.toPaste(await chosenServers(context, options), id);
  if (id === undefined) return writeJson(context.stdout, entries);
  const followed = Object.keys(links).length === 0 ? {} : { links };
  await writeJson(context.stdout, { client: clients.client(id).id, entries, ...followed });
}
