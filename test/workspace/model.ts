import type { Credentials } from './connections.ts';

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
  /** Its own name, or `catalog.schema.connection`. */
  name: string;
  connectionType: string;
  /** Whether an external MCP server is behind it. */
  mcp: boolean;
  /** Three kinds need each user to sign in (connections.ts); a connection without one needs nobody to. */
  securableKind?: string;
  /** `ACTIVE` if left out. */
  status?: string;
  /** What the MCP server behind it offers. */
  tools?: PlainTool[];
  /** Who may use it: everybody if left out. */
  grantedTo?: Set<string>;
}

/** A tool that does nothing but answer what it was asked: what it says about itself is what matters. */
export interface PlainTool {
  name: string;
  description: string;
  /** Names of its arguments, all of them text and needed. */
  parameters: string[];
  /** Left out, the tool says nothing of it. */
  readOnly?: boolean;
  destructive?: boolean;
}

/** A server as AI Gateway lists it. */
export interface McpService {
  /** `mcp-services/catalog.schema.service`. */
  name: string;
  comment: string;
  /** What is behind it: a part of the workspace, tools of its own, or (left out) those of its connection. */
  serves?: 'sql' | 'genie-one' | PlainTool[];
  /** The full name of its connection, without which nobody ever signs in to it. */
  connection?: string;
  /** Names, or beginnings that end in `*`; none means all. */
  includeToolSelectors?: string[];
  /** Who holds EXECUTE on it: whoever has a grant on its schema, if left out. */
  grantedTo?: Set<string>;
  /** Unlike the others of its workspace (mcp/settings.ts). */
  signInSignal?: SignInSignal;
  signInNeededFor?: SignInNeededFor;
  suspended?: boolean;
}

/** How a service says that its connection waits for the user's sign-in: HTTP 401, or the JSON-RPC error -32042. */
export type SignInSignal = 'challenge' | 'elicitation';
export type SignInNeededFor = 'tools/call' | 'every-method';

/** A Databricks App, which has its own origin (apps/). */
export interface App {
  name: string;
  description: string;
  appState: 'DEPLOYING' | 'RUNNING' | 'CRASHED' | 'UNAVAILABLE';
  computeState: 'ACTIVE' | 'STARTING' | 'STOPPED' | 'STOPPING' | 'UPDATING' | 'DELETING' | 'ERROR';
  /** Who may reach it and sees it in the list; names of users or groups. */
  canUse: Set<string>;
  /** Who may start and stop it besides the admins. */
  canManage: Set<string>;
  tools: PlainTool[];
  /** False for an app of a foreign tenant: it runs, and no API of this workspace knows it. */
  listed: boolean;
  /**
   * `serves` is an MCP server; `slash` one that moves `/mcp` to `http://localhost:8000/mcp/`, as some frameworks do;
   * `page` no MCP server at all; `redirects` sends every request to a foreign host; `echoes` answers with the token.
   */
  behavior: 'serves' | 'slash' | 'page' | 'redirects' | 'echoes';
}

/** One call that reached an MCP server, for tests that count what arrived. */
export interface McpCall {
  at: number;
  userId: string;
  server: 'sql' | 'genie' | 'genie-one' | 'vector-search' | 'functions' | 'external' | 'service' | 'app';
  /** The name of the service, connection or app. */
  name?: string;
  method: string;
  /** The tool of a `tools/call`. */
  tool?: string;
  sessionId: string | undefined;
}

/** Who a bearer token stands for. */
export interface Principal {
  user: User;
  /** OAuth scopes of the token; a personal access token and `all-apis` cover everything. */
  scopes: Set<string>;
  /** What kind of token it is: apps take those of the sign-in alone. */
  token: 'personal' | 'oauth' | 'entra';
}

/**
 * The mutable heart of the embedded workspace. Warehouse transitions take `startupMs`; `startWarehouse` and
 * `stopWarehouse` resolve when the transition has begun, `whenRunning` when it has ended.
 */
export interface WorkspaceState {
  workspaceId: string;
  users: User[];
  /** The groups that are in a group, by its name. */
  nestedGroups: Map<string, string[]>;
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
  /** The services of a schema beyond `mcpServices`, made when they are asked for: large worlds. */
  moreServices: (catalog: string, schema: string) => McpService[];
  apps: App[];
  /** Who has signed in to which connection. */
  credentials: Credentials;
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
