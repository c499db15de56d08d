import type { everyoneRequests } from '../../../preload/contract/everyone.ts';
import type { DesktopContext } from '../context.ts';
import type { HandlersOf } from '../handlers.ts';

export function everyoneHandlers(_context: DesktopContext): HandlersOf<typeof everyoneRequests> {
  return {};
}
