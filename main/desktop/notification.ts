import { Notification } from 'electron';
import type { Problem } from '../../preload/contract.ts';
import { sentences } from '../platform/sentences.ts';

/** Those on the screen: one that nothing refers to is collected, and its click is never heard. */
const shown = new Set<Notification>();

/**
 * Says something in the system's way; a click leads on. Says whether the system has such a way, for where it has none the
 * person has to be told otherwise.
 */
export function notify(title: string, { message, remedy }: Omit<Problem, 'code'>, leadOn: () => void): boolean {
  if (!Notification.isSupported()) return false;
  const notification = new Notification({ title, body: sentences(message, remedy) });
  const forget = () => shown.delete(notification);
  notification.on('click', leadOn);
  notification.on('click', forget);
  notification.on('close', forget);
  shown.add(notification);
  notification.show();
  return true;
}
