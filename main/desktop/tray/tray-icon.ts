import type { DesktopState } from '../../../preload/contract.ts';
import { mattersNow } from '../../../preload/words.ts';

/** What the tray's icon says at a glance. */
export type TrayMood = 'ready' | 'working' | 'attention' | 'signed-out';

export function trayMood({ warehouse }: DesktopState): TrayMood {
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
      return warehouse.lastFailure || warehouse.effective.problems.some(mattersNow) ? 'attention' : 'ready';
  }
}

/**
 * The icon's file in `resources/tray/`. macOS draws template images itself in the colour that the menu bar needs;
 * elsewhere bars may be light or dark without saying so, hence a badge that brings its own background.
 */
export function trayIconFile(mood: TrayMood, platform: NodeJS.Platform): string {
  return platform === 'darwin' ? `${mood}Template.png` : `${mood}.png`;
}
