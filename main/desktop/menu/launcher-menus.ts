import type { DesktopState, ScreenName } from '../../../preload/contract.ts';
import { SCREEN_TITLES } from '../../../preload/screens.ts';
import { attentionCount } from '../attention.ts';
import { linkTo } from '../window/navigation.ts';
import { strings } from './strings.ts';

/** The screens that the Dock's menu and Windows' jump list lead to. */
const SHORTCUTS: readonly ScreenName[] = ['warehouse', 'servers', 'activity', 'settings'];

/** One entry of the jump list on Windows (`app.setUserTasks`): it starts the application a second time with a link. */
export interface UserTask {
  program: string;
  arguments: string;
  title: string;
  description: string;
  iconPath: string;
  iconIndex: number;
}

/**
 * The tasks of the application's entry in Windows' task bar.
 * @param start the arguments before the link: the application's folder if it is not packaged
 */
export function userTasks(program: string, start: readonly string[]): UserTask[] {
  const task = (title: string, description: string, args: readonly string[]): UserTask => ({
    program,
    arguments: [...start, ...args].map((argument) => `"${argument}"`).join(' '),
    title,
    description,
    iconPath: program,
    iconIndex: 0,
  });
  return [
    task(strings.openCauseway, strings.openCausewayHelp, []),
    ...SHORTCUTS.map((screen) => {
      const title = SCREEN_TITLES[screen];
      return task(title, strings.opensScreen(title), [linkTo(screen)]);
    }),
  ];
}

/** The menu of the Dock's icon on macOS. */
export function dockMenu(): { label: string; screen: ScreenName }[] {
  return SHORTCUTS.map((screen) => ({ label: SCREEN_TITLES[screen], screen }));
}

/** The badge on the Dock's icon: how many things need the user; empty for none. */
export function dockBadge(state: DesktopState): string {
  const count = attentionCount(state);
  return count === 0 ? '' : String(count);
}
