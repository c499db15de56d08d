import type { Route } from '../http.ts';
import { appRoutes } from './apps.ts';
import { catalogRoutes } from './catalog.ts';
import { dashboardRoutes } from './dashboards.ts';
import { genieRoutes } from './genie.ts';
import { mcpServiceRoutes } from './mcp-services.ts';
import { overrideRoutes } from './overrides.ts';
import { permissionRoutes } from './permissions.ts';
import { queryHistoryRoutes } from './query-history.ts';
import { scimRoutes } from './scim.ts';
import { settingsRoutes } from './settings.ts';
import { statementRoutes } from './statements.ts';
import { vectorSearchRoutes } from './vector-search.ts';
import { warehouseRoutes } from './warehouses.ts';

/** Every REST route that this workspace answers. */
export const restRoutes: Route[] = [
  ...overrideRoutes,
  ...warehouseRoutes,
  ...settingsRoutes,
  ...permissionRoutes,
  ...queryHistoryRoutes,
  ...statementRoutes,
  ...scimRoutes,
  ...catalogRoutes,
  ...dashboardRoutes,
  ...mcpServiceRoutes,
  ...genieRoutes,
  ...vectorSearchRoutes,
  ...appRoutes,
];
