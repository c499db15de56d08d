import { Menu, Skeleton } from '@mantine/core';
import { IconCheck, IconLogin2, IconLogout, IconPlus, IconSelector, IconUser, IconUserCog } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import type { DesktopState } from '../../preload/contract.ts';
import { formatHost } from '../../preload/format.ts';
import { AddWorkspaceDialog } from '../accounts/add-workspace.tsx';
import { ConfirmSignOut } from '../accounts/confirm-sign-out.tsx';
import { signInOffer } from '../accounts/format.ts';
import { useAccounts } from '../accounts/use-accounts.ts';
import { Icon } from '../shared/icon.tsx';
import layout from '../shared/layout.module.css';
import { showScreen } from '../shared/screen.ts';
import styles from './account-switcher.module.css';
import { strings } from './strings.ts';

/** The open account, and a menu with the others and what can be done about them. */
export function AccountSwitcher({ state }: { state: DesktopState }) {
  const [adding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const { profiles, profile } = state;
  const names = profile === null || profiles.includes(profile) ? profiles : [profile, ...profiles];
  return (
    <>
      <Menu position="bottom-start" checkIcon={<Icon of={IconCheck} />} width="max(var(--popover-target-width), 14rem)">
        <Menu.Target>
          <button ref={button} type="button" className={styles.switcher}>
            <Account state={state} />
            <Icon of={IconSelector} />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.RadioGroup
            value={profile ?? ''}
            onChange={(name) => void window.causeway.request.chooseProfile({ profile: name })}
          >
            {names.map((name) => (
              <Menu.RadioItem key={name} value={name} closeMenuOnClick>
                {name}
                {name === profile && <User state={state} />}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
          {names.length > 0 && <Menu.Divider />}
          <SignInItem
            state={state}
            onSignOut={(name) => {
              button.current?.focus();
              setLeaving(name);
            }}
          />
          <Menu.Item
            leftSection={<Icon of={IconPlus} />}
            onClick={() => {
              button.current?.focus();
              setAdding(true);
            }}
          >
            {strings.account.add}
          </Menu.Item>
          <Menu.Item leftSection={<Icon of={IconUserCog} />} onClick={() => showScreen('accounts')}>
            {strings.account.manage}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <AddWorkspaceDialog opened={adding} existingNames={names} onClose={() => setAdding(false)} />
      <ConfirmSignOut profile={leaving} onClose={() => setLeaving(null)} />
    </>
  );
}

/** Initials, profile and host. */
function Account({ state }: { state: DesktopState }) {
  const { profile, warehouse } = state;
  const isSignedOut = warehouse.status === 'failed' && warehouse.failure.next === 'sign-in';
  return (
    <>
      <span aria-hidden className={styles.avatar} data-signed-out={isSignedOut}>
        {profile === null && warehouse.status !== 'loading' ? <Icon of={IconUser} /> : initialsOf(state)}
      </span>
      <span className={styles.lines}>
        <span className={styles.profile}>
          <span className={layout.unseen}>{strings.account.label}</span>
          {profile ?? (warehouse.status === 'loading' ? '' : strings.account.none)}
          {profile === null && warehouse.status === 'loading' && <Skeleton width="60%" height={12} my={4} />}
        </span>
        <span className={styles.host}>
          {isSignedOut ? strings.account.signedOut : hostOf(state)}
          {warehouse.status === 'loading' && <Skeleton width="80%" height={10} my={4} />}
        </span>
      </span>
    </>
  );
}

/** Who is signed in to the open account. */
function User({ state: { warehouse } }: { state: DesktopState }) {
  if (warehouse.status !== 'known') return null;
  const { displayName, userName } = warehouse.effective.user;
  return <span className={styles.user}>{displayName ? `${displayName} · ${userName}` : userName}</span>;
}

/** Signing in to the open account, or out of it. It asks only while the menu is open. */
function SignInItem({ state, onSignOut }: { state: DesktopState; onSignOut(profile: string): void }) {
  const { profile, warehouse } = state;
  const { data } = useAccounts(state);
  const account = data?.find(({ name }) => name === profile);
  const offer = account && warehouse.status !== 'signing-in' ? signInOffer(account) : null;
  if (!account || offer === null) return null;
  return offer === 'sign-in' ? (
    <Menu.Item
      leftSection={<Icon of={IconLogin2} />}
      onClick={() => void window.causeway.request.signInTo({ profile: account.name })}
    >
      {strings.account.signIn}
    </Menu.Item>
  ) : (
    <Menu.Item leftSection={<Icon of={IconLogout} />} onClick={() => onSignOut(account.name)}>
      {strings.account.signOut}
    </Menu.Item>
  );
}

function hostOf({ warehouse }: DesktopState): string {
  if (warehouse.status === 'known') return formatHost(warehouse.effective.host);
  return warehouse.status === 'signing-in' ? formatHost(warehouse.host) : '';
}

/** Two letters for the user, or for the profile until the user is known. */
function initialsOf({ profile, warehouse }: Pick<DesktopState, 'profile' | 'warehouse'>): string {
  const name = warehouse.status === 'known' ? warehouse.effective.user.displayName : '';
  const words = (name || profile || '').split(/[\s._-]+/).filter(Boolean);
  const letters =
    words.length > 1 ? [words[0], words.at(-1)].map((word) => [...(word ?? '')][0]) : [...(words[0] ?? '')].slice(0, 2);
  return letters.join('').toLocaleUpperCase();
}
