import { join } from 'node:path';
import { type NativeImage, Notification, nativeImage } from 'electron';
import type { Problem, Settings } from '../../../preload/contract.ts';
import { displayText } from '../../platform/display.ts';
import { sentences } from '../../platform/errors.ts';
import { RESOURCES_FOLDER } from '../places.ts';
import type { TrayAction } from '../tray/tray-action.ts';
import type { News } from './news.ts';
import { strings } from './strings.ts';

/** In characters; systems cut a longer text anywhere. */
const MAX_BODY_LENGTH = 500;

/** Daemons draw larger icons as they come, wider than the text. */
const ICON_PX = 64;

/** The notifications on the screen. Without a reference they are garbage-collected, and their click event is lost. */
const shown = new Map<Notification, string | undefined>();

export interface NotificationContent {
  /** By which it can be withdrawn. */
  key?: string;
  title: string;
  body: string;
  onClick(): void;
  /** Buttons; if the system draws none, there is only the click. */
  buttons?: readonly { label: string; onClick(): void }[];
}

/**
 * Shows a system notification. Returns false if the system has none, so that the caller can tell the user otherwise.
 */
export function notify({ key, title, body, onClick, buttons = [] }: NotificationContent): boolean {
  if (!Notification.isSupported()) return false;
  const text = displayText(body, { maxLength: MAX_BODY_LENGTH, lines: true });
  const notification = new Notification({
    title: displayText(title),
    body: withoutMarkup(text),
    ...(process.platform === 'linux' ? { icon: applicationIcon() } : {}),
    actions: buttons.map(({ label }) => ({ type: 'button', text: label })),
  });
  // Some notification daemons on Linux leave it on the screen after a click.
  notification.on('click', () => {
    onClick();
    notification.close();
  });
  notification.on('action', (_event, index) => {
    buttons[index]?.onClick();
    notification.close();
  });
  notification.on('close', () => shown.delete(notification));
  shown.set(notification, key);
  notification.show();
  return true;
}

/** Takes notifications off the screen. */
export function withdraw(keys: readonly string[]): void {
  for (const [notification, key] of shown) if (key !== undefined && keys.includes(key)) notification.close();
}

/** Shows news, unless the user has turned its kind off. */
export function showNews(news: News, settings: Settings, act: (action: TrayAction) => Promise<void>): void {
  if (!settings.notifications || !settings[news.setting]) return;
  const { key, title, body, action, buttons } = news;
  notify({
    key,
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

/** For Linux; elsewhere the system shows it without being told. */
function applicationIcon(): NativeImage {
  return nativeImage.createFromPath(join(RESOURCES_FOLDER, 'icon.png')).resize({ width: ICON_PX, height: ICON_PX });
}

/** On Linux a body may hold markup, links among it (Desktop Notifications Specification › Markup); names must not add any. */
function withoutMarkup(body: string): string {
  return process.platform === 'linux' ? body.replaceAll('<', '‹') : body;
}
