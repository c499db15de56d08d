import { appsApi } from './apps.ts';
import { catalogApi } from './catalog.ts';
import { dashboardsApi } from './dashboards.ts';
import { genieApi } from './genie.ts';
import { mcpServicesApi } from './mcp-services.ts';
import { overridesApi } from './overrides.ts';
import type { Pacer } from './pace.ts';
import { permissionsApi } from './permissions.ts';
import { queryHistoryApi } from './query-history.ts';
import { createRest, type RestOptions } from './rest.ts';
import { groupsApi, usersApi } from './scim.ts';
import { settingsApi } from './settings.ts';
import { statementsApi } from './statements.ts';
import { vectorSearchApi } from './vector-search.ts';
import { warehousesApi } from './warehouses.ts';

export type RestClient = ReturnType<typeof createRestClient>;

/** The REST APIs of one workspace as one signed-in caller. Sends nothing until a method is called. */
export function createRestClient(options: RestOptions) {
  const rest = createRest(options);
  return {
    rest,
    overrides: overridesApi(rest),
    /** The same for many requests at a time: all of them wait where the workspace refuses one for now. */
    pacedOverrides: (pacer: Pacer) => overridesApi(createRest({ ...options, pacer })),
    warehouses: warehousesApi(rest),
    users: usersApi(rest),
    groups: groupsApi(rest),
    settings: settingsApi(rest),
    permissions: permissionsApi(rest),
    queryHistory: queryHistoryApi(rest),
    statements: statementsApi(rest),
    apps: appsApi(rest),
    catalog: catalogApi(rest),
    dashboards: dashboardsApi(rest),
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
