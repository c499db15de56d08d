import type {
  CatalogConnection,
  CatalogFunction,
  CatalogSchema,
  GenieSpace,
  PlainTool,
  User,
  VectorIndex,
  Warehouse,
} from './model.ts';

/** The people and things of the workspace that tests and the demo find when they ask for nothing else. */

export const WORKSPACE_ID = '4811239471023948';

const CREATOR = 'ana@example.com';

/** Ana's and Ben's ids are the same number once a double has rounded them. */
export function fixtureUsers(): User[] {
  return [
    person('9007199254740993001', 'ana@example.com', 'Ana Ferreira', ['users', 'admins']),
    person('9007199254740993002', 'ben@example.com', 'Ben Okafor', ['users', 'analysts']),
    person('8241', 'chloe@example.com', 'Chloe Tan', ['users']),
    {
      id: '70368744177664011',
      userName: '6f1d2c3b-8a4e-4b5f-9c7d-0e1f2a3b4c5d',
      displayName: 'Nightly agent',
      admin: false,
      groups: ['users', 'agents'],
      active: true,
      servicePrincipal: true,
    },
  ];
}

function person(id: string, userName: string, displayName: string, groups: string[]): User {
  return {
    id,
    userName,
    displayName,
    admin: groups.includes('admins'),
    groups,
    active: true,
    servicePrincipal: false,
  };
}

/** Ben may use all but Finance BI; Chloe may use neither that nor Nightly loads; Ana, an admin, may use every one. */
export function fixtureWarehouses(): Warehouse[] {
  return [
    warehouse('3f0c8a1d5e7b2946', 'Starter Warehouse', 'STOPPED', '2X-Small', false, ['users']),
    warehouse('8baced1ff014912d', 'Shared analytics', 'RUNNING', 'Medium', true, ['users']),
    warehouse('b2d94c07a61e83f5', 'Data science', 'STOPPED', 'Small', true, ['users']),
    warehouse('c7e5190b3d48f62a', 'Finance BI', 'RUNNING', 'Large', false, ['finance']),
    warehouse('d10f6b8e24a97c53', 'Nightly loads', 'STOPPED', 'X-Large', true, ['analysts', 'agents']),
    warehouse('e93a7d52c0b614f8', 'Retired reports', 'DELETING', 'X-Small', false, ['users']),
    warehouse('f46b21c98d0e5a73', 'Old sandbox', 'DELETED', '2X-Small', false, ['users']),
  ];
}

function warehouse(
  id: string,
  name: string,
  state: Warehouse['state'],
  clusterSize: string,
  serverless: boolean,
  canUse: string[],
): Warehouse {
  return {
    id,
    name,
    state,
    clusterSize,
    serverless,
    creatorName: CREATOR,
    autoStopMinutes: serverless ? 10 : 45,
    canUse: new Set(canUse),
  };
}

export const FIXTURE_DEFAULT_WAREHOUSE_ID = '3f0c8a1d5e7b2946';

export function fixtureSchemas(): CatalogSchema[] {
  return [
    { catalog: 'samples', schema: 'nyctaxi', grantedTo: new Set(['users']) },
    { catalog: 'samples', schema: 'tpch', grantedTo: new Set(['users']) },
    { catalog: 'main', schema: 'default', grantedTo: new Set(['users']) },
    { catalog: 'main', schema: 'finance', grantedTo: new Set(['finance']) },
    { catalog: 'main', schema: 'support', grantedTo: new Set(['users']) },
    { catalog: 'system', schema: 'ai', grantedTo: new Set(['users']) },
    { catalog: 'system', schema: 'information_schema', grantedTo: new Set(['users']) },
  ];
}

export function fixtureGenieSpaces(): GenieSpace[] {
  return [
    {
      spaceId: '01ef2b7c5a9d1e3f8c4b6a0d2e5f7191',
      title: 'New York taxi trips',
      description: 'Ask about fares, distances and pick-up areas of taxi trips in New York.',
      warehouseId: '8baced1ff014912d',
      grantedTo: new Set(['users']),
    },
    {
      spaceId: '01ef2b7c5a9d1e3f8c4b6a0d2e5f7192',
      title: 'Orders',
      description: 'Ask about customers, orders and nations.',
      warehouseId: '3f0c8a1d5e7b2946',
      grantedTo: new Set(['analysts', 'ana@example.com']),
    },
    {
      spaceId: '01ef2b7c5a9d1e3f8c4b6a0d2e5f7193',
      title: 'Finance',
      description: 'Ask about invoices. Only for finance.',
      warehouseId: 'c7e5190b3d48f62a',
      grantedTo: new Set(['finance']),
    },
  ];
}

export function fixtureVectorIndexes(): VectorIndex[] {
  return [
    vectorIndex('main.support.articles_index', 'main.support.articles', 'body'),
    vectorIndex('main.support.faq_index', 'main.support.faq', 'answer'),
    { ...vectorIndex('main.support.images_index', 'main.support.images', 'embedding'), selfManaged: true },
    vectorIndex('main.finance.invoices_index', 'main.finance.invoices', 'description'),
  ];
}

function vectorIndex(name: string, sourceTable: string, embeddingColumn: string): VectorIndex {
  return { name, endpointName: 'support-search', sourceTable, embeddingColumn, primaryKey: 'id' };
}

export function fixtureFunctions(): CatalogFunction[] {
  return [
    {
      catalog: 'main',
      schema: 'default',
      name: 'fare_with_tip',
      comment: 'The fare of a trip with a tip added, in dollars.',
      parameters: [
        { name: 'fare', type: 'DOUBLE', comment: 'The fare in dollars.' },
        { name: 'tip_percent', type: 'INT', comment: 'The tip in percent of the fare.' },
      ],
      returns: 'DOUBLE',
      sql: 'round(fare * (1 + tip_percent / 100.0), 2)',
    },
    {
      catalog: 'main',
      schema: 'default',
      name: 'initials',
      comment: 'The initials of a name, in capitals.',
      parameters: [{ name: 'full_name', type: 'STRING', comment: 'A name, its parts separated by spaces.' }],
      returns: 'STRING',
      sql: "array_to_string(list_transform(string_split(full_name, ' '), lambda part: upper(left(part, 1))), '')",
    },
    {
      catalog: 'main',
      schema: 'default',
      name: 'busiest_pickup_zips',
      comment: 'The pick-up areas with the most trips, busiest first.',
      parameters: [{ name: 'how_many', type: 'INT', comment: 'How many areas to give.' }],
      returns: 'TABLE',
      sql: 'SELECT pickup_zip, count(*) AS trips FROM samples.nyctaxi.trips GROUP BY pickup_zip ORDER BY trips DESC, pickup_zip LIMIT how_many',
    },
    {
      catalog: 'main',
      schema: 'finance',
      name: 'net_amount',
      comment: 'An amount without value added tax.',
      parameters: [{ name: 'gross', type: 'DOUBLE', comment: 'The amount with tax.' }],
      returns: 'DOUBLE',
      sql: 'round(gross / 1.2, 2)',
    },
  ];
}

const ISSUE_TOOLS: PlainTool[] = [
  { name: 'find_issues', description: 'Finds issues by their words.', parameters: ['words'], readOnly: true },
  { name: 'close_issue', description: 'Closes an issue.', parameters: ['issue'], destructive: true },
];

export function fixtureConnections(): CatalogConnection[] {
  return [
    { name: 'issue_tracker', connectionType: 'HTTP', mcp: true, tools: ISSUE_TOOLS },
    { name: 'orders_db', connectionType: 'POSTGRESQL', mcp: false },
  ];
}
