import type { Route } from '../http.ts';
import { overrideRoutes } from './overrides.ts';
import { scimRoutes } from './scim.ts';
import { warehouseRoutes } from './warehouses.ts';

export const restRoutes: Route[] = [...overrideRoutes, ...warehouseRoutes, ...scimRoutes];
