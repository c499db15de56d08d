import type { DesktopState } from '../../preload/contract.ts';

/** What the tray's icon says at a glance. */
export type TrayMood = 'ready' | 'working' | 'attention' | 'signed-out';

const SIGNED_OUT = new Set(['signed_out', 'unauthenticated', 'sign_in_failed', 'sign_in_cancelled', 'sign_in_timeout']);

export function trayMood({ warehouse }: DesktopState): TrayMood {
  switch (warehouse.status) {
    case 'loading':
      return 'working';
    case 'unconfigured':
      return 'signed-out';
    case 'failed':
      return SIGNED_OUT.has(warehouse.problem.code) ? 'signed-out' : 'attention';
    case 'known':
      return warehouse.lastFailure || warehouse.effective.problems.length > 0 ? 'attention' : 'ready';
  }
}

/**
 * The icon's file in `resources/tray/`. macOS draws template images itself in the colour that the menu bar needs;
 * elsewhere bars may be light or dark without saying so, hence a badge that brings its own background.
 */
export function trayIconFile(mood: TrayMood, platform: NodeJS.Platform): string {
  return platform === 'darwin' ? `${mood}Template.png` : `${mood}.png`;
}
