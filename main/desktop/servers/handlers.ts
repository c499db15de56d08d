import type { serverRequests } from '../../../preload/contract/servers.ts';
import type { DesktopContext } from '../context.ts';
import type { HandlersOf } from '../handlers.ts';

export function serverHandlers(_context: DesktopContext): HandlersOf<typeof serverRequests> {
  return {};
}
