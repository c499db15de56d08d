import type { settingsRequests } from '../../../preload/contract/settings.ts';
import type { DesktopContext } from '../context.ts';
import type { HandlersOf } from '../handlers.ts';

export function settingsHandlers(_context: DesktopContext): HandlersOf<typeof settingsRequests> {
  return {};
}
