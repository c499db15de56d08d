import type { ConfiguredServer, DesktopState } from '../../../preload/contract.ts';
import { mattersNow } from '../../../preload/words.ts';

/** What the tray's icon says at a glance. */
export type TrayMood = 'ready' | 'working' | 'attention' | 'signed-out';

/** States of a server that somebody should look at. Signed out is not one of them: that is the person's own choice. */
const FAILING = new Set<ConfiguredServer['state']['status']>([
  'forbidden',
  'not-found',
  'blocked-by-ip-list',
  'login-page',
  'unreachable',
  'failing',
]);

export function trayMood({ warehouse, servers }: DesktopState): TrayMood {
  switch (warehouse.status) {
    case 'loading':
    case 'signing-in':
      return 'working';
    case 'unconfigured':
      return 'signed-out';
    case 'failed':
      return warehouse.failure.next === 'sign-in' ? 'signed-out' : 'attention';
    case 'known':
      if (warehouse.lastFailure?.next === 'sign-in') return 'signed-out';
      if (warehouse.lastFailure || warehouse.effective.problems.some(mattersNow)) return 'attention';
      return servers.some(({ state }) => FAILING.has(state.status)) ? 'attention' : 'ready';
  }
}

/**
 * The icon's file in `resources/tray/`. macOS draws template images itself in the colour that the menu bar needs;
 * elsewhere bars may be light or dark without saying so, hence a badge that brings its own background.
 */
export function trayIconFile(mood: TrayMood, platform: NodeJS.Platform): string {
  return platform === 'darwin' ? `${mood}Template.png` : `${mood}.png`;
}
