import { z } from 'zod';
import { type Apps, appsApi } from './apps.ts';
import { type Catalog, catalogApi } from './catalog.ts';
import { type Genie, genieApi } from './genie.ts';
import { type McpServices, mcpServicesApi } from './mcp-services.ts';
import { type Overrides, overridesApi } from './overrides.ts';
import { type Permissions, permissionsApi } from './permissions.ts';
import { createRest, type Rest, type RestOptions } from './rest.ts';
import { type Users, usersApi } from './scim.ts';
import { type VectorSearch, vectorSearchApi } from './vector-search.ts';
import { type Warehouses, warehousesApi } from './warehouses.ts';

/** The REST APIs of one workspace as one signed-in caller. */
export interface RestClient {
  rest: Rest;
  overrides: Overrides;
  warehouses: Warehouses;
  users: Users;
  settings: WorkspaceSettings;
  permissions: Permissions;
  apps: Apps;
  catalog: Catalog;
  genie: Genie;
  mcpServices: McpServices;
  vectorSearch: VectorSearch;
}

/** Builds the client for a profile. Sends nothing until a method is called. */
export function createRestClient(options: RestOptions): RestClient {
  const rest = createRest(options);
  return {
    rest,
    overrides: overridesApi(rest),
    warehouses: warehousesApi(rest),
    users: usersApi(rest),
    settings: settingsApi(rest),
    permissions: permissionsApi(rest),
    apps: appsApi(rest),
    catalog: catalogApi(rest),
    genie: genieApi(rest),
    mcpServices: mcpServicesApi(rest),
    vectorSearch: vectorSearchApi(rest),
  };
}

/** Receives the names that a list has shown; `isAll` if it was the whole list. */
type Remember = (kind: 'warehouses' | 'users', names: { id: string; name: string }[], isAll: boolean) => void;

/** The same client, which also reports the names that its lists show, so that shells can complete them offline. */
export function rememberingNames(client: RestClient, remember: Remember): RestClient {
  const { warehouses, users } = client;
  return {
    ...client,
    warehouses: {
      ...warehouses,
      list: async function* (options, signal) {
        const names: { id: string; name: string }[] = [];
        for await (const warehouse of warehouses.list(options, signal)) {
          names.push({ id: warehouse.id, name: warehouse.name });
          yield warehouse;
        }
        remember('warehouses', names, options?.usableOnly !== true);
      },
    },
    users: {
      ...users,
      list: async function* (options, signal) {
        const names: { id: string; name: string }[] = [];
        for await (const user of users.list(options, signal)) {
          names.push({ id: user.id, name: user.userName });
          yield user;
        }
        remember('users', names, false);
      },
    },
  };
}

const PATH = '/api/2.0/settings/types/default_warehouse_id/names/default';

const Setting = z.looseObject({
  etag: z.string().optional(),
  string_val: z.looseObject({ value: z.string().optional() }).optional(),
});

interface WorkspaceSettings {
  /** The id of the workspace's default warehouse, `null` if none is set. Admins only, and in preview. */
  defaultWarehouseId(signal?: AbortSignal): Promise<string | null>;
}

/** The workspace's settings that are read here, over one REST client. */
function settingsApi(rest: Rest): WorkspaceSettings {
  return {
    defaultWarehouseId: async (signal) => {
      const setting = await rest.request({ path: PATH, schema: Setting, signal });
      return setting.string_val?.value || null;
    },
  };
}
