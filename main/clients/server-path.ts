import { CausewayError } from '../platform/errors.ts';

/** The managed servers that a workspace has (spec/managed-mcp-endpoints.md › Managed server), and any other by its path. */
export const SERVER_KINDS = ['sql', 'genie', 'vector-search', 'functions', 'other'] as const;

export type ManagedServerKind = (typeof SERVER_KINDS)[number];

/** Servers live under these (spec/managed-mcp-endpoints.md › Endpoints). */
const SERVER_PATHS = ['/api/', '/ai-gateway/'];

/**
 * A server's path as it goes out: percent-encoded, dots resolved, so that all who send it send the same. `name` is what
 * the path is called where it was given.
 * @throws {CausewayError} `usage`
 */
export function checkedServerPath(text: string, name: string): string {
  const isServer = (path: string) => SERVER_PATHS.some((prefix) => path.startsWith(prefix));
  if (isServer(text)) {
    const { pathname, search } = new URL(text, 'https://workspace.invalid');
    if (isServer(pathname)) return `${pathname}${search}`;
  }
  throw new CausewayError('usage', `${name} "${text}" is not a managed MCP server.`, {
    remedy: 'It begins with /api/ or /ai-gateway/, such as /api/2.0/mcp/sql.',
  });
}
