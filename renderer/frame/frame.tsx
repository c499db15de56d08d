import { Button, NativeSelect, Skeleton } from '@mantine/core';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import type { DesktopState, FailedAction as Failed, OtherSignIn, ScreenName } from '../../preload/contract.ts';
import { formatHost } from '../../preload/format.ts';
import { Approvals } from '../rules/approvals.tsx';
import { Notice } from '../shared/notice.tsx';
import { SCREEN_TITLES, useItem } from '../shared/screen.ts';
import styles from './frame.module.css';

/** Screens whose list fills the height of the window. */
const LONG_LISTS = new Set<ScreenName>(['activity', 'overrides']);

/** The frame around every screen: the open profile and its user, notices, and the navigation. */
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
          <Approvals approvals={state.approvals} />
          <FailedActionNotice failed={state.failedAction} />
          {screen !== 'accounts' && <OtherSignInsNotice signIns={state.otherSignIns} />}
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
      <p className={styles.host}>{formatHost(host)}</p>
    </div>
  );
}

/** An action of the tray that failed, until the user dismisses it. */
function FailedActionNotice({ failed }: { failed: Failed | null }) {
  if (failed === null) return null;
  const { title, problem } = failed;
  return (
    <div className={styles.failed}>
      <Notice message={`${title}. ${problem.message}`} remedy={problem.remedy}>
        <Button variant="default" onClick={() => void window.causeway.request.dismissFailedAction()}>
          Dismiss
        </Button>
      </Notice>
    </div>
  );
}

/** The links to the screens. */
function Navigation({ screen }: { screen: ScreenName }) {
  return (
    <nav aria-label="Screens" className={styles.navigation}>
      <ul>
        {Object.entries(SCREEN_TITLES).map(([name, title]) => (
          <li key={name}>
            <a href={`#${name}`} className={styles.link} aria-current={name === screen ? 'page' : undefined}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Sign-ins in progress for profiles other than the open one. The Accounts screen shows them in its rows instead. */
function OtherSignInsNotice({ signIns }: { signIns: readonly OtherSignIn[] }) {
  return signIns.map(({ profile, address }) => (
    <div key={profile} className={styles.failed}>
      <Notice
        tone="note"
        message={address ? `You are signing in to ${profile}.` : `You are signing in to ${profile} in your browser.`}
        remedy={address && `Your browser could not be opened. Copy this address into one: ${address}`}
      >
        <Button variant="default" onClick={() => void window.causeway.request.cancelSignInTo({ profile })}>
          Cancel
        </Button>
      </Notice>
    </div>
  ));
}

/**
 * Moves the focus to the heading when another screen opens. Not on the first screen: the window opens with nothing focused.
 */
function useFocusOnChange(page: RefObject<HTMLElement | null>, place: string): void {
  const before = useRef(place);
  useEffect(() => {
    if (before.current === place) return;
    before.current = place;
    page.current?.scrollTo({ top: 0 });
    page.current?.querySelector('h1')?.focus();
  }, [page, place]);
}

/** A dialog that closes returns the focus to the element that had it before within this time. */
const DIALOG_CLOSED_MS = 50;

/**
 * Restores the focus when the focused element is removed or disabled for a while: to the element itself once it is enabled
 * again, or else to the open dialog or the heading. A browser would leave the focus on the body.
 */
function useFocusKept(page: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let last: HTMLElement | null = null;
    let wasDisabled = false;
    let restoreTimer: ReturnType<typeof setTimeout> | undefined;
    const remember = ({ target }: FocusEvent) => {
      last = target instanceof HTMLElement ? target : null;
      wasDisabled = false;
    };
    const restoreFocus = () => {
      restoreTimer = undefined;
      if (last === null || document.activeElement !== document.body) return;
      if (!last.isConnected) instead(page.current)?.focus({ preventScroll: true });
      else if (wasDisabled && !last.matches(':disabled')) last.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(() => {
      if (last?.matches(':disabled')) wasDisabled = true;
      restoreTimer ??= setTimeout(restoreFocus, DIALOG_CLOSED_MS);
    });
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    document.addEventListener('focusin', remember);
    return () => {
      clearTimeout(restoreTimer);
      observer.disconnect();
      document.removeEventListener('focusin', remember);
    };
  }, [page]);
}

function instead(page: HTMLElement | null): HTMLElement | null | undefined {
  const dialog = document.querySelector<HTMLElement>('[role=dialog]');
  return dialog ? (dialog.querySelector<HTMLElement>('[data-autofocus]') ?? dialog) : page?.querySelector('h1');
}
