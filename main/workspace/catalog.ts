import { z } from 'zod';
import { listing } from './paging.ts';
import type { Rest } from './rest.ts';

const PATH = '/api/2.1/unity-catalog';
const Named = z.looseObject({ name: z.string(), comment: z.string().optional() });
const token = { next_page_token: z.string().optional() };
const Catalogs = z.looseObject({ catalogs: z.array(Named).default([]), ...token });
const Schemas = z.looseObject({ schemas: z.array(Named).default([]), ...token });
const Functions = z.looseObject({ functions: z.array(Named).default([]), ...token });
const Connection = z.looseObject({
  ...Named.shape,
  options: z.record(z.string(), z.unknown()).default({}),
  properties: z.record(z.string(), z.unknown()).default({}),
});
const Connections = z.looseObject({ connections: z.array(Connection).default([]), ...token });
const Service = z.looseObject({
  ...Named.shape,
  config: z
    .looseObject({
      connection: z.looseObject({ status: z.string().optional() }).optional(),
      source_connection: z.looseObject({ is_deleted: z.boolean().nullish() }).nullish(),
    })
    .optional(),
});
const Services = z.looseObject({ mcp_services: z.array(Service).default([]), ...token });
/** The most that the workspace puts on a page of services. */
const SERVICES_PAGE = 100;

/** Something in the data catalog, by its own name. */
export type CatalogItem = z.infer<typeof Named>;

/** A connection to something outside the workspace, which may be an MCP server. */
export type Connection = z.infer<typeof Connection>;

/** An MCP service, named `mcp-services/…`. */
export type McpService = z.infer<typeof Service>;

/**
 * The data catalog's look-ups over one REST client; each gives what comes next from the page token on. Of 0 results a page,
 * the workspace chooses how many.
 */
export function catalogApi(rest: Rest, max_results = 0) {
  return {
    catalogs: (from?: string, signal?: AbortSignal) => {
      const asked = { path: `${PATH}/catalogs`, query: { max_results }, schema: Catalogs, signal };
      return listing(rest, asked, (page) => page.catalogs, from);
    },
    schemas: (catalog_name: string, from?: string, signal?: AbortSignal) => {
      const asked = { path: `${PATH}/schemas`, query: { max_results, catalog_name }, schema: Schemas, signal };
      return listing(rest, asked, (page) => page.schemas, from);
    },
    /** Without a grant on the schema the list is empty, not an error. */
    functions: (catalog_name: string, schema_name: string, from?: string, signal?: AbortSignal) => {
      const query = { max_results, catalog_name, schema_name };
      return listing(
        rest,
        { path: `${PATH}/functions`, query, schema: Functions, signal },
        (page) => page.functions,
        from,
      );
    },
    connections: (from?: string, signal?: AbortSignal) => {
      const asked = { path: `${PATH}/connections`, query: { max_results }, schema: Connections, signal };
      return listing(rest, asked, (page) => page.connections, from);
    },
    /**
     * The MCP services of a schema (`catalog.schema`) that the caller may use; in preview, so 404 in many workspaces. Without a
     * parent the workspace would look through all of its schemas, and a full view through all connections.
     */
    mcpServices: (schema: string, from?: string, signal?: AbortSignal) => {
      const query = { parent: `schemas/${schema}`, view: 'BASIC', page_size: SERVICES_PAGE };
      const asked = { path: `${PATH}/mcp-services`, query, schema: Services, signal };
      return listing(rest, asked, (page) => page.mcp_services, from);
    },
  };
}

/** Internal catalogs and schemas, for which there are no servers. Databricks' own clients hide the same ones. */
const HIDDEN = new Set(['system', 'information_schema', '__databricks_internal']);

/** Whether a catalog or schema of that name is not shown. */
export function isHidden(name: string): boolean {
  return HIDDEN.has(name);
}

/** The spellings of the option that marks a connection as an MCP server. */
const MCP_MARKS = ['is_mcp_connection', 'is_mcp', 'mcp', 'mcp_enabled', 'enable_mcp'];

/** Whether a connection leads to an MCP server. */
export function isMcpConnection({ options, properties }: Connection): boolean {
  return MCP_MARKS.some((mark) => [options[mark], properties[mark]].some((value) => String(value) === 'true'));
}
