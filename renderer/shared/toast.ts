import { notifications } from '@mantine/notifications';
import styles from './toast.module.css';

/** Confirms that an action succeeded, for a few seconds. A failure stays where it happened instead: see `notice.tsx`. */
export function toast(message: string): void {
  notifications.show({
    message,
    role: 'status',
    className: styles.toast,
    closeButtonProps: { 'aria-label': 'Dismiss' },
  });
}
