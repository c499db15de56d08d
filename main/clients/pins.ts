import { isSqlServer } from '../../preload/contract/server-kinds.ts';
import { ownMetaOf } from './all-servers.ts';
import type { WrittenRecord } from './record.ts';
import { pinIn } from './server-arguments.ts';
import type { ManagedServer } from './servers.ts';
import type { ClientName } from './survey.ts';

/** A warehouse that an entry's calls name, regardless of the override. */
export interface Pin {
  /** The server's name. */
  server: string;
  warehouseId: string;
  /** The client whose entry has the pin; null if the pin is the server's, for every client without its own. */
  client: ClientName | null;
  /** The folder of the project that the file belongs to; null for the user's own. */
  project: string | null;
}

/** The pins of these servers, and of single clients according to what was written into their files. */
export function pinsOf(
  servers: readonly ManagedServer[],
  record: WrittenRecord,
  nameOf: (id: string) => string,
): Pin[] {
  return servers.flatMap((target) => {
    const { name: server, meta } = target;
    const own = pinIn(meta);
    const ofServer: Pin[] = own === null ? [] : [{ server, warehouseId: own, client: null, project: null }];
    const ofClients = Object.values(record.files).flatMap((known): Pin[] => {
      const { client: id, project = null } = known;
      const warehouseId = pinIn(ownMetaOf(known, target));
      return warehouseId === null ? [] : [{ server, warehouseId, client: { id, name: nameOf(id) }, project }];
    });
    return [...ofServer, ...ofClients];
  });
}

/**
 * The SQL server whose calls a query stands for: of a pin, that of an entry which has it; undefined if none of these
 * servers is one.
 */
export function sqlServerOf(
  servers: readonly ManagedServer[],
  pins: readonly Pin[],
  warehouseId?: string,
): ManagedServer | undefined {
  const sql = servers.filter(({ path }) => isSqlServer(path));
  const isPinned = ({ name }: ManagedServer) =>
    pins.some((pin) => pin.server === name && pin.warehouseId === warehouseId);
  return sql.find(isPinned) ?? sql[0];
}

/** What is known about the precedence of a pin and an override, as sentences. */
export const PIN_RANK =
  'A pinned call names its own warehouse. The pin should take precedence over an override, but Databricks does not document it.';

/** Whose calls a pin is for, as text. */
export function formatPinned({ server, client, project }: Pick<Pin, 'server' | 'client' | 'project'>): string {
  if (client === null) return `${server} in every client`;
  return project === null ? `${server} in ${client.name}` : `${server} in ${client.name}, project ${project}`;
}
