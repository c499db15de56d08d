import type { Call, Route } from '../http.ts';
import { type CatalogSchema, RestFault } from '../model.ts';
import { pageOf, pageSize } from './paging.ts';

/**
 * Look-ups in the data catalog. A page is cut first, and what the caller may not see is taken out of it then: so a page
 * can be empty and still have a next one, as in the real workspace.
 */

const BASE = '/api/2.1/unity-catalog';
const MAX_PAGE = 100;
const PAGE = ['max_results', 'page_token'];

export const catalogRoutes: Route[] = [
  {
    method: 'GET',
    path: `${BASE}/catalogs`,
    query: [...PAGE, 'include_browse'],
    scopes: ['unity-catalog'],
    handle: catalogs,
  },
  {
    method: 'GET',
    path: `${BASE}/schemas`,
    query: [...PAGE, 'catalog_name'],
    scopes: ['unity-catalog'],
    handle: schemas,
  },
  {
    method: 'GET',
    path: `${BASE}/functions`,
    query: [...PAGE, 'catalog_name', 'schema_name'],
    scopes: ['unity-catalog'],
    handle: functions,
  },
  { method: 'GET', path: `${BASE}/connections`, query: PAGE, scopes: ['unity-catalog'], handle: connections },
];

function catalogs(call: Call): unknown {
  const names = [...new Set(call.state.schemas.map(({ catalog }) => catalog))];
  return answer(call, 'catalogs', names, (name) => {
    if (!call.state.schemas.some((schema) => schema.catalog === name && sees(call, schema))) return undefined;
    return { name, catalog_type: name === 'system' ? 'SYSTEM_CATALOG' : 'MANAGED_CATALOG', owner: 'account users' };
  });
}

function schemas(call: Call): unknown {
  const catalog = needed(call, 'catalog_name');
  const inCatalog = call.state.schemas.filter((schema) => schema.catalog === catalog);
  if (inCatalog.length === 0) throw notFound(`Catalog '${catalog}' does not exist.`);
  return answer(call, 'schemas', inCatalog, (item) =>
    sees(call, item)
      ? { name: item.schema, catalog_name: item.catalog, full_name: `${item.catalog}.${item.schema}` }
      : undefined,
  );
}

/** Without a grant on the schema the list is empty, not an error. */
function functions(call: Call): unknown {
  const schema = schemaNamed(call, needed(call, 'catalog_name'), needed(call, 'schema_name'));
  const inSchema = call.state.functions.filter(
    (item) => item.catalog === schema.catalog && item.schema === schema.schema,
  );
  return answer(call, 'functions', inSchema, (item) =>
    sees(call, schema)
      ? {
          name: item.name,
          catalog_name: item.catalog,
          schema_name: item.schema,
          full_name: `${item.catalog}.${item.schema}.${item.name}`,
          comment: item.comment,
          data_type: item.returns === 'TABLE' ? 'TABLE_TYPE' : item.returns,
          routine_body: 'SQL',
        }
      : undefined,
  );
}

function connections(call: Call): unknown {
  // Those inside a schema are not in this list.
  const listed = call.state.connections.filter(({ name }) => !name.includes('.'));
  return answer(call, 'connections', listed, (item) => ({
    name: item.name,
    full_name: item.name,
    connection_type: item.connectionType,
    options: item.mcp ? { is_mcp_connection: 'true' } : {},
  }));
}

/** One page; `show` gives undefined for what the caller may not see. */
function answer<T>(call: Call, name: string, items: T[], show: (item: T) => unknown): unknown {
  const size = pageSize(call, 'max_results', call.features.chosenPageSize, MAX_PAGE);
  const page = pageOf(items, size, call.query.get('page_token'));
  return {
    [name]: page.items.map(show).filter((item) => item !== undefined),
    ...(page.nextPageToken && { next_page_token: page.nextPageToken }),
  };
}

function needed(call: Call, name: string): string {
  const value = call.query.get(name);
  if (!value) throw new RestFault(400, 'INVALID_PARAMETER_VALUE', `Missing required parameter: ${name}`);
  return value;
}

function schemaNamed(call: Call, catalog: string, schema: string): CatalogSchema {
  const found = call.state.schemas.find((item) => item.catalog === catalog && item.schema === schema);
  if (!found) throw notFound(`Schema '${catalog}.${schema}' does not exist.`);
  return found;
}

function sees(call: Call, schema: CatalogSchema): boolean {
  return call.state.isGranted(call.principal.user, schema.grantedTo);
}

function notFound(message: string): RestFault {
  return new RestFault(404, 'RESOURCE_DOES_NOT_EXIST', message);
}
