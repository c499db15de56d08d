import { Button, Modal, Skeleton } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Account, DesktopState } from '../../preload/contract.ts';
import { answered } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { FailureNotice, InSight, Notice } from '../shared/notice.tsx';
import { ScreenHead } from '../shared/screen-head.tsx';
import { AccountRow } from './account-row.tsx';
import { AddWorkspace } from './add-workspace.tsx';
import { ConfirmSignOut } from './confirm-sign-out.tsx';
import { EditAccount } from './edit-account.tsx';

/** The profiles of this computer: who is signed in where, and the ways in and out. */
export function AccountsScreen({ state }: { state: DesktopState }) {
  const [adding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<string | null>(null);
  const [editing, setEditing] = useState<Account | null>(null);
  const [left, setLeft] = useState<{ profile: string; revoked: boolean } | null>(null);
  const accounts = useQuery({
    // Whoever signs in or adds a profile changes one of these.
    queryKey: ['accounts', state.profile, state.profiles, state.warehouse.status, state.otherSignIns.length],
    queryFn: () => answered(window.causeway.request.listAccounts()),
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
        <AddWorkspace taken={names} onCancel={() => setAdding(false)} />
      </Modal>
      <EditAccount account={editing} onClose={() => setEditing(null)} />
      <ConfirmSignOut profile={leaving} onClose={() => setLeaving(null)} onSignedOut={setLeft} />
    </div>
  );
}
