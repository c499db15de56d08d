import type { User, WorkspaceState } from '../model.ts';

export type SchemaAccess = 'granted' | 'refused' | 'unknown';

export function schemaAccess(state: WorkspaceState, user: User, catalog: string, schema: string): SchemaAccess {
  const found = state.schemas.find(
    (candidate) => sameName(candidate.catalog, catalog) && sameName(candidate.schema, schema),
  );
  if (!found) return 'unknown';
  return state.isGranted(user, found.grantedTo) ? 'granted' : 'refused';
}

/** Names of the data catalog are the same whatever their case. */
export function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
