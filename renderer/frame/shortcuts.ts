import type { ScreenName } from '../../preload/contract.ts';
import { SCREEN_TITLES, SCREENS } from '../../preload/screens.ts';
import { strings } from './strings.ts';

/** What a shortcut does, and its keys as `useHotkeys` takes them: `mod` is Command on macOS and Ctrl elsewhere. */
interface Shortcut {
  keys: readonly string[];
  label: string;
}

/** The shortcut that opens a screen: `mod+1` and on, in the order of the screens. */
export function shortcutOf(screen: ScreenName): string {
  return `mod+${SCREENS.indexOf(screen) + 1}`;
}

/** The screens with the shortcuts that open them. The menu of the application has the same ones. */
export const SCREEN_SHORTCUTS: readonly { keys: string; screen: ScreenName }[] = [
  ...SCREENS.map((screen) => ({ keys: shortcutOf(screen), screen })),
  { keys: 'mod+,', screen: 'settings' },
];

/** Every shortcut of the window, for the list of them. */
export const SHORTCUTS: readonly Shortcut[] = [
  { keys: ['mod+K'], label: strings.shortcuts.palette },
  ...SCREENS.map((wanted) => ({
    keys: SCREEN_SHORTCUTS.filter(({ screen }) => screen === wanted).map(({ keys }) => keys),
    label: strings.shortcuts.screen(SCREEN_TITLES[wanted]),
  })),
  { keys: ['mod+/'], label: strings.shortcuts.list },
  { keys: [strings.shortcuts.escape], label: strings.shortcuts.close },
];

const isMac = navigator.userAgent.includes('Mac OS');

/** A shortcut as the platform writes it: `Ctrl+K`, or `⌘K` on macOS. */
export function formatKeys(keys: string, onMac = isMac): string {
  return onMac ? keys.replace('mod+', '⌘') : keys.replace('mod+', 'Ctrl+');
}
