import type { Profile } from '../auth/auth.ts';

/** Where a workspace's pages are: its address, and its id where a unified host serves several. */
type Place = Pick<Profile, 'host' | 'workspaceId'>;

/** The page of a SQL warehouse. */
export function warehousePage(place: Place, warehouseId: string): string {
  return pageAt(place, `/sql/warehouses/${encodeURIComponent(warehouseId)}`);
}

/** The page of a statement in the query history, with its profile. @param startedAt in milliseconds since the epoch */
export function statementPage(place: Place, statementId: string, startedAt: number | null): string {
  return pageAt(place, '/sql/history', {
    queryId: statementId,
    ...(startedAt === null ? {} : { queryStartTimeMs: String(startedAt) }),
  });
}

function pageAt({ host, workspaceId }: Place, path: string, query: Record<string, string> = {}): string {
  const page = new URL(path, host);
  for (const [name, value] of Object.entries(query)) page.searchParams.set(name, value);
  if (workspaceId !== undefined) page.searchParams.set('o', workspaceId);
  return page.href;
}
