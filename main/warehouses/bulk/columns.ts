import { didYouMean, similarNames } from '../../platform/similar-names.ts';

/** One line of an import, as it was written. Empty cells are empty texts. */
export interface ImportLine {
  /** Its number in the file, counted from 1, the header included; of JSON, the line on which its entry begins. */
  line: number;
  user_id: string;
  user_name: string;
  type: string;
  warehouse_id: string;
  warehouse_name: string;
}

/** The columns of an export; an import needs one of each pair, and takes `user` and `warehouse` for either. */
export const COLUMNS = ['user_id', 'user_name', 'type', 'warehouse_id', 'warehouse_name'] as const;

export type Column = (typeof COLUMNS)[number];

/** A column that takes an id or a name, and where each of them belongs: ids and names look different. */
export const EITHER: Record<string, { id: Column; name: Column; isId: RegExp }> = {
  user: { id: 'user_id', name: 'user_name', isId: /^\d+$/ },
  warehouse: { id: 'warehouse_id', name: 'warehouse_name', isId: /^[0-9a-f]{16}$/ },
};

/** What is wrong with a line of a file, whatever the workspace holds. */
export interface FileFault {
  /** Counted from 1. */
  line: number;
  /** A sentence that begins with the column. */
  problem: string;
}

/** What a file says, and what of it is not understood. A file with faults is not carried out at all. */
export interface ImportFile {
  lines: ImportLine[];
  faults: FileFault[];
}

/** A line with nothing in it. */
export function emptyLine(line: number): ImportLine {
  return { line, user_id: '', user_name: '', type: '', warehouse_id: '', warehouse_name: '' };
}

/** That a name is none of those that are known, with the one that it may stand for. */
export function unknownName(name: string, what: 'column' | 'member', known: readonly string[]): string {
  const hint = didYouMean(similarNames(name, known)) ?? `The known ones are ${known.join(', ')}.`;
  return `"${name}" is not a ${what} of an import. ${hint}`;
}
