import { type Catalog, catalogApi } from './catalog.ts';
import { type Genie, genieApi } from './genie.ts';
import { type Overrides, overridesApi } from './overrides.ts';
import { type Permissions, permissionsApi } from './permissions.ts';
import { createRest, type Rest, type RestOptions } from './rest.ts';
import { type Users, usersApi } from './scim.ts';
import { type Settings, settingsApi } from './settings.ts';
import { type VectorSearch, vectorSearchApi } from './vector-search.ts';
import { type Warehouses, warehousesApi } from './warehouses.ts';

/** Everything that is asked of one workspace over REST, as one signed-in caller. */
export interface RestClient {
  rest: Rest;
  overrides: Overrides;
  warehouses: Warehouses;
  users: Users;
  settings: Settings;
  permissions: Permissions;
  catalog: Catalog;
  genie: Genie;
  vectorSearch: VectorSearch;
}

/** Builds the client for a profile. Nothing goes out until something is asked for. */
export function createRestClient(options: RestOptions): RestClient {
  const rest = createRest(options);
  return {
    rest,
    overrides: overridesApi(rest),
    warehouses: warehousesApi(rest),
    users: usersApi(rest),
    settings: settingsApi(rest),
    permissions: permissionsApi(rest),
    catalog: catalogApi(rest),
    genie: genieApi(rest),
    vectorSearch: vectorSearchApi(rest),
  };
}
