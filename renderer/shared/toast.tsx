import { notifications, notificationsStore, useNotifications } from '@mantine/notifications';
import { IconCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { Icon } from './icon.tsx';
import { strings } from './strings.ts';
import styles from './toast.module.css';

/** At most as many at once: older ones have been read, and further ones would show long after what they confirm. */
const MOST = 2;

let shownSoFar = 0;

/**
 * Confirms that an action succeeded, for a few seconds. A failure stays where it happened instead: see `notice.tsx`.
 * @param about what the message is about, if a later one about the same replaces it; else only an equal message does
 */
export function toast(message: string, about: 'clients' | 'clipboard' | 'overrides' | 'warehouse' | null = null): void {
  const kind = about ?? message;
  const { notifications: shown } = notificationsStore.getState();
  const others = shown.filter((each) => kindOf(each.id) !== kind);
  const staying = others.slice(-(MOST - 1));
  for (const each of shown) if (each.id !== undefined && !staying.includes(each)) notifications.hide(each.id);
  shownSoFar += 1;
  notifications.show({
    id: `${shownSoFar} ${kind}`,
    message,
    role: 'status',
    className: styles.toast,
    closeButtonProps: { 'aria-label': strings.dismiss },
  });
}

function kindOf(id: string | undefined): string | undefined {
  return id?.replace(/^\d+ /, '');
}

/** In an open dialog: what is confirmed while it is open. Everywhere else a toast would cover the dialog. */
export function DialogToast() {
  const { notifications: shown } = useNotifications();
  const [before] = useState(() => new Set(shown.map(({ id }) => id)));
  const latest = shown.findLast(({ id }) => !before.has(id));
  return (
    <p className={styles.inDialog} aria-live="polite">
      {latest && (
        <>
          <Icon of={IconCheck} />
          {latest.message}
        </>
      )}
    </p>
  );
}
