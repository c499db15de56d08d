import { Button, Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Account } from '../../preload/contract.ts';
import { answered } from '../shared/answered.ts';
import { Form, TextField } from '../shared/form.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure } from '../shared/notice.tsx';
import { useLast } from '../shared/use-last.ts';
import styles from './accounts.module.css';
import { OAuthApplication } from './oauth-application.tsx';
import { signsInByBrowser } from './words.ts';

/** A profile's name, the OAuth application of its workspace, and the way to be rid of it. */
export function EditAccount({ account, onClose }: { account: Account | null; onClose(): void }) {
  const shown = useLast(account);
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
      {signsInByBrowser(account) && <OAuthApplication profile={account.name} onClose={onClose} />}
      <Remove account={account} onRemoved={onChanged} />
    </div>
  );
}

function Rename({ account: { name }, onRenamed }: { account: Account; onRenamed(): Promise<void> }) {
  const [wanted, setWanted] = useState(name);
  const renaming = useMutation({
    mutationFn: () => answered(window.causeway.request.renameAccount({ profile: name, name: wanted.trim() })),
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
    mutationFn: () => answered(window.causeway.request.removeAccount({ profile: name })),
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
