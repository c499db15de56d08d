import type { DesktopState } from '../../../preload/contract.ts';
import { type Attention, attentionOf, isSignedOut } from '../attention.ts';
import { strings } from './strings.ts';
import { inShort } from './tray-warehouse.ts';

/** What the tray's icon shows. */
export type TrayMood = 'ready' | 'working' | 'attention' | 'signed-out';

export function trayMood(state: DesktopState): TrayMood {
  const { status } = state.warehouse;
  if (state.approvals.length > 0) return 'attention';
  if (status === 'loading' || status === 'signing-in') return 'working';
  if (status === 'unconfigured' || isSignedOut(state)) return 'signed-out';
  return attentionOf(state).length > 0 ? 'attention' : 'ready';
}

/** The tray icon's tooltip: the answer in one line, and the reason for the icon's mark. */
export function trayTooltip(state: DesktopState): string {
  const marks = attentionOf(state).flatMap((need) => markWords(need, state) ?? []);
  return [strings.tooltip.answer(inShort(state.warehouse)), ...marks].join(' · ');
}

/** What needs the user, in a few words; null if the answer itself says it. */
function markWords(need: Attention, { approvals, update, warehouse }: DesktopState): string | null {
  const { tooltip } = strings;
  switch (need) {
    case 'approval':
      return tooltip.approvals(approvals.length);
    case 'signed-out':
      return warehouse.status === 'known' ? tooltip.signedOut : null;
    case 'override-dangling':
      return tooltip.dangling;
    case 'servers':
      return tooltip.servers;
    case 'update-ready':
      return update.status === 'ready' ? tooltip.updateReady(update.version) : null;
    case 'warehouse':
      return null;
  }
}

/**
 * The icon's file in `resources/tray/`. macOS draws template images itself in the color that the menu bar needs;
 * elsewhere bars may be light or dark without saying so, hence a badge that brings its own background.
 */
export function trayIconFile(mood: TrayMood, platform: NodeJS.Platform): string {
  return platform === 'darwin' ? `${mood}Template.png` : `${mood}.png`;
}

/** What a click on the icon does: on macOS it shows the menu, as everything in the menu bar does; elsewhere it opens the window. */
export function trayClick(platform: NodeJS.Platform): 'menu' | 'window' {
  return platform === 'darwin' ? 'menu' : 'window';
}
