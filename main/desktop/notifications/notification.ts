import { Notification } from 'electron';
import type { Problem, Settings } from '../../../preload/contract.ts';
import { displayText } from '../../platform/display.ts';
import { sentences } from '../../platform/errors.ts';
import type { TrayAction } from '../tray/tray-action.ts';
import type { News } from './news.ts';
import { strings } from './strings.ts';

/** In characters; systems cut a longer text anywhere. */
const MAX_BODY_LENGTH = 500;

/** The notifications on the screen. Without a reference they are garbage-collected, and their click event is lost. */
const shown = new Set<Notification>();

export interface NotificationContent {
  title: string;
  body: string;
  onClick(): void;
  /** Buttons; if the system draws none, there is only the click. */
  buttons?: readonly { label: string; onClick(): void }[];
}

/**
 * Shows a system notification. Returns false if the system has none, so that the caller can tell the user otherwise.
 */
export function notify({ title, body, onClick, buttons = [] }: NotificationContent): boolean {
  if (!Notification.isSupported()) return false;
  const text = displayText(body, { maxLength: MAX_BODY_LENGTH, lines: true });
  const notification = new Notification({
    title: displayText(title),
    body: withoutMarkup(text),
    actions: buttons.map(({ label }) => ({ type: 'button', text: label })),
  });
  const forget = () => shown.delete(notification);
  notification.on('click', onClick);
  notification.on('click', forget);
  notification.on('action', (_event, index) => {
    buttons[index]?.onClick();
    forget();
  });
  notification.on('close', forget);
  shown.add(notification);
  notification.show();
  return true;
}

/** Shows news, unless the user has turned its kind off. */
export function showNews(news: News, settings: Settings, act: (action: TrayAction) => Promise<void>): void {
  if (!settings.notifications || !settings[news.setting]) return;
  const { title, body, action, buttons } = news;
  notify({
    title,
    body,
    onClick: () => void act(action),
    buttons: buttons.map((button) => ({ label: button.label, onClick: () => void act(button.action) })),
  });
}

/** Says that the stored settings are not used: there is no setting that could turn this off. */
export function showTrouble({ message, remedy }: Problem, onClick: () => void): void {
  notify({ title: strings.settingsNotUsed, body: sentences(message, remedy), onClick });
}

/** On Linux a body may hold markup, links among it (Desktop Notifications Specification › Markup); names must not add any. */
function withoutMarkup(body: string): string {
  return process.platform === 'linux' ? body.replaceAll('<', '‹') : body;
}
