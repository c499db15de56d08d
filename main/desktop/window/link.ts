import { stateEvents } from '../../../preload/contract/desktop-state.ts';
import type { ScreenName } from '../../../preload/contract.ts';

/** Links that lead into the application: `causeway://open/servers`. They show a screen and do nothing else. */
export const LINK_SCHEME = 'causeway';

const LINK = /^causeway:\/\/open\/([a-z]{1,20})\/?$/;

/** The screen that a link leads to. Anything that is not exactly such a link leads nowhere. */
export function screenOfLink(link: string): ScreenName | undefined {
  const wanted = stateEvents.screenWanted.safeParse({ screen: LINK.exec(link)?.[1], item: null });
  return wanted.success ? wanted.data.screen : undefined;
}

/** The link among the arguments of a start, by which Windows and Linux hand it over. */
export function linkIn(args: readonly string[]): string | undefined {
  return args.find((argument) => argument.startsWith(`${LINK_SCHEME}:`));
}
