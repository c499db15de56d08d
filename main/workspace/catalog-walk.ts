import { isNoAnswer } from '../../preload/contract/error-facts.ts';
import { SERVER_GROUPS } from '../../preload/contract/server-kinds.ts';
import { appsApi } from './apps.ts';
import { catalogApi, isHidden, isMcpConnection } from './catalog.ts';
import { WorkspaceError } from './errors.ts';
import { genieApi } from './genie.ts';
import {
  isSqlService,
  MCP_APP,
  matchesSearch,
  type OfferedServer,
  offeredApp,
  offeredConnection,
  offeredFunctions,
  offeredSearch,
  offeredService,
  offeredSpace,
  olderSqlServer,
  type ServerGroup,
} from './offered-servers.ts';
import { gather, parts } from './paging.ts';
import type { Rest } from './rest.ts';
import { vectorSearchApi } from './vector-search.ts';
import { MAX_REQUESTS_TO_THE_END, MAX_WALK_REQUESTS } from './walk-limits.ts';
import { isForAll, type WalkEnd, WalkQueue, type WalkTask } from './walk-queue.ts';

export interface WalkOptions {
  /** All groups if left out. */
  groups?: readonly ServerGroup[] | undefined;
  /** Returns only what contains this text, and looks first where the name contains it. */
  search?: string | undefined;
  /** A catalog, or `catalog.schema`: nothing outside it is read. */
  within?: string | undefined;
  /** Reads on to the end, and gives apps that are not named like MCP servers too. */
  isWhole?: boolean | undefined;
  /** In place of `MAX_WALK_REQUESTS`. */
  maxRequests?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** What a walk gives: servers as they are found, groups to which nothing more will come, and at last how it went. */
export type WalkEvent =
  | { what: 'found'; servers: OfferedServer[] }
  | { what: 'complete'; group: ServerGroup }
  | ({ what: 'end' } & WalkEnd);

/** Groups whose servers are not in the data catalog. */
export const OUTSIDE_CATALOG: ReadonlySet<ServerGroup> = new Set<ServerGroup>(['sql', 'genie', 'connections', 'apps']);

/** Where the services and functions of Databricks itself are; the catalog around it is hidden otherwise. */
const OWN_SCHEMA = 'system.ai';

/** The reading order: the workspace's lists, searches by name, the schemas of each catalog, and their contents. */
const RANK = { lists: 0, named: 1, schemas: 2, contents: 3 };

/**
 * Everything that a workspace offers as MCP servers to its signed-in user, as it is found. Never more than eight requests
 * at once, nor more than `maxRequests` in all, and nothing twice. What was not read, or failed, is reported at the end.
 * Leaving the iteration cancels the requests under way.
 * @throws {CausewayError} if nothing could be read, where the sign-in is refused, and `cancelled`
 */
export function walkCatalog(rest: Rest, options: WalkOptions = {}): AsyncGenerator<WalkEvent> {
  const { groups = SERVER_GROUPS, search = '', within, isWhole = false, signal } = options;
  const wanted = new Set(groups.filter((group) => within === undefined || !OUTSIDE_CATALOG.has(group)));
  const maxRequests = options.maxRequests ?? (isWhole ? MAX_REQUESTS_TO_THE_END : MAX_WALK_REQUESTS);
  const queue = new WalkQueue<WalkEvent>(rest, { maxRequests, signal });
  const catalog = catalogApi(queue.rest, PAGE_SIZE);
  const genie = genieApi(queue.rest);
  const vectorSearch = vectorSearchApi(queue.rest);
  const apps = appsApi(queue.rest);
  /** How many lists that may still give something of a group are left. */
  const open = new Map<ServerGroup, number>();

  const given = new Set<string>();
  const found = (servers: OfferedServer[]) => {
    // A list with overlapping pages contains some items twice.
    const fresh = servers.filter(({ add }) => given.size < given.add(add).size);
    const shown = fresh.filter((server) => wanted.has(server.group) && matchesSearch(server, search));
    if (shown.length > 0) queue.emit({ what: 'found', servers: shown });
  };
  const count = (group: ServerGroup, by: 1 | -1) => {
    const left = (open.get(group) ?? 0) + by;
    open.set(group, left);
    if (left === 0) queue.emit({ what: 'complete', group });
  };

  const places = new Set<string>();
  const isRead = (place: string) => places.size === places.add(place).size;
  /** Reads a list, if it may give something of a wanted group, and once only. */
  const read = (mayGive: readonly ServerGroup[], task: Omit<WalkTask, 'ended'>) => {
    const here = mayGive.filter((group) => wanted.has(group));
    if (here.length === 0 || (task.place !== undefined && isRead(`${task.about} ${task.place}`))) return;
    for (const group of here) count(group, 1);
    queue.add({
      ...task,
      ended: () => {
        for (const group of here) count(group, -1);
      },
    });
  };

  const servicesOf = (schema: string, rank: number) =>
    read(schema === OWN_SCHEMA && within === undefined ? ['sql', 'genie', 'services'] : ['services'], {
      rank,
      about: 'Services',
      place: schema,
      run: async (now) => {
        const isOwn = schema === OWN_SCHEMA;
        let hasSuccessor = false;
        try {
          for await (const part of parts((from) => catalog.mcpServices(schema, from, now))) {
            hasSuccessor ||= part.some(isSqlService);
            found(part.map(offeredService));
          }
        } catch (error) {
          // The older server needs no service: it is there in workspaces without the preview.
          if (isOwn && !isForAll(error) && !isUnreached(error)) found([olderSqlServer(false)]);
          throw error;
        }
        if (isOwn) found([olderSqlServer(hasSuccessor)]);
      },
    });
  const functionsOf = (schema: string, rank: number) =>
    read(['functions'], {
      rank,
      about: 'Functions',
      place: schema,
      run: async (now) => {
        const [name, inCatalog] = [schema.slice(schema.indexOf('.') + 1), schema.slice(0, schema.indexOf('.'))];
        let isFirst = true;
        for await (const part of parts((from) => catalog.functions(inCatalog, name, from, now))) {
          found([
            ...(isFirst && part.length > 0 ? [offeredFunctions(schema)] : []),
            ...part.map((one) => offeredFunctions(schema, one)),
          ]);
          isFirst &&= part.length === 0;
        }
      },
    });
  const contentsOf = (schema: string, rank: number) => {
    servicesOf(schema, rank);
    functionsOf(schema, rank);
  };
  /** The first schemas of every catalog come before the later ones of any. */
  const rankOf = (schema: string, position: number) => (isNamed(schema) ? RANK.named : RANK.contents + position);
  const isNamed = (name: string) => {
    const [text, place] = [search.trim().toLowerCase(), name.toLowerCase()];
    return text !== '' && (place.includes(text) || text.startsWith(`${place}.`));
  };
  const schemasOf = (name: string) =>
    read(['services', 'functions'], {
      rank: isNamed(name) ? RANK.named : RANK.schemas,
      about: 'Schemas',
      place: name,
      isCatalog: true,
      run: async (now) => {
        let position = 0;
        for await (const part of parts((from) => catalog.schemas(name, from, now))) {
          for (const { name: schema } of part) {
            if (isHidden(schema)) continue;
            contentsOf(`${name}.${schema}`, rankOf(`${name}.${schema}`, position));
            position += 1;
          }
        }
      },
    });

  if (within === undefined) {
    contentsOf(OWN_SCHEMA, RANK.lists);
    read(['services', 'functions'], {
      rank: RANK.lists,
      about: 'Catalogs',
      run: async (now) => {
        for await (const part of parts((from) => catalog.catalogs(from, now))) {
          for (const { name } of part) if (!isHidden(name) && !WITHOUT_SERVERS.has(name)) schemasOf(name);
        }
      },
    });
  } else if (within.includes('.')) contentsOf(within, RANK.lists);
  else schemasOf(within);

  read(['genie'], {
    rank: RANK.lists,
    about: 'Genie spaces',
    run: async (now) => {
      for await (const part of parts((from) => genie.spaces(from, now))) found(part.map(offeredSpace));
    },
  });

  const isWithin = (name: string) => within === undefined || name === within || name.startsWith(`${within}.`);
  const schemasSeen = new Set<string>();
  let indexesChecked = 0;
  const index = (name: string) => {
    // Each check is a request. What is not checked is offered.
    if (indexesChecked >= MAX_INDEX_CHECKS) return found([offeredSearch(name)]);
    indexesChecked += 1;
    read(['search'], {
      rank: RANK.lists,
      about: 'AI Search',
      run: async (now) => {
        let isSearchable = true;
        try {
          isSearchable = await vectorSearch.hasManagedEmbeddings(name, now);
        } catch (error) {
          if (isForAll(error)) throw error;
        }
        found([offeredSearch(name, isSearchable)]);
      },
    });
  };
  const indexesOf = (endpoint: string) =>
    read(['search'], {
      rank: RANK.lists,
      about: 'AI Search',
      run: async (now) => {
        for await (const part of parts((from) => vectorSearch.indexes(endpoint, from, now))) {
          for (const { name } of part.filter((one) => isWithin(one.name))) {
            const schema = name.split('.').slice(0, 2).join('.');
            if (!schemasSeen.has(schema)) found([offeredSearch(schema)]);
            schemasSeen.add(schema);
            if (matchesSearch(offeredSearch(name), search)) index(name);
          }
        }
      },
    });
  read(['search'], {
    rank: RANK.lists,
    about: 'AI Search',
    run: async (now) => {
      for (const endpoint of await gather(vectorSearch.endpoints(now))) indexesOf(endpoint);
    },
  });

  read(['connections'], {
    rank: RANK.lists,
    about: 'Connections',
    run: async (now) => {
      for await (const part of parts((from) => catalog.connections(from, now))) {
        found(part.filter(isMcpConnection).map(offeredConnection));
      }
    },
  });

  let otherApps = 0;
  read(['apps'], {
    rank: RANK.lists,
    about: 'Apps',
    run: async (now) => {
      for await (const part of parts((from) => apps.list(from, now))) {
        const named = part.filter(({ name }) => isWhole || MCP_APP.test(name));
        const others = part.filter((app) => !named.includes(app));
        otherApps += others.filter((app) => matchesSearch(offeredApp(app), search)).length;
        found(named.map(offeredApp));
      }
    },
  });

  return queue.run((end) => ({ what: 'end', ...end, otherApps }));
}

/** Whether it is unknown what the workspace has, because it did not answer. */
function isUnreached(error: unknown): boolean {
  return error instanceof WorkspaceError && isNoAnswer(error.code);
}

/** What Databricks' own client asks for: the workspace's choice is shorter, and each page is a request. */
const PAGE_SIZE = 200;

/** How many indexes are asked whether the server can search them. */
const MAX_INDEX_CHECKS = 50;

/** Catalogs that contain no users' services or functions. */
const WITHOUT_SERVERS = new Set(['hive_metastore', 'samples']);

/** What a walk has left out, in sentences; none if it has read everything. */
export function leftOutOf({ stopped, requests, unread, closed, failures, otherApps }: WalkEnd): string[] {
  const places = [
    counted(unread.catalogs, 'catalog'),
    counted(unread.schemas, 'schema'),
    counted(unread.lists, 'list'),
  ];
  const notRead = places.filter((place) => place !== '').join(', ');
  const why =
    stopped === 'limit' ? `Stopped after ${counted(requests, 'request')}` : 'Stopped after several failures in a row';
  return [
    ...(stopped === null ? [] : [`${why}: ${notRead} not read.`]),
    ...(closed === 0 ? [] : [`${counted(closed, 'schema')} closed to you.`]),
    ...failures.map(({ about, error }) => `${about}: ${error.message}`),
    ...(otherApps === 0 ? [] : [`${counted(otherApps, 'app')} whose name does not begin with mcp-.`]),
  ];
}

function counted(count: number, of: string): string {
  return count === 0 ? '' : `${count} ${of}${count === 1 ? '' : 's'}`;
}
