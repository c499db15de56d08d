import { Notification } from 'electron';
import type { Problem } from '../../preload/contract.ts';

/** Those on the screen: one that nothing refers to is collected, and its click is never heard. */
const shown = new Set<Notification>();

/** Says what went wrong in the system's way; a click leads on. Where the system has no such way, leads on at once. */
export function notifyOrOpen(title: string, { message, remedy }: Problem, leadOn: () => void): void {
  if (!Notification.isSupported()) {
    leadOn();
    return;
  }
  const notification = new Notification({ title, body: remedy === null ? message : `${message} ${remedy}` });
  const forget = () => shown.delete(notification);
  notification.on('click', leadOn);
  notification.on('click', forget);
  notification.on('close', forget);
  shown.add(notification);
  notification.show();
}
