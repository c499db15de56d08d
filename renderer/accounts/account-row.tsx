import { Button } from '@mantine/core';
import { IconArrowsExchange, IconKey, IconLogout, IconPencil, IconTrash } from '@tabler/icons-react';
import { ERROR_FACTS, type ErrorCode } from '../../preload/contract/error-facts.ts';
import type { Account, DesktopState, Problem } from '../../preload/contract.ts';
import { formatHost } from '../../preload/format.ts';
import layout from '../shared/layout.module.css';
import { MoreMenu, type MoreMenuItem } from '../shared/more-menu.tsx';
import { StateBadge, type StateTone } from '../shared/state-badge.tsx';
import { WaitingForBrowser } from '../shared/waiting-for-browser.tsx';
import styles from './accounts.module.css';
import { formatExpiry, formatMethod, formatStatus, signInOffer, signsInByBrowser } from './format.ts';
import { strings } from './strings.ts';
import { signInOf } from './use-accounts.ts';

/** Which dialog is open, and about which account. */
export type AccountDialog = { about: 'edit' | 'application' | 'sign-out' | 'remove'; account: Account };

interface AccountRowProps {
  account: Account;
  state: DesktopState;
  onDialog(about: AccountDialog['about']): void;
}

/** One profile: where, who, how, for how long, and what can be done about it. */
export function AccountRow({ account, state, onDialog }: AccountRowProps) {
  const { request } = window.causeway;
  const { name, host, isDefault } = account;
  const isOpen = state.profile === name;
  const signingIn = signInOf(name, state);
  const details = [formatMethod(account), whoIs(account, state), formatExpiry(account, Date.now())];
  const problem = signingIn ? undefined : failedSignIn(name, state);
  return (
    <li className={`${layout.row} ${styles.account}`}>
      <div className={styles.about}>
        <p className={styles.nameLine}>
          <span className={layout.name}>{name}</span>
          {isOpen && <span className={styles.tag}>{strings.open}</span>}
          {isDefault && <span className={styles.tag}>{strings.default}</span>}
        </p>
        {host && <p className={layout.quiet}>{formatHost(host)}</p>}
        {account.state.status !== 'unusable' && <p className={layout.quiet}>{details.filter(Boolean).join(' · ')}</p>}
      </div>
      <div className={styles.side}>
        <span role="status">
          <StateBadge tone={toneOf(account, signingIn !== undefined)}>
            {formatStatus(account, signingIn !== undefined)}
          </StateBadge>
        </span>
        {!signingIn && signInOffer(account) === 'sign-in' && (
          <Button
            variant="default"
            size="compact-sm"
            aria-label={strings.signInTo(name)}
            onClick={() => void request.signInTo({ profile: name })}
          >
            {strings.signIn}
          </Button>
        )}
        <MoreMenu label={strings.more(name)} items={menuOf(account, isOpen, onDialog)} />
      </div>
      {signingIn && (
        <div className={styles.below}>
          <WaitingForBrowser
            of={{ profile: name }}
            host={signingIn.host}
            user={signingIn.user}
            address={signingIn.address}
            step={signingIn.step}
            onCancel={() => void request.cancelSignInTo({ profile: name })}
          />
        </div>
      )}
      <Trouble account={account} problem={problem} />
    </li>
  );
}

function menuOf(account: Account, isOpen: boolean, onDialog: AccountRowProps['onDialog']): MoreMenuItem[] {
  const { menu } = strings;
  const { name: profile } = account;
  const open = () => void window.causeway.request.chooseProfile({ profile });
  return [
    ...(isOpen ? [] : [{ label: menu.open, icon: IconArrowsExchange, onClick: open }]),
    { label: menu.edit, icon: IconPencil, onClick: () => onDialog('edit') },
    ...(signsInByBrowser(account)
      ? [{ label: menu.application, icon: IconKey, onClick: () => onDialog('application') }]
      : []),
    ...(signInOffer(account) === 'sign-out'
      ? [{ label: menu.signOut, icon: IconLogout, onClick: () => onDialog('sign-out') }]
      : []),
    { label: menu.remove, icon: IconTrash, onClick: () => onDialog('remove'), isDangerous: true, isSeparated: true },
  ];
}

const TONES: Record<Account['state']['status'], StateTone> = {
  'signed-in': 'good',
  'signed-out': 'resting',
  'by-credentials': 'good',
  'by-databricks-cli': 'good',
  unusable: 'failed',
  unreadable: 'failed',
};

function toneOf({ state }: Account, signingIn: boolean): StateTone {
  return signingIn ? 'changing' : TONES[state.status];
}

/** A failure that only says what the state says already, or what the user did. */
function isExpected(code: ErrorCode): boolean {
  return code === 'sign_in_cancelled' || ['missing', 'refused'].includes(ERROR_FACTS[code].token ?? '');
}

/** Why the last sign-in to a profile failed. The open one keeps its failure in its own state. */
function failedSignIn(name: string, { profile, warehouse, failedAction }: DesktopState): Problem | undefined {
  if (failedAction?.profile === name) return failedAction.problem;
  if (profile !== name || warehouse.status !== 'failed') return undefined;
  const { problem } = warehouse.failure;
  return isExpected(problem.code) ? undefined : problem;
}

function Trouble({ account: { state }, problem }: { account: Account; problem: Problem | undefined }) {
  const text = troubleOf(state, problem);
  if (!text) return null;
  return (
    <p className={`${layout.trouble} ${styles.below}`} role="alert">
      {text}
    </p>
  );
}

function troubleOf(state: Account['state'], problem: Problem | undefined): string | undefined {
  if (state.status === 'unusable') return state.message;
  if (state.status === 'signed-out' && state.demanded !== undefined) return strings.otherApplication(state.demanded);
  const shown = state.status === 'unreadable' ? state.problem : problem;
  return shown && [shown.message, shown.remedy].filter(Boolean).join(' ');
}

/** Known from the sign-in itself, and for the open profile from its workspace. */
function whoIs({ name, state }: Account, { profile, warehouse }: DesktopState): string {
  if (profile === name && warehouse.status === 'known') return warehouse.effective.user.userName;
  return state.status === 'signed-in' ? (state.userName ?? '') : '';
}
