import { Button, Modal, PasswordInput, Skeleton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Account, OAuthApplicationChange, OAuthApplicationState } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import { Form, TextField } from '../shared/form.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice } from '../shared/notice.tsx';
import { usePrevious } from '../shared/use-last.ts';
import styles from './accounts.module.css';
import { portIn, scopesIn, signsInByBrowser } from './format.ts';

/** A profile's name, the OAuth application of its workspace, and its removal. */
export function EditAccount({ account, onClose }: { account: Account | null; onClose(): void }) {
  const shown = usePrevious(account);
  return (
    <Modal opened={account !== null} onClose={onClose} title={`Edit ${shown?.name ?? ''}`}>
      {shown && <Parts key={shown.name} account={shown} onClose={onClose} />}
    </Modal>
  );
}

function Parts({ account, onClose }: { account: Account; onClose(): void }) {
  const queries = useQueryClient();
  const onChanged = async () => {
    await queries.invalidateQueries({ queryKey: ['accounts'] });
    onClose();
  };
  return (
    <div className={styles.parts}>
      <Rename account={account} onRenamed={onChanged} />
      {signsInByBrowser(account) && <OAuthApplicationForm profile={account.name} onClose={onClose} />}
      <Remove account={account} onRemoved={onChanged} />
    </div>
  );
}

function Rename({ account: { name }, onRenamed }: { account: Account; onRenamed(): Promise<void> }) {
  const [wanted, setWanted] = useState(name);
  const renaming = useMutation({
    mutationFn: () => unwrap(window.causeway.request.renameAccount({ profile: name, name: wanted.trim() })),
    onSuccess: onRenamed,
  });
  const isOther = wanted.trim() !== '' && wanted.trim() !== name;
  return (
    <Form
      onSubmit={() => renaming.mutate()}
      error={renaming.error}
      actions={
        <Button type="submit" variant="default" disabled={!isOther} loading={renaming.isPending}>
          Rename
        </Button>
      }
    >
      <TextField
        label="Name"
        description="AI clients that were set up with the old name have to be set up again."
        value={wanted}
        onChange={setWanted}
        data-autofocus
      />
    </Form>
  );
}

function Remove({ account: { name, state }, onRemoved }: { account: Account; onRemoved(): Promise<void> }) {
  const [sure, setSure] = useState(false);
  const removing = useMutation({
    mutationFn: () => unwrap(window.causeway.request.removeAccount({ profile: name })),
    onSuccess: onRemoved,
  });
  const ends = state.status === 'signed-in' ? ' Its sign-in ends.' : '';
  return (
    <section aria-label="Remove" className={layout.stack}>
      <h2>Remove</h2>
      <p className={layout.quiet}>
        The profile goes from the configuration file, for the Databricks tools too.{ends} The file as it was stays
        beside it.
      </p>
      <ActionFailure error={removing.error} />
      <div className={layout.closing}>
        {sure && (
          <Button variant="default" onClick={() => setSure(false)}>
            Keep it
          </Button>
        )}
        <Button
          variant={sure ? 'filled' : 'default'}
          loading={removing.isPending}
          onClick={() => (sure ? removing.mutate() : setSure(true))}
        >
          {sure ? `Remove ${name}` : 'Remove…'}
        </Button>
      </div>
    </section>
  );
}

/** The OAuth application that a workspace's sign-ins go through: the built-in one, unless an administrator has made one. */
function OAuthApplicationForm({ profile, onClose }: { profile: string; onClose(): void }) {
  const { data, error } = useQuery({
    queryKey: ['oauth-application', profile],
    queryFn: () => unwrap(window.causeway.request.getOAuthApplication({ profile })),
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <section aria-label="OAuth application" className={layout.stack}>
      <h2>OAuth application</h2>
      <p className={layout.quiet}>
        Only where your account’s administrator has made one for you: otherwise the built-in one is used. It counts for
        the whole workspace, from the next sign-in on.
      </p>
      <FailureNotice error={error} />
      {data === undefined && !error && <Skeleton height={120} />}
      {data !== undefined && <ApplicationForm profile={profile} present={data} onClose={onClose} />}
    </section>
  );
}

function ApplicationForm({
  profile,
  present,
  onClose,
}: {
  profile: string;
  present: OAuthApplicationState;
  onClose(): void;
}) {
  const [clientId, setClientId] = useState(present?.clientId ?? '');
  const [secret, setSecret] = useState('');
  const [port, setPort] = useState(present?.callbackPort?.toString() ?? '');
  const [scopes, setScopes] = useState(present?.scopes?.join(' ') ?? '');
  const callbackPort = portIn(port);
  const saving = useMutation({
    mutationFn: (application: OAuthApplicationChange) =>
      unwrap(window.causeway.request.setOAuthApplication({ profile, application })),
    onSuccess: onClose,
  });
  const save = () => {
    if (callbackPort === undefined) return;
    const sameClient = present?.clientId === clientId.trim();
    saving.mutate({
      clientId: clientId.trim(),
      callbackPort,
      scopes: scopesIn(scopes),
      secret: secret ? { value: secret } : sameClient && present?.hasSecret ? 'keep' : 'none',
    });
  };
  return (
    <Form
      onSubmit={save}
      error={saving.error}
      actions={
        <>
          {present !== null && (
            <Button variant="default" onClick={() => saving.mutate(null)}>
              Use the built-in one
            </Button>
          )}
          <Button
            type="submit"
            variant="default"
            disabled={clientId.trim() === '' || callbackPort === undefined}
            loading={saving.isPending}
          >
            Use this application
          </Button>
        </>
      }
    >
      <TextField label="Client id" value={clientId} onChange={setClientId} />
      <PasswordInput
        label="Client secret"
        description={
          present?.hasSecret ? 'There is one. Type another to replace it.' : 'Only if the application has one.'
        }
        value={secret}
        onChange={({ currentTarget }) => setSecret(currentTarget.value)}
        autoComplete="off"
        visibilityToggleButtonProps={{ tabIndex: 0, 'aria-label': 'Show the secret' }}
      />
      <TextField
        label="Port of its redirect address"
        description="Empty for any of 8020 to 8040."
        value={port}
        error={callbackPort === undefined ? 'A port is a number from 1 to 65535.' : null}
        onChange={setPort}
        inputMode="numeric"
      />
      <TextField
        label="Scopes"
        description="Separated by spaces. Empty for the usual ones."
        value={scopes}
        onChange={setScopes}
      />
    </Form>
  );
}
