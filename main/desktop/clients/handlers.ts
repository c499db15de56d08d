import type { clientRequests } from '../../../preload/contract/clients.ts';
import type { DesktopContext } from '../context.ts';
import type { HandlersOf } from '../handlers.ts';

export function clientHandlers(_context: DesktopContext): HandlersOf<typeof clientRequests> {
  return {};
}
