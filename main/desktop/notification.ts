import { Notification } from 'electron';
import type { Problem } from '../../preload/contract.ts';
import { displayText } from '../platform/display.ts';
import { sentences } from '../platform/errors.ts';

/** In characters; systems cut a longer text anywhere. */
const MAX_BODY_LENGTH = 500;

/** The notifications on the screen. Without a reference they are garbage-collected, and their click event is lost. */
const shown = new Set<Notification>();

/**
 * Shows a system notification. Returns false if the system has none, so that the caller can tell the user otherwise.
 */
export function notify(title: string, { message, remedy }: Omit<Problem, 'code'>, onClick: () => void): boolean {
  if (!Notification.isSupported()) return false;
  const body = displayText(sentences(message, remedy), { maxLength: MAX_BODY_LENGTH });
  const notification = new Notification({ title: displayText(title), body: withoutMarkup(body) });
  const forget = () => shown.delete(notification);
  notification.on('click', onClick);
  notification.on('click', forget);
  notification.on('close', forget);
  shown.add(notification);
  notification.show();
  return true;
}

/** On Linux a body may hold markup, links among it (Desktop Notifications Specification › Markup); names must not add any. */
function withoutMarkup(body: string): string {
  return process.platform === 'linux' ? body.replaceAll('<', '‹') : body;
}
