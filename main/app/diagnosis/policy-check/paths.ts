import { rowOf, SERVER_ROWS } from '../../../../preload/contract/server-kinds.ts';
import { readPathPattern, serverPathKey } from '../../../../preload/contract/server-path.ts';
import { scopeForPath } from '../../../auth/oauth/scopes.ts';
import type { Policy } from '../../../permissions/policy/policy.ts';
import { similarNames } from '../../../platform/similar-names.ts';
import { issue, type PolicyIssue } from './issue.ts';

/** The kinds of servers that a workspace has. */
const KINDS = SERVER_ROWS.filter((name) => name !== 'gateway' && name !== 'other').map(rowOf);

/** The paths of each kind, with as many names as they have; `x` stands for a name. */
const PATHS_OF_KINDS = [
  ...KINDS.flatMap(({ at, names: [least, most] }) =>
    [least, most].filter(Number.isFinite).map((count) => `${at}${'/x'.repeat(count)}`),
  ),
  '/apps/x/mcp',
];

/** Beginnings of paths, without names in them. */
const BEGINNINGS = [...new Set(KINDS.map(({ at }) => at))];

/** That no kind of server has a path, or a path that matches a pattern. */
export function pathIssue(at: string, pattern: string): PolicyIssue | undefined {
  const matches = readPathPattern(pattern);
  if (typeof matches !== 'function' || PATHS_OF_KINDS.some(matches)) return undefined;
  if (scopeForPath(pattern.replaceAll('*', 'x')) !== undefined) return undefined;
  const suggestions = BEGINNINGS.flatMap((beginning) => {
    const known = beginning.split('/');
    const segments = pattern.split('/');
    const isClose = known.every((name, index) => {
      const segment = segments[index] ?? '';
      return segment.toLowerCase() === name || similarNames(segment, [name]).length > 0;
    });
    return isClose ? [[...known, ...segments.slice(known.length)].join('/')] : [];
  });
  const message = `${pattern} is the path of no kind of server that Causeway knows.`;
  return issue(suggestions.length > 0 ? 'error' : 'warning', at, message, suggestions.slice(0, 3));
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
