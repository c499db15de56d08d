import { Button } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { DesktopState, OtherSignIn, ScreenName, WindowCommand } from '../../preload/contract.ts';
import { WaitingCalls } from '../approvals/waiting-calls.tsx';
import { problemIn } from '../shared/answered.ts';
import { Notice } from '../shared/notice.tsx';
import { SCREEN_TITLES, useItem } from '../shared/screen.ts';
import { strings as shared } from '../shared/strings.ts';
import { WaitingForBrowser } from '../shared/waiting-for-browser.tsx';
import { FailedActionNotice } from './failed-action.tsx';
import { useFocusKept, useFocusOnChange } from './focus.ts';
import styles from './frame.module.css';
import { openPalette, Palette } from './palette.tsx';
import { openShortcuts, Shortcuts } from './shortcuts-dialog.tsx';
import { SideBar } from './side-bar.tsx';
import { strings } from './strings.ts';

/** How wide a screen may become: text in a column, cards in two of them, or lists as wide as the window. */
const WIDTHS: Record<ScreenName, 'text' | 'cards' | 'list'> = {
  warehouse: 'cards',
  servers: 'cards',
  clients: 'cards',
  activity: 'list',
  overrides: 'list',
  accounts: 'text',
  settings: 'text',
  diagnostics: 'cards',
};

/** What the application menu has the window do. */
const WINDOW_COMMANDS: Record<WindowCommand, () => void> = { palette: openPalette, shortcuts: openShortcuts };

/** The frame around every screen: the side bar, notices, the command palette and the shortcuts. */
export function Frame({ state, screen, children }: { state: DesktopState; screen: ScreenName; children: ReactNode }) {
  const page = useRef<HTMLElement>(null);
  const [failure, setFailure] = useState<Error | null>(null);
  // A sign-in that failed is shown where it was started.
  const isInItsRow = screen === 'accounts' && state.failedAction?.profile !== undefined;
  useFocusOnChange(page, `${screen} ${useItem() ?? ''}`);
  useFocusKept(page);
  useEffect(() => window.causeway.on.commandWanted(({ command }) => WINDOW_COMMANDS[command]()), []);
  return (
    <div className={styles.frame}>
      <SideBar state={state} screen={screen} onSkip={() => page.current?.focus()} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so keys have to reach it whatever it shows */}
      <main ref={page} className={styles.page} tabIndex={0} aria-label={SCREEN_TITLES[screen]}>
        <div className={styles.column} data-width={WIDTHS[screen]}>
          <CommandFailure error={failure} onDismiss={() => setFailure(null)} />
          {state.failedAction && !isInItsRow && (
            <div className={styles.failed}>
              <FailedActionNotice failed={state.failedAction} />
            </div>
          )}
          {screen !== 'accounts' && <OtherSignInsNotice signIns={state.otherSignIns} />}
          {children}
        </div>
      </main>
      <WaitingCalls state={state} />
      <Palette state={state} onFailure={setFailure} />
      <Shortcuts />
    </div>
  );
}

/** Why a command of the palette failed, until the user dismisses it. */
function CommandFailure({ error, onDismiss }: { error: Error | null; onDismiss(): void }) {
  return (
    error && (
      <div className={styles.failed}>
        <Notice {...problemIn(error)}>
          <Button variant="default" onClick={onDismiss}>
            {shared.dismiss}
          </Button>
        </Notice>
      </div>
    )
  );
}

/** Sign-ins in progress for profiles other than the open one. The Accounts screen shows them in its rows instead. */
function OtherSignInsNotice({ signIns }: { signIns: readonly OtherSignIn[] }) {
  return signIns.map((signIn) => (
    <div key={signIn.profile} className={styles.failed}>
      <Notice tone="note" message={strings.signIns.inProgress(signIn.profile)} remedy={null}>
        <WaitingForBrowser
          of={{ profile: signIn.profile }}
          {...signIn}
          onCancel={() => void window.causeway.request.cancelSignInTo({ profile: signIn.profile })}
        />
      </Notice>
    </div>
  ));
}
