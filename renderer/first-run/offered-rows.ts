import { isSqlServer, pathOfRow, SERVER_GROUPS } from '../../preload/contract/server-kinds.ts';
import type { OfferedServerInfo } from '../../preload/contract.ts';
import { strings } from './strings.ts';

const { servers: texts } = strings;

/** A server that can be ticked. */
export interface OfferedRow {
  group: OfferedServerInfo['group'];
  title: string;
  about: string;
  path: string;
  /** Why it is of no use just now. */
  obstacle: string | null;
}

/** The SQL server, whichever the workspace offers: every workspace has one, so it is there before anything was found. */
export const SQL_ROW: OfferedRow = {
  group: 'sql',
  title: texts.sql,
  about: texts.sqlAbout,
  path: pathOfRow('sql'),
  obstacle: null,
};

/** The path of the row for the server at a path. */
export function pathOfTick(path: string): string {
  return isSqlServer(path) ? SQL_ROW.path : path;
}

/** Whether the row is for the server at that path. */
export function isOfRow(row: Pick<OfferedRow, 'path'>, path: string): boolean {
  return row.path === pathOfTick(path);
}

/** Groups of which a schema is offered as a whole: its parts can be added one by one later. */
const BY_SCHEMA: ReadonlySet<OfferedServerInfo['group']> = new Set(['functions', 'search']);

/** What a workspace offers as rows, group by group: schemas by their names, with how much is in them. Apps are added with the command. */
export function offeredRows(
  servers: readonly OfferedServerInfo[],
): { group: OfferedRow['group']; rows: OfferedRow[] }[] {
  const found = servers.flatMap((server): OfferedRow[] => {
    const { group, title, about, add, path, obstacle, successor } = server;
    if (path === null || successor !== null || group === 'sql' || group === 'apps') return [];
    const row = { group, title, about, path, obstacle };
    if (!BY_SCHEMA.has(group)) return [row];
    const name = add.slice(add.indexOf(':') + 1);
    if (name.split('.').length !== 2) return [];
    const parts = servers.filter((one) => one.group === group && one.add.startsWith(`${add}.`)).length;
    const count = group === 'functions' ? texts.functions(parts) : texts.indexes(parts);
    return [{ ...row, title: name, about: parts === 0 ? '' : count }];
  });
  const rows = [SQL_ROW, ...found];
  return SERVER_GROUPS.flatMap((group) => {
    const own = rows.filter((row) => row.group === group);
    return own.length === 0 ? [] : [{ group, rows: own }];
  });
}
