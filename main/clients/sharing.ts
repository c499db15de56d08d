import type { ClientFacts } from './client.ts';
import { detect, locate } from './detect.ts';
import type { HostEnvironment } from './places.ts';
import { recordedFile } from './record.ts';
import type { ClientName } from './survey.ts';

/** Which installed clients read which entries, by what the entries are remembered under (`recordedFile`). */
export async function readersOf(
  clients: readonly ClientFacts[],
  surroundings: HostEnvironment,
): Promise<Map<string, ClientName[]>> {
  const readers = new Map<string, ClientName[]>();
  for (const client of clients) {
    const { id, name } = client;
    if (!(await detect(client, surroundings)).installed) continue;
    for (const { path } of await locate(client, surroundings).catch(() => [])) {
      const { key } = await recordedFile(client, path);
      readers.set(key, [...(readers.get(key) ?? []), { id, name }]);
    }
  }
  return readers;
}
