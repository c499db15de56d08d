import { isLoopback } from '../auth/profiles/host.ts';
import { type HttpOutcome, header } from './http-exchange.ts';

/** Where a request goes. */
export interface AppPlace {
  origin: string;
  path: string;
}

/** Redirects that keep method and body. */
const KEEPS_METHOD = new Set([307, 308]);
const REDIRECTS = new Set([301, 302, 307, 308]);

/**
 * The path at the same origin that an app redirects to. Frameworks redirect `/mcp` to `/mcp/`, and use the internal address on
 * which they listen behind the edge, such as `http://localhost:8000`. Undefined if it leads elsewhere,
 * or to the workspace, whose sign-in page it then is: the host of a redirect is never sent anything.
 */
export function pathAfterRedirect(
  outcome: HttpOutcome,
  { origin, path }: AppPlace,
  workspace: string,
): string | undefined {
  if (outcome.kind !== 'refused' || !REDIRECTS.has(outcome.head.status)) return undefined;
  const target = redirectTarget(outcome, { origin, path });
  if (!target || target.origin === workspace || target.username !== '' || target.password !== '') return undefined;
  const isUsable = target.origin === origin ? KEEPS_METHOD.has(outcome.head.status) : isInner(target);
  return isUsable ? `${target.pathname}${target.search}` : undefined;
}

function isInner({ protocol, hostname }: URL): boolean {
  return /^https?:$/.test(protocol) && isLoopback(hostname);
}

/** Where a redirect leads; undefined if it does not say. */
export function redirectTarget(
  outcome: Extract<HttpOutcome, { kind: 'refused' }>,
  { origin, path }: AppPlace,
): URL | undefined {
  const location = header(outcome.head, 'location');
  const base = new URL(path, origin);
  return location !== undefined && URL.canParse(location, base.href) ? new URL(location, base) : undefined;
}
