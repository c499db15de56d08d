/** What the embedded workspace holds: plain data that every part of it reads and the tests may look into. */

type WarehouseState = 'STARTING' | 'RUNNING' | 'STOPPING' | 'STOPPED' | 'DELETING' | 'DELETED';

export interface User {
  /** A numeric string, some beyond 2^53. */
  id: string;
  userName: string;
  displayName: string;
  admin: boolean;
  groups: string[];
  active: boolean;
  /** Service principals sign in with client credentials and have no browser session. */
  servicePrincipal: boolean;
}

export interface Warehouse {
  id: string;
  name: string;
  state: WarehouseState;
  clusterSize: string;
  serverless: boolean;
  creatorName: string;
  autoStopMinutes: number;
  /** Who may use it: user names or group names. The group `users` is everybody. */
  canUse: Set<string>;
}

export interface Override {
  userId: string;
  type: 'CUSTOM' | 'LAST_SELECTED';
  warehouseId: string | undefined;
}

export interface CatalogSchema {
  catalog: string;
  schema: string;
  /** User or group names that hold grants on everything in the schema. */
  grantedTo: Set<string>;
}

export interface GenieSpace {
  /** 32 hexadecimal digits. */
  spaceId: string;
  title: string;
  description: string;
  warehouseId: string;
  grantedTo: Set<string>;
}

export interface VectorIndex {
  /** `catalog.schema.index`. */
  name: string;
  endpointName: string;
  sourceTable: string;
  embeddingColumn: string;
  primaryKey: string;
  /** Set on an index whose vectors its owner computes: the managed server leaves those out. */
  selfManaged?: boolean;
}

/** A function of the data catalog; `sql` is its body, an expression or a query over its parameters. */
export interface CatalogFunction {
  catalog: string;
  schema: string;
  name: string;
  comment: string;
  parameters: { name: string; type: 'STRING' | 'INT' | 'DOUBLE' | 'DATE' | 'BOOLEAN'; comment: string }[];
  returns: 'STRING' | 'INT' | 'DOUBLE' | 'DATE' | 'BOOLEAN' | 'TABLE';
  sql: string;
}

/** A connection of the data catalog to something outside it. */
export interface CatalogConnection {
  name: string;
  connectionType: string;
  /** Whether an external MCP server stands behind it. */
  mcp: boolean;
}

/** A server as AI Gateway lists it. */
export interface McpService {
  /** `mcp-services/catalog.schema.service`. */
  name: string;
  comment: string;
}

/** One call that reached an MCP server, for tests that count what arrived. */
export interface McpCall {
  at: number;
  userId: string;
  server: 'sql' | 'genie' | 'vector-search' | 'functions';
  method: string;
  sessionId: string | undefined;
}

/** Who a bearer token stands for. */
export interface Principal {
  user: User;
  /** OAuth scopes of the token; a personal access token and `all-apis` cover everything. */
  scopes: Set<string>;
}

/**
 * The mutable heart of the embedded workspace. Warehouse transitions take `startupMillis`; `startWarehouse` and
 * `stopWarehouse` resolve when the transition has begun, `whenRunning` when it has ended.
 */
export interface WorkspaceState {
  workspaceId: string;
  users: User[];
  warehouses: Warehouse[];
  overrides: Map<string, Override>;
  /** The warehouse each user picked last, for overrides of type LAST_SELECTED. */
  lastSelected: Map<string, string>;
  workspaceDefaultWarehouseId: string | undefined;
  schemas: CatalogSchema[];
  genieSpaces: GenieSpace[];
  vectorIndexes: VectorIndex[];
  functions: CatalogFunction[];
  connections: CatalogConnection[];
  mcpServices: McpService[];
  mcpCalls: McpCall[];
  startWarehouse(id: string): void;
  stopWarehouse(id: string): void;
  whenRunning(id: string, signal?: AbortSignal): Promise<void>;
  mayUse(user: User, warehouse: Warehouse): boolean;
  isGranted(user: User, grantedTo: Set<string>): boolean;
}

/** A JSON error answer as the workspace spells it (`{"error_code", "message"}`), thrown by any handler. */
export class RestFault extends Error {
  readonly status: number;
  readonly errorCode: string;

  constructor(status: number, errorCode: string, message: string) {
    super(message);
    this.status = status;
    this.errorCode = errorCode;
  }
}
