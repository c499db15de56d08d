import type { EntryTarget } from './all-servers.ts';
import type { ClientFacts } from './client.ts';
import { detect, type LocatedFile, locate, projectFile } from './detect.ts';
import { isOurs } from './entry.ts';
import { writtenAs } from './record.ts';
import { readFileOf, type SurveyOptions, withAll } from './survey.ts';

/** An entry of ours as it is in a client's file. */
export interface OwnEntry {
  client: ClientFacts;
  file: LocatedFile;
  name: string;
  entry: unknown;
  /** What it leads to by the list of servers; undefined if that has no server of its name. */
  target: EntryTarget | undefined;
}

/**
 * The entries of ours in those clients' files that are installed, or in those of a project. Changes nothing.
 * @throws {CausewayError} `invalid_file`, `file_not_writable`, `ambiguous`
 */
export async function ownEntries(
  clients: readonly ClientFacts[],
  options: SurveyOptions,
  project?: string,
): Promise<OwnEntry[]> {
  const found: OwnEntry[] = [];
  for (const client of clients) {
    for (const file of await filesOf(client, options, project)) {
      const known = await options.known(client, file.path);
      const read = await readFileOf(client, file, options.files);
      const targets = withAll(options.servers, read, known);
      for (const [name, entry] of read.entries) {
        if (!isOurs(entry, writtenAs(known, name))) continue;
        found.push({ client, file, name, entry, target: targets.find((each) => each.name === name) });
      }
    }
  }
  return found;
}

async function filesOf(client: ClientFacts, options: SurveyOptions, project?: string): Promise<LocatedFile[]> {
  if (project !== undefined) return projectFile(client, project, false);
  return (await detect(client, options.environment)).installed ? locate(client, options.environment) : [];
}
