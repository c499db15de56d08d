import { CausewayError } from '../platform/errors.ts';
import type { ClientFacts } from './client.ts';
import { commandLineOf, type DataTable, type Entry, hasAddress, isDataTable, sameData } from './entry.ts';
import { type FileRecord, writtenAs } from './record.ts';

/**
 * What an entry of ours that is there is to be corrected to: what is fixed today, without what we wrote before and what
 * belongs to the entry's other form. What the person added, changed or took out of what it began with stays so.
 */
export function correctionOf(
  { id, patience }: ClientFacts,
  entry: Entry,
  name: string,
  present: unknown,
  known: FileRecord | undefined,
): Entry {
  if (!isDataTable(present)) return entry;
  const { fixed, initial = {}, obsolete = [] } = entry;
  const began = known?.initial?.[name] ?? {};
  const changesForm = hasAddress(present) !== hasAddress(fixed);
  // Of what an entry begins with, only the timeout is new to entries of earlier versions; whoever took it out meant it.
  const missing = Object.entries(initial).filter(
    ([key]) => !Object.hasOwn(present, key) && !Object.hasOwn(began, key) && (changesForm || key === patience?.key),
  );
  const isWanted = (key: string) => Object.hasOwn(fixed, key) || Object.hasOwn(initial, key);
  // What another client of the same file has in its own shape is not superfluous.
  const written = changesForm || known?.client === id ? writtenAs(known, name).flatMap((one) => Object.keys(one)) : [];
  const begun = Object.keys(began).filter((key) => sameData(present[key], began[key]));
  const nested = nestedIn(present);
  return {
    fixed: { ...nested, ...Object.fromEntries(missing), ...fixed },
    obsolete: [
      ...new Set([
        ...obsolete,
        ...[...written, ...begun].filter((key) => !isWanted(key)),
        ...(nested ? ['transport'] : []),
      ]),
    ].filter((key) => !Object.hasOwn(fixed, key)),
  };
}

/** What Cline keeps in `transport` beside the command or the address, where somebody let it have the entry that way. */
function nestedIn({ transport, ...others }: DataTable): DataTable | undefined {
  if (!isDataTable(transport) || !(hasAddress(transport) || commandLineOf(transport).length > 0)) return undefined;
  const { type: _type, command: _command, args: _args, url: _url, ...rest } = transport;
  return Object.fromEntries(Object.entries(rest).filter(([key]) => !Object.hasOwn(others, key)));
}

/** Refuses a correction after which the client would not start. @throws {CausewayError} `conflict` */
export function checkStarts(
  client: ClientFacts,
  file: string,
  name: string,
  present: unknown,
  { fixed, obsolete = [] }: Entry,
): void {
  const { besideAddress = [], besideCommand = [] } = client.refuses ?? {};
  const goesDirectly = hasAddress(fixed);
  const inTheWay = (goesDirectly ? besideAddress : besideCommand).filter(
    (key) =>
      isDataTable(present) && Object.hasOwn(present, key) && !Object.hasOwn(fixed, key) && !obsolete.includes(key),
  );
  if (inTheWay.length === 0) return;
  const keys = inTheWay.join(', ');
  throw new CausewayError(
    'conflict',
    `${file}: the entry "${name}" has ${keys}, with which ${client.name} does not start beside ${goesDirectly ? 'an address' : 'a command'}.`,
    { remedy: `Nothing was written. Take ${keys} out of the entry, then try again.` },
  );
}
