import { isAllowed, isRequired } from '../shared/managed.tsx';
import { useDesktopState } from '../shared/use-desktop-state.ts';

/** What the organization lets the user do with the entries of an AI client. */
export function useLimits(client: string): { mayAdd: boolean; mayRemove: boolean } {
  const { managed } = useDesktopState();
  return { mayAdd: isAllowed(managed, 'clients', client), mayRemove: !isRequired(managed, 'requiredClients', client) };
}
