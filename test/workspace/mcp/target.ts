import type { McpCall } from '../model.ts';

export type ServerKind = McpCall['server'];

/** What a path under `/api/2.0/mcp/` names. */
export type Target =
  | { server: 'sql' }
  | { server: 'genie'; spaceId: string }
  | { server: 'vector-search' | 'functions'; catalog: string; schema: string; only: string | undefined };

/** OAuth scopes of which one is needed (spec/managed-mcp-endpoints.md › Managed server). */
export const SCOPES: Record<ServerKind, string[]> = {
  sql: ['sql'],
  genie: ['genie'],
  'vector-search': ['vector-search', 'ai-search'],
  functions: ['unity-catalog'],
};

const PREFIX = '/api/2.0/mcp/';

/** `ai-search` is the newer name of `vector-search`; `sql` takes no warehouse id, so a longer path is unknown. */
const SHAPES: [RegExp, (parts: string[]) => Target][] = [
  [/^sql$/, () => ({ server: 'sql' })],
  [/^genie\/([^/]+)$/, ([spaceId = '']) => ({ server: 'genie', spaceId })],
  [
    /^(?:vector-search|ai-search)\/([^/]+)\/([^/]+)(?:\/([^/]+))?$/,
    ([catalog = '', schema = '', only]) => ({ server: 'vector-search', catalog, schema, only }),
  ],
  [
    /^functions\/([^/]+)\/([^/]+)(?:\/([^/]+))?$/,
    ([catalog = '', schema = '', only]) => ({ server: 'functions', catalog, schema, only }),
  ],
];

export function targetOf(pathname: string): Target | undefined {
  if (!pathname.startsWith(PREFIX)) return undefined;
  const rest = pathname.slice(PREFIX.length);
  for (const [shape, target] of SHAPES) {
    const match = shape.exec(rest);
    if (match) return target(match.slice(1).map((part) => part && decodeURIComponent(part)));
  }
  return undefined;
}
