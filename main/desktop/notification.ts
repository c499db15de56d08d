import { Notification } from 'electron';
import type { Problem } from '../../preload/contract.ts';
import { displayText } from '../platform/display.ts';
import { sentences } from '../platform/errors.ts';

/** In characters; systems cut what is longer where they like. */
const LONGEST_BODY = 500;

/** Those on the screen: one that nothing refers to is collected, and its click is never heard. */
const shown = new Set<Notification>();

/**
 * Says something in the system's way; a click leads on. Says whether the system has such a way, for where it has none the
 * person has to be told otherwise.
 */
export function notify(title: string, { message, remedy }: Omit<Problem, 'code'>, leadOn: () => void): boolean {
  if (!Notification.isSupported()) return false;
  const body = displayText(sentences(message, remedy), { maxLength: LONGEST_BODY });
  const notification = new Notification({ title: displayText(title), body: withoutMarkup(body) });
  const forget = () => shown.delete(notification);
  notification.on('click', leadOn);
  notification.on('click', forget);
  notification.on('close', forget);
  shown.add(notification);
  notification.show();
  return true;
}

/** On Linux a body may hold markup, links among it (Desktop Notifications Specification › Markup); names bring none of ours. */
function withoutMarkup(body: string): string {
  return process.platform === 'linux' ? body.replaceAll('<', '‹') : body;
}
