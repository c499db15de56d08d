import { Button, Modal, Skeleton } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Account, DesktopState, SignInStep } from '../../preload/contract.ts';
import { formatHost } from '../../preload/format.ts';
import { unwrap } from '../shared/answered.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import layout from '../shared/layout.module.css';
import { FailureNotice, InSight, Notice } from '../shared/notice.tsx';
import { ScreenHead } from '../shared/screen-head.tsx';
import { usePrevious } from '../shared/use-last.ts';
import styles from './accounts.module.css';
import { AddWorkspace } from './add-workspace.tsx';
import { EditAccount } from './edit-account.tsx';
import { formatExpiry, formatMethod, formatStatus, signInOffer } from './format.ts';

/** The profiles of this computer: who is signed in where, with sign-in and sign-out. */
export function AccountsScreen({ state }: { state: DesktopState }) {
  const [adding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<string | null>(null);
  const [editing, setEditing] = useState<Account | null>(null);
  const [left, setLeft] = useState<{ profile: string; revoked: boolean } | null>(null);
  const accounts = useQuery({
    // A sign-in or a new profile changes one of these.
    queryKey: ['accounts', state.profile, state.profiles, state.warehouse.status, state.otherSignIns.length],
    queryFn: () => unwrap(window.causeway.request.listAccounts()),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  const names = (accounts.data ?? []).map(({ name }) => name);
  return (
    <div className={layout.screen}>
      <ScreenHead title="Accounts">
        <Button onClick={() => setAdding(true)}>Add a workspace…</Button>
      </ScreenHead>
      {left && !left.revoked && (
        <InSight>
          <Notice
            message={`You are signed out of ${left.profile} on this computer, but the workspace did not confirm it.`}
            remedy="There, the sign-in may be valid until it expires by itself. What this computer kept of it is deleted, so there is nothing more to do here."
          >
            <Button variant="default" onClick={() => setLeft(null)}>
              Dismiss
            </Button>
          </Notice>
        </InSight>
      )}
      <FailureNotice error={accounts.error} onRetry={accounts.refetch} />
      {accounts.isPending && <Skeleton height={96} />}
      {accounts.data?.length === 0 && (
        <p>There is no workspace here yet. Add one by its address, and you can sign in to it in your browser.</p>
      )}
      {accounts.data && accounts.data.length > 0 && (
        <ul className={layout.list} aria-label="Accounts">
          {accounts.data.map((account) => (
            <AccountRow
              key={account.name}
              account={account}
              state={state}
              onSignOut={() => {
                setLeft(null);
                setLeaving(account.name);
              }}
              onEdit={() => setEditing(account)}
            />
          ))}
        </ul>
      )}
      <Modal opened={adding} onClose={() => setAdding(false)} title="Add a workspace">
        <AddWorkspace existingNames={names} onCancel={() => setAdding(false)} />
      </Modal>
      <EditAccount account={editing} onClose={() => setEditing(null)} />
      <ConfirmSignOut profile={leaving} onClose={() => setLeaving(null)} onSignedOut={setLeft} />
    </div>
  );
}

interface AccountRowProps {
  account: Account;
  state: DesktopState;
  onSignOut(): void;
  onEdit(): void;
}

/** One profile: where, who, how, for how long, and what can be done about it. */
function AccountRow({ account, state, onSignOut, onEdit }: AccountRowProps) {
  const { request } = window.causeway;
  const { name, host, isDefault } = account;
  const isOpen = state.profile === name;
  const signingIn = signInOf(name, state);
  const offer = signingIn ? null : signInOffer(account);
  const details = [formatMethod(account), whoIs(account, state), formatExpiry(account, Date.now())];
  return (
    <li className={`${layout.row} ${layout.split}`}>
      <div>
        <p>
          <span className={layout.name}>{name}</span>
          {isOpen && <span className={styles.mark}>open now</span>}
          {isDefault && <span className={styles.mark}>default</span>}
        </p>
        {host && <p className={layout.quiet}>{formatHost(host)}</p>}
        {account.state.status !== 'unusable' && <p className={layout.quiet}>{details.filter(Boolean).join(' · ')}</p>}
        <Trouble account={account} />
        {signingIn?.address && (
          <p className={layout.quiet}>
            Your browser could not be opened. Copy this address into one: {signingIn.address}
          </p>
        )}
      </div>
      <div className={styles.side}>
        <span className={styles.status} role="status">
          {formatStatus(account, signingIn !== undefined)}
        </span>
        {signingIn && (
          <Button variant="default" size="compact-sm" onClick={() => void request.cancelSignInTo({ profile: name })}>
            Cancel
          </Button>
        )}
        {offer === 'sign-in' && (
          <Button
            variant="default"
            size="compact-sm"
            aria-label={`Sign in to ${name}`}
            onClick={() => void request.signInTo({ profile: name })}
          >
            Sign in
          </Button>
        )}
        {offer === 'sign-out' && (
          <Button variant="default" size="compact-sm" aria-label={`Sign out of ${name}…`} onClick={onSignOut}>
            Sign out…
          </Button>
        )}
        {!signingIn && (
          <Button variant="default" size="compact-sm" aria-label={`Edit ${name}…`} onClick={onEdit}>
            Edit…
          </Button>
        )}
      </div>
    </li>
  );
}

/** The sign-in in progress for a profile. */
function signInOf(name: string, { profile, warehouse, otherSignIns }: DesktopState): SignInStep | undefined {
  if (profile === name && warehouse.status === 'signing-in') return warehouse;
  return otherSignIns.find((each) => each.profile === name);
}

function Trouble({ account: { state } }: { account: Account }) {
  if (state.status === 'unusable') return <p className={`${layout.trouble} ${styles.trouble}`}>{state.message}</p>;
  if (state.status !== 'unreadable') return null;
  const { message, remedy } = state.problem;
  return <p className={`${layout.trouble} ${styles.trouble}`}>{[message, remedy].filter(Boolean).join(' ')}</p>;
}

/** Known from the sign-in itself, and for the open profile from its workspace. */
function whoIs({ name, state }: Account, { profile, warehouse }: DesktopState): string {
  if (profile === name && warehouse.status === 'known') return warehouse.effective.user.userName;
  return state.status === 'signed-in' ? (state.userName ?? '') : '';
}

interface ConfirmSignOutProps {
  profile: string | null;
  onClose(): void;
  /** Called with whether the workspace has confirmed it. */
  onSignedOut(outcome: { profile: string; revoked: boolean }): void;
}

/** Says what signing out ends, then does it. */
function ConfirmSignOut({ profile, onClose, onSignedOut }: ConfirmSignOutProps) {
  const queries = useQueryClient();
  const shown = usePrevious(profile) ?? '';
  const signOut = async () => {
    const { revoked } = await unwrap(window.causeway.request.signOut({ profile: shown }));
    await queries.invalidateQueries({ queryKey: ['accounts'] });
    onSignedOut({ profile: shown, revoked });
  };
  return (
    <ConfirmDialog
      opened={profile !== null}
      title={`Sign out of ${shown}?`}
      verb="Sign out"
      isGrave
      act={signOut}
      onClose={onClose}
    >
      <p>The AI clients on this computer lose their way to this workspace until somebody signs in again.</p>
    </ConfirmDialog>
  );
}
