import type { UpdateState } from '../../../preload/contract/settings.ts';

/** What the person is told when the state of updates changes by itself; null where that is no news. */
export function updateNews(before: UpdateState, now: UpdateState): string | null {
  if (now.status === before.status) return null;
  if (now.status === 'ready') return `Version ${now.version} is ready. Restart Causeway when it suits you.`;
  return null;
}
