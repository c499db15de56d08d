import { readPathPattern, serverPathKey } from '../../../preload/contract/server-path.ts';
import { scopeForPath } from '../../auth/oauth/scopes.ts';
import type { Policy } from '../../policy/policy.ts';
import { issue, type PolicyIssue } from './issue.ts';
import { meantBy } from './meant.ts';

/** One path of each kind of server that a workspace has; `x` stands for a name. */
const PATHS_OF_KINDS = [
  '/api/2.0/mcp/sql',
  '/api/2.0/mcp/genie',
  '/api/2.0/mcp/genie/x',
  '/api/2.0/mcp/vector-search/x/x',
  '/api/2.0/mcp/ai-search/x/x',
  '/api/2.0/mcp/functions/x/x',
  '/api/2.0/mcp/functions/x/x/x',
  '/api/2.0/mcp/external/x',
  '/ai-gateway/mcp-services/x',
  '/apps/x/mcp',
];

/** Beginnings of paths, without names in them. */
const BEGINNINGS = [
  ...['sql', 'genie', 'vector-search', 'ai-search', 'functions', 'external'].map((kind) => `/api/2.0/mcp/${kind}`),
  '/ai-gateway/mcp-services',
  '/apps',
];

/** That no kind of server has a path, or a path that matches a pattern. */
export function pathIssue(at: string, pattern: string): PolicyIssue | undefined {
  const matches = readPathPattern(pattern);
  if (typeof matches !== 'function' || PATHS_OF_KINDS.some(matches)) return undefined;
  if (scopeForPath(pattern.replaceAll('*', 'x')) !== undefined) return undefined;
  const meant = BEGINNINGS.flatMap((beginning) => {
    const known = beginning.split('/');
    const segments = pattern.split('/');
    const isClose = known.every((name, index) => {
      const segment = segments[index] ?? '';
      return segment.toLowerCase() === name || meantBy(segment, [name]).length > 0;
    });
    return isClose ? [[...known, ...segments.slice(known.length)].join('/')] : [];
  });
  const message = `${pattern} is the path of no kind of server that Causeway knows.`;
  return issue(meant.length > 0 ? 'error' : 'warning', at, message, meant.slice(0, 3));
}

/** Whether the key `servers` itself lets a path be used. */
export function isAllowedPath({ keys: { servers } }: Policy, path: string): boolean {
  const key = serverPathKey(path);
  return (
    !servers?.locked ||
    servers.value.some((pattern) => {
      const matches = readPathPattern(pattern);
      return key !== undefined && typeof matches === 'function' && matches(key);
    })
  );
}
