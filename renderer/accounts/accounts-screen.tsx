import { Button } from '@mantine/core';
import { IconBuildingCommunity, IconPlus } from '@tabler/icons-react';
import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { DesktopState } from '../../preload/contract.ts';
import { EmptyState } from '../shared/empty-state.tsx';
import { Icon } from '../shared/icon.tsx';
import layout from '../shared/layout.module.css';
import { Managed } from '../shared/managed.tsx';
import { FailureNotice, InSight, Notice } from '../shared/notice.tsx';
import { ScreenHead } from '../shared/screen-head.tsx';
import { SkeletonRows } from '../shared/skeleton-rows.tsx';
import { strings as shared } from '../shared/strings.ts';
import { type AccountDialog, AccountRow } from './account-row.tsx';
import { AddWorkspaceDialog } from './add-workspace.tsx';
import { ConfirmRemove } from './confirm-remove.tsx';
import { ConfirmSignOut, UNCONFIRMED_KEY } from './confirm-sign-out.tsx';
import { EditAccount } from './edit-account.tsx';
import { EditApplication } from './edit-application.tsx';
import { strings } from './strings.ts';
import { useAccounts } from './use-accounts.ts';

/** The profiles of this computer: who is signed in where, with sign-in and sign-out. */
export function AccountsScreen({ state }: { state: DesktopState }) {
  const [adding, setAdding] = useState(false);
  const [dialog, setDialog] = useState<AccountDialog | null>(null);
  const accounts = useAccounts(state);
  const names = (accounts.data ?? []).map(({ name }) => name);
  const close = () => setDialog(null);
  const subject = (about: AccountDialog['about']) => (dialog?.about === about ? dialog.account : null);
  return (
    <div className={layout.screen}>
      <ScreenHead title={strings.title}>
        <Button leftSection={<Icon of={IconPlus} />} onClick={() => setAdding(true)}>
          {strings.add}
        </Button>
      </ScreenHead>
      <Managed managed={state.managed} by={['workspaces', 'oauthApplication', 'tokenStore']} />
      <Unconfirmed />
      <FailureNotice error={accounts.error} onRetry={accounts.refetch} />
      {accounts.isPending && <SkeletonRows count={5} />}
      {accounts.data?.length === 0 && (
        <EmptyState icon={IconBuildingCommunity} title={strings.empty.title} text={strings.empty.text} />
      )}
      {accounts.data && accounts.data.length > 0 && (
        <ul className={layout.list} aria-label={strings.list}>
          {accounts.data.map((account) => (
            <AccountRow
              key={account.name}
              account={account}
              state={state}
              onDialog={(about) => setDialog({ about, account })}
            />
          ))}
        </ul>
      )}
      <AddWorkspaceDialog opened={adding} existingNames={names} onClose={() => setAdding(false)} />
      <EditAccount account={subject('edit')} onClose={close} />
      <EditApplication account={subject('application')} onClose={close} />
      <ConfirmRemove account={subject('remove')} onClose={close} />
      <ConfirmSignOut profile={subject('sign-out')?.name ?? null} onClose={close} />
    </div>
  );
}

/** A sign-out that the workspace has not confirmed, until the user dismisses it. */
function Unconfirmed() {
  const queries = useQueryClient();
  const { data: profile } = useQuery<string | null>({ queryKey: UNCONFIRMED_KEY, queryFn: skipToken });
  if (!profile) return null;
  return (
    <InSight>
      <Notice message={strings.signOut.unconfirmed(profile)} remedy={strings.signOut.unconfirmedRemedy}>
        <Button variant="default" onClick={() => queries.setQueryData(UNCONFIRMED_KEY, null)}>
          {shared.dismiss}
        </Button>
      </Notice>
    </InSight>
  );
}
