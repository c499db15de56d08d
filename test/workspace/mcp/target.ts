import type { McpCall } from '../model.ts';

export type ServerKind = Exclude<McpCall['server'], 'app'>;

/** What a path under `/api/2.0/mcp/` or `/ai-gateway/mcp-services/` names. */
export type Target =
  | { server: 'sql' }
  /** The old address of Genie One. */
  | { server: 'genie-one' }
  | { server: 'external'; name: string }
  /** `catalog.schema.service`. */
  | { server: 'service'; name: string }
  | { server: 'genie'; spaceId: string }
  | { server: 'vector-search' | 'functions'; catalog: string; schema: string; only: string | undefined };

/** OAuth scopes of which one is needed (spec/managed-mcp-endpoints.md › Managed server). */
export const SCOPES: Record<ServerKind, string[]> = {
  sql: ['sql'],
  genie: ['genie'],
  'vector-search': ['vector-search', 'ai-search'],
  functions: ['unity-catalog'],
  'genie-one': ['genie'],
  external: ['unity-catalog'],
  service: ['ai-gateway'],
};

const PREFIX = '/api/2.0/mcp/';
const SERVICES_PREFIX = '/ai-gateway/mcp-services/';

/** Whether MCP servers answer there. */
export function isMcpPath(pathname: string): boolean {
  return pathname.startsWith(PREFIX) || pathname.startsWith('/ai-gateway/');
}

/** `ai-search` is the newer name of `vector-search`; `sql` takes no warehouse id, so a longer path is unknown. */
const SHAPES: [RegExp, (parts: string[]) => Target][] = [
  [/^sql$/, () => ({ server: 'sql' })],
  [/^genie$/, () => ({ server: 'genie-one' })],
  [/^external\/([^/]+)$/, ([name = '']) => ({ server: 'external', name })],
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
  if (pathname.startsWith(SERVICES_PREFIX)) {
    const name = decodeURIComponent(pathname.slice(SERVICES_PREFIX.length));
    return /^[^./]+\.[^./]+\.[^./]+$/.test(name) ? { server: 'service', name } : undefined;
  }
  if (!pathname.startsWith(PREFIX)) return undefined;
  const rest = pathname.slice(PREFIX.length);
  for (const [shape, target] of SHAPES) {
    const match = shape.exec(rest);
    if (match) return target(match.slice(1).map((part) => part && decodeURIComponent(part)));
  }
  return undefined;
}
