import { describe, expect, it } from 'vitest';
import {
  pathOfRow,
  SERVER_ROWS,
  SERVER_TYPES,
  type ServerAtPath,
  serverAt,
} from '../../../preload/contract/server-kinds.ts';

type Row = [
  path: string,
  row: ServerAtPath['row'],
  kind: string,
  type: string,
  scope: string | undefined,
  runsSql: boolean,
  successor: string | undefined,
  named: string,
  title: string,
];

const DBSQL = '/ai-gateway/mcp-services/system.ai.dbsql';
const GENIE_ONE = '/ai-gateway/mcp-services/system.ai.genie_one_mcp';

describe('what a path is', () => {
  it.each<Row>([
    ['/api/2.0/mcp/sql', 'sql', 'sql', 'sql', 'sql', true, DBSQL, 'databricks-sql', 'SQL'],
    ['/api/2.0/mcp/sql/', 'sql', 'sql', 'sql', 'sql', true, DBSQL, 'databricks-sql', 'SQL'],
    ['/API/2.0/MCP/Sql', 'sql', 'sql', 'sql', 'sql', true, DBSQL, 'databricks-sql', 'SQL'],
    ['/api/2.0/mcp/%73ql', 'sql', 'sql', 'sql', 'sql', true, DBSQL, 'databricks-sql', 'SQL'],
    ['/api/2.0/mcp/sql?o=123', 'sql', 'sql', 'sql', 'sql', true, `${DBSQL}?o=123`, 'databricks-sql', 'SQL'],
    [DBSQL, 'sql-service', 'other', 'sql', 'ai-gateway', true, undefined, 'databricks-sql', 'Databricks SQL'],
    [`${DBSQL}?o=1`, 'sql-service', 'other', 'sql', 'ai-gateway', true, undefined, 'databricks-sql', 'Databricks SQL'],
    ['/api/2.0/mcp/sql/x', 'other', 'other', 'other', 'sql', false, undefined, 'x', '/api/2.0/mcp/sql/x'],
    ['/api/2.0/mcp/sqlite', 'other', 'other', 'other', undefined, false, undefined, 'sqlite', '/api/2.0/mcp/sqlite'],
    ['/api/2.0/mcp/genie', 'genie-one', 'genie', 'genie', 'genie', false, GENIE_ONE, 'genie', 'Genie One'],
    [GENIE_ONE, 'genie-service', 'other', 'genie', 'ai-gateway', false, undefined, 'genie', 'Genie One'],
    [
      '/api/2.0/mcp/genie/01EF77',
      'genie',
      'genie',
      'genie',
      'genie',
      false,
      undefined,
      'genie-EF77',
      'Genie space 01EF77',
    ],
    [
      '/api/2.0/mcp/vector-search/a/b?o=1',
      'vector-search',
      'vector-search',
      'search',
      'vector-search',
      false,
      '/api/2.0/mcp/ai-search/a/b?o=1',
      'search-b',
      'Vector search in a.b',
    ],
    [
      '/api/2.0/mcp/ai-search/a/b/c%20d',
      'search',
      'vector-search',
      'search',
      'ai-search',
      false,
      undefined,
      'search-c d',
      'AI Search in a.b.c d',
    ],
    [
      '/api/2.0/mcp/functions/main/Tools',
      'functions',
      'functions',
      'functions',
      'unity-catalog',
      false,
      undefined,
      'functions-Tools',
      'Functions in main.Tools',
    ],
    [
      '/api/2.0/mcp/functions/main',
      'other',
      'other',
      'other',
      'unity-catalog',
      false,
      undefined,
      'main',
      '/api/2.0/mcp/functions/main',
    ],
    [
      '/api/2.0/mcp/external/jira',
      'connection',
      'other',
      'connection',
      'unity-catalog',
      false,
      undefined,
      'jira',
      'Connection jira',
    ],
    [
      '/ai-gateway/mcp-services/a.b.c',
      'service',
      'other',
      'service',
      'ai-gateway',
      false,
      undefined,
      'a.b.c',
      'Service a.b.c',
    ],
    ['/ai-gateway/x/y', 'gateway', 'other', 'other', 'ai-gateway', false, undefined, 'y', '/ai-gateway/x/y'],
    ['/apps/mcp-x/mcp', 'app', 'app', 'app', 'apps', false, undefined, 'mcp-x', 'App mcp-x'],
    ['/apps/mcp-x/', 'other', 'other', 'other', 'apps', false, undefined, 'mcp-x', '/apps/mcp-x/'],
    ['/api/2.0/clusters', 'other', 'other', 'other', undefined, false, undefined, 'clusters', '/api/2.0/clusters'],
    ['not a path', 'other', 'other', 'other', undefined, false, undefined, 'not a path', 'not a path'],
  ])('%s', (path, row, kind, type, scope, runsSql, successor, named, title) => {
    const at = serverAt(path);
    expect(at).toMatchObject({ row, kind, type, runsSql, named, title });
    expect([at.scope, at.successor?.path]).toEqual([scope, successor]);
  });
});

it('each row finds itself again by the path of one of its servers', () => {
  const names = ['one', 'two', 'three'];
  for (const row of SERVER_ROWS.filter((each) => !['gateway', 'other', 'app'].includes(each))) {
    const found = [0, 1, 2, 3].map((count) => serverAt(pathOfRow(row, names.slice(0, count))).row);
    expect(found).toContain(row);
  }
});

it('each type has a server', () => {
  const types = [
    '/api/2.0/mcp/sql',
    '/api/2.0/mcp/genie/1',
    '/api/2.0/mcp/functions/a/b',
    '/api/2.0/mcp/ai-search/a/b',
  ];
  const others = ['/api/2.0/mcp/external/x', '/ai-gateway/mcp-services/a.b.c', '/apps/x/mcp', '/api/x'];
  expect([...types, ...others].map((path) => serverAt(path).type)).toEqual([
    'sql',
    'genie',
    'functions',
    'search',
    'connection',
    'service',
    'app',
    'other',
  ]);
  expect(SERVER_TYPES).toHaveLength(types.length + others.length);
});
