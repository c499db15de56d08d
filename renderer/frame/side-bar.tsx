import { ActionIcon, Tooltip } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { DesktopState, ScreenName } from '../../preload/contract.ts';
import mark from '../../resources/icon.svg';
import { Icon } from '../shared/icon.tsx';
import { AccountSwitcher } from './account-switcher.tsx';
import styles from './frame.module.css';
import { Navigation } from './navigation.tsx';
import { openPalette } from './palette.tsx';
import { formatKeys } from './shortcuts.ts';
import { strings } from './strings.ts';

interface SideBarProps {
  state: DesktopState;
  screen: ScreenName;
  onSkip(): void;
}

/** The application's name, the open account, and the links to the screens. */
export function SideBar({ state, screen, onSkip }: SideBarProps) {
  return (
    <aside className={styles.side}>
      <button type="button" className={styles.skip} onClick={onSkip}>
        {strings.skip}
      </button>
      <div className={styles.brand}>
        <img src={mark} alt="" className={styles.mark} />
        <span className={styles.product}>{strings.product}</span>
        <Tooltip label={`${strings.palette.button} (${formatKeys('mod+K')})`}>
          <ActionIcon
            variant="subtle"
            color="gray"
            className={styles.search}
            aria-label={strings.palette.button}
            aria-keyshortcuts="Control+K Meta+K"
            onClick={openPalette}
          >
            <Icon of={IconSearch} />
          </ActionIcon>
        </Tooltip>
      </div>
      <AccountSwitcher state={state} />
      <Navigation state={state} screen={screen} />
    </aside>
  );
}
