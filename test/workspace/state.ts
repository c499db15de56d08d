import { AppTransitions } from './apps/transitions.ts';
import { Credentials } from './connections.ts';
import {
  FIXTURE_DEFAULT_WAREHOUSE_ID,
  fixtureConnections,
  fixtureFunctions,
  fixtureGenieSpaces,
  fixtureSchemas,
  fixtureUsers,
  fixtureVectorIndexes,
  fixtureWarehouses,
  WORKSPACE_ID,
} from './fixture.ts';
import { fixtureApps, fixtureMcpServices, fixtureServiceConnections } from './gateway-fixture.ts';
import type { App, Override, User, Warehouse, WorkspaceState } from './model.ts';
import { Transitions } from './transitions.ts';

/** The data of a world: what `WorkspaceState` holds apart from its behavior. */
type World = Omit<WorkspaceState, 'startWarehouse' | 'stopWarehouse' | 'whenRunning' | 'mayUse' | 'isGranted'>;

/** A world of one's own: whatever is left out is as in fixture.ts. */
export interface StateOptions extends Partial<Omit<World, 'overrides' | 'lastSelected' | 'credentials' | 'mcpCalls'>> {
  overrides?: Override[];
  /** User id to warehouse id. */
  lastSelected?: Record<string, string>;
  /** How long a warehouse, or a step of an app, takes to start, stop or be deleted, in milliseconds. */
  startupMs?: number;
}

/** The state of an embedded workspace, with what only the workspace itself and its tests do to it. */
export interface ReplaceableState extends WorkspaceState {
  deleteWarehouse(id: string): void;
  startApp(app: App): void;
  stopApp(app: App): void;
  /** Counts how often the workspace default was changed over the API. */
  workspaceDefaultVersion: number;
  setWorkspaceDefault(warehouseId: string | undefined): void;
  /** Puts another world instead of this one; whoever holds this object sees the new one. */
  replace(options: StateOptions): void;
  /** Stops the clocks of warehouses on their way somewhere. */
  close(): void;
}

const STARTUP_MS = 400;

/** Makes a world: plain data, the same each time, in far less than a millisecond. */
export function createState(options: StateOptions = {}): ReplaceableState {
  const transitions = new Transitions(() => state.warehouses, options.startupMs ?? STARTUP_MS);
  const apps = new AppTransitions(options.startupMs ?? STARTUP_MS);
  const state: ReplaceableState = {
    ...world(options),
    startWarehouse: (id) => transitions.start(id),
    stopWarehouse: (id) => transitions.stop(id),
    deleteWarehouse: (id) => transitions.delete(id),
    startApp: (app) => apps.start(app),
    stopApp: (app) => apps.stop(app),
    workspaceDefaultVersion: 1,
    setWorkspaceDefault: (warehouseId) => {
      state.workspaceDefaultWarehouseId = warehouseId;
      state.workspaceDefaultVersion += 1;
    },
    whenRunning: (id, signal) => transitions.whenRunning(id, signal),
    mayUse,
    isGranted,
    replace: (next) => {
      Object.assign(state, world(next));
      transitions.reset(next.startupMs ?? STARTUP_MS);
      apps.reset(next.startupMs ?? STARTUP_MS);
    },
    close: () => {
      transitions.reset(0);
      apps.reset(0);
    },
  };
  return state;
}

function world(options: StateOptions): World {
  return {
    workspaceId: options.workspaceId ?? WORKSPACE_ID,
    users: options.users ?? fixtureUsers(),
    nestedGroups: options.nestedGroups ?? new Map(),
    warehouses: options.warehouses ?? fixtureWarehouses(),
    overrides: new Map(options.overrides?.map((override) => [override.userId, override])),
    lastSelected: new Map(Object.entries(options.lastSelected ?? {})),
    workspaceDefaultWarehouseId:
      'workspaceDefaultWarehouseId' in options ? options.workspaceDefaultWarehouseId : FIXTURE_DEFAULT_WAREHOUSE_ID,
    schemas: options.schemas ?? fixtureSchemas(),
    genieSpaces: options.genieSpaces ?? fixtureGenieSpaces(),
    vectorIndexes: options.vectorIndexes ?? fixtureVectorIndexes(),
    functions: options.functions ?? fixtureFunctions(),
    connections: options.connections ?? [...fixtureConnections(), ...fixtureServiceConnections()],
    mcpServices: options.mcpServices ?? fixtureMcpServices(),
    moreServices: options.moreServices ?? (() => []),
    apps: options.apps ?? fixtureApps(),
    credentials: new Credentials(),
    mcpCalls: [],
  };
}

/** CAN_USE or better: granted by name or group, owned, or held by every admin. */
function mayUse(user: User, warehouse: Warehouse): boolean {
  return user.admin || warehouse.creatorName === user.userName || isNamed(user, warehouse.canUse);
}

/** Grants of the data catalog hold for admins too: being one gives no right to read anything. */
function isGranted(user: User, grantedTo: Set<string>): boolean {
  return isNamed(user, grantedTo);
}

function isNamed(user: User, names: Set<string>): boolean {
  return names.has('users') || names.has(user.userName) || user.groups.some((group) => names.has(group));
}
