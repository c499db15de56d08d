import type { activityRequests } from '../../../preload/contract/activity.ts';
import type { DesktopContext } from '../context.ts';
import type { HandlersOf } from '../handlers.ts';

export function activityHandlers(_context: DesktopContext): HandlersOf<typeof activityRequests> {
  return {};
}
