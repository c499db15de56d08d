import { Button, Kbd } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useSyncExternalStore } from 'react';
import { Dialog } from '../shared/dialog.tsx';
import { showScreen } from '../shared/screen.ts';
import { strings as shared } from '../shared/strings.ts';
import styles from './frame.module.css';
import { formatKeys, SCREEN_SHORTCUTS, SHORTCUTS } from './shortcuts.ts';
import { strings } from './strings.ts';

let isOpened = false;
const listeners = new Set<() => void>();

function setOpened(opened: boolean): void {
  isOpened = opened;
  for (const listener of listeners) listener();
}

/** Opens the list of the shortcuts. */
export function openShortcuts(): void {
  setOpened(true);
}

/** The shortcuts of the window, and the dialog that lists them. */
export function Shortcuts() {
  const opened = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isOpened,
  );
  useHotkeys(
    [
      ['mod+/', openShortcuts],
      // A screen does not change behind a dialog.
      ...SCREEN_SHORTCUTS.map(({ keys, screen }): [string, () => void] => [
        keys,
        () => !hasDialog() && showScreen(screen),
      ]),
    ],
    [],
  );
  return (
    <Dialog
      opened={opened}
      onClose={() => setOpened(false)}
      title={strings.shortcuts.title}
      footer={
        <Button variant="default" onClick={() => setOpened(false)}>
          {shared.close}
        </Button>
      }
    >
      <dl className={styles.shortcuts}>
        {SHORTCUTS.map(({ keys, label }) => (
          <div key={label} className={styles.shortcut}>
            <dt>{label}</dt>
            <dd>
              {keys.map((each) => (
                <Kbd key={each}>{formatKeys(each)}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

function hasDialog(): boolean {
  return document.querySelector('[role=dialog]') !== null;
}
