import { NativeSelect, Skeleton } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import type { DesktopState, ScreenName } from '../../preload/contract.ts';
import { hostInWords } from '../../preload/words.ts';
import { SCREEN_TITLES, useItem } from '../shared/screen.ts';
import { FailedAction } from './failed-action.tsx';
import styles from './frame.module.css';
import { Navigation } from './navigation.tsx';
import { OtherSignIns } from './other-sign-ins.tsx';
import { useFocusKept, useFocusOnChange } from './use-focus.ts';

/** Screens whose list takes what room there is. */
const LONG_LISTS = new Set<ScreenName>(['activity', 'everyone']);

/** What surrounds every screen: who is signed in and where, and the way to another profile. */
export function Frame({ state, screen, children }: { state: DesktopState; screen: ScreenName; children: ReactNode }) {
  const page = useRef<HTMLElement>(null);
  useFocusOnChange(page, `${screen} ${useItem() ?? ''}`);
  useFocusKept(page);
  return (
    <div className={styles.frame}>
      <aside className={styles.side}>
        <button type="button" className={styles.skip} onClick={() => page.current?.focus()}>
          Skip to the content
        </button>
        <Profile state={state} />
        <Who state={state} />
        <Navigation screen={screen} />
      </aside>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so keys have to reach it whatever it shows */}
      <main ref={page} className={styles.page} tabIndex={0} aria-label={SCREEN_TITLES[screen]}>
        <div className={styles.column} data-wide={LONG_LISTS.has(screen)}>
          <FailedAction failed={state.failedAction} />
          {screen !== 'accounts' && <OtherSignIns signIns={state.otherSignIns} />}
          {children}
        </div>
      </main>
    </div>
  );
}

function Profile({ state: { profiles, profile } }: { state: DesktopState }) {
  const names = profile === null || profiles.includes(profile) ? profiles : [profile, ...profiles];
  if (names.length < 2) return <p className={styles.profile}>{profile ?? names[0] ?? 'Causeway'}</p>;
  return (
    <NativeSelect
      aria-label="Profile"
      className={styles.picker}
      value={profile ?? ''}
      data={profile === null ? [{ value: '', label: 'Choose a profile', disabled: true }, ...names] : names}
      onChange={({ currentTarget }) => void window.causeway.request.chooseProfile({ profile: currentTarget.value })}
    />
  );
}

function Who({ state: { warehouse } }: { state: DesktopState }) {
  if (warehouse.status === 'loading') {
    return (
      <div className={styles.who}>
        <Skeleton width={96} height={14} my={4} />
        <Skeleton width={128} height={12} my={4} />
      </div>
    );
  }
  if (warehouse.status !== 'known') return null;
  const { user, host } = warehouse.effective;
  return (
    <div className={styles.who}>
      <p title={user.userName}>{user.displayName || user.userName}</p>
      <p className={styles.host}>{hostInWords(host)}</p>
    </div>
  );
}
