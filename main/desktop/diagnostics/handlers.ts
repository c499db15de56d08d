import type { diagnosticsRequests } from '../../../preload/contract/diagnostics.ts';
import type { DesktopContext } from '../context.ts';
import type { HandlersOf } from '../handlers.ts';

export function diagnosticsHandlers(_context: DesktopContext): HandlersOf<typeof diagnosticsRequests> {
  return {};
}
