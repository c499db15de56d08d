import { pathOfRow, type ServerType, serverAt } from '../../preload/contract/server-kinds.ts';
import type { OfferedGroup, OfferedServerInfo } from '../../preload/contract/servers.ts';
import type { DatabricksApp } from './apps.ts';
import type { CatalogItem, Connection, McpService } from './catalog.ts';
import type { GenieSpace } from './genie.ts';
import { servicePath, serviceTitle } from './service-name.ts';

export type ServerGroup = OfferedGroup;
export type OfferedServer = OfferedServerInfo;

/** The groups' names for people. */
export const GROUP_TITLES: Record<ServerGroup, string> = {
  sql: 'SQL',
  genie: 'Genie',
  search: 'Search',
  functions: 'Functions',
  services: 'Services',
  connections: 'Connections',
  apps: 'Apps',
};

/** The group of each type of server. */
const GROUPS: Record<ServerType, ServerGroup> = {
  sql: 'sql',
  genie: 'genie',
  search: 'search',
  functions: 'functions',
  service: 'services',
  connection: 'connections',
  app: 'apps',
  other: 'services',
};

/** What replaces the SQL server at its older path. */
const SQL_SUCCESSOR = serverAt(pathOfRow('sql')).successor?.add ?? null;

/** Whether a service is what replaces the SQL server at its older path. @param name with `mcp-services/` before it */
export function isSqlService({ name }: Pick<McpService, 'name'>): boolean {
  return name === `mcp-services/${SQL_SUCCESSOR}`;
}

const plain = { about: '', obstacle: null, successor: null };

/** The SQL server at its older path. It works in every workspace; its successor is a preview that many have switched off. */
export function olderSqlServer(hasSuccessor: boolean): OfferedServer {
  const successor = hasSuccessor ? SQL_SUCCESSOR : null;
  const title = hasSuccessor ? 'Databricks SQL (every workspace)' : 'Databricks SQL';
  const path = pathOfRow('sql');
  // `sql` is the best one that there is.
  return { ...plain, group: 'sql', title, add: hasSuccessor ? path : 'sql', path, successor };
}

export function offeredService({ name: fullName, comment = '', config }: McpService): OfferedServer {
  const name = fullName.replace(/^mcp-services\//, '');
  const isActive = (config?.connection?.status ?? 'ACTIVE') === 'ACTIVE';
  const isDeleted = config?.source_connection?.is_deleted === true;
  return {
    ...plain,
    group: GROUPS[serverAt(servicePath(name)).type],
    title: serviceTitle(name),
    about: comment,
    add: name,
    path: servicePath(name),
    obstacle: isDeleted ? 'Connection deleted' : isActive ? null : 'Connection inactive',
  };
}

export function offeredSpace({ space_id: id, title, description = '' }: GenieSpace): OfferedServer {
  return {
    ...plain,
    group: 'genie',
    title: title.trim() || 'Untitled Genie space',
    about: description,
    add: `genie:${id}`,
    path: pathOfRow('genie', [id]),
  };
}

/** An AI Search index (`catalog.schema.index`), or all those of a schema (`catalog.schema`). */
export function offeredSearch(name: string, isSearchable = true): OfferedServer {
  return {
    ...plain,
    group: 'search',
    title: name.split('.').length === 2 ? `All indexes in ${name}` : name,
    add: `search:${name}`,
    path: pathOfRow('search', name.split('.')),
    obstacle: isSearchable ? null : 'Not searchable: it manages its own embeddings',
  };
}

/** A function of a schema (`catalog.schema`), or without one all of its functions. */
export function offeredFunctions(schema: string, one?: CatalogItem): OfferedServer {
  const name = one ? `${schema}.${one.name}` : schema;
  return {
    ...plain,
    group: 'functions',
    title: one ? name : `All functions in ${schema}`,
    about: one?.comment ?? '',
    add: `functions:${name}`,
    path: pathOfRow('functions', name.split('.')),
  };
}

export function offeredConnection({ name, comment = '' }: Connection): OfferedServer {
  const path = pathOfRow('connection', [name]);
  return { ...plain, group: 'connections', title: name, about: comment, add: `connection:${name}`, path };
}

const STATES: Record<string, string> = {
  STOPPED: 'Stopped',
  STOPPING: 'Stopping',
  STARTING: 'Starting',
  DEPLOYING: 'Deploying',
  CRASHED: 'Crashed',
  DELETING: 'Deleting',
  ERROR: 'Failed',
  UNAVAILABLE: 'Unavailable',
};

export function offeredApp({ name, description = '', app_status, compute_status }: DatabricksApp): OfferedServer {
  const obstacle = STATES[compute_status?.state ?? ''] ?? STATES[app_status?.state ?? ''] ?? null;
  return { ...plain, group: 'apps', title: name, about: description, add: `app:${name}`, path: null, obstacle };
}

/** By convention, the names of apps that are MCP servers begin so. */
export const MCP_APP = /^mcp-/;

/** Whether a text is part of what people know of a server. */
export function matchesSearch({ title, about, add }: OfferedServer, text: string): boolean {
  return `${title}\n${about}\n${add}`.toLowerCase().includes(text.trim().toLowerCase());
}
