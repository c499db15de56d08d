import { stateEvents } from '../../../preload/contract/desktop-state.ts';
import type { ScreenName } from '../../../preload/contract.ts';
import type { WindowMaterial } from './window-options.ts';

/** Decides which addresses may open and which senders are trusted. Applied by `lockdown.ts` and `ipc.ts`. */

export const APP_SCHEME = 'app';
export const APP_ORIGIN = `${APP_SCHEME}://causeway`;
const START_PAGE = `${APP_ORIGIN}/index.html`;

/**
 * The address of the window's page, at one of its screens, or at one thing on it.
 * @param material what the system draws behind the window, of which the page leaves its side bar free
 */
export function startPageAt(screen?: ScreenName, item?: string, material?: WindowMaterial): string {
  const page = material === undefined ? START_PAGE : `${START_PAGE}?material=${material}`;
  const place = [screen, item].filter((part) => part !== undefined).map(encodeURIComponent);
  return place.length === 0 ? page : `${page}#${place.join('/')}`;
}

/** The page with the calls that wait for the user. */
export function approvalPage(): string {
  return `${START_PAGE}?view=approvals`;
}

/** Whether an address belongs to the window's own pages. Everything else is neither loaded nor shown. */
export function isOwnAddress(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url !== undefined && url.protocol === `${APP_SCHEME}:` && url.host === 'causeway' && url.username === '';
}

/** The sender of a message to the main process, from Electron. */
export interface RequestSender {
  ourWindow: boolean;
  mainFrame: boolean;
  url: string;
}

export function isTrustedSender({ ourWindow, mainFrame, url }: RequestSender): boolean {
  return ourWindow && mainFrame && isOwnAddress(url);
}

/** The schemes by which AI clients are asked to open, or to add a server. Only main composes such links. */
const CLIENT_SCHEMES = ['claude:', 'claude-cli:', 'cursor:', 'vscode:', 'vscode-insiders:', 'lmstudio:', 'goose:'];

/** Whether a link may be handed to the system, for an AI client to answer: one of theirs, or Kiro's page. */
export function isClientUrl(link: string): boolean {
  if (!URL.canParse(link)) return false;
  const { protocol, host } = new URL(link);
  return CLIENT_SCHEMES.includes(protocol) || (protocol === 'https:' && host === 'kiro.dev');
}

/** Links that lead into the application: `causeway://open/servers`. They show a screen and do nothing else. */
export const LINK_SCHEME = 'causeway';

/** The link to a screen. */
export function linkTo(screen: ScreenName): string {
  return `${LINK_SCHEME}://open/${screen}`;
}

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
