import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import type { Account } from '../../preload/contract.ts';
import { answered, problemIn } from '../shared/answered.ts';
import { Notice } from '../shared/notice.tsx';
import styles from './accounts.module.css';
import { OAuthApplication } from './oauth-application.tsx';
import { signsInByBrowser } from './words.ts';

/** A profile's name, the OAuth application of its workspace, and the way to be rid of it. */
export function EditAccount({ account, onClose }: { account: Account | null; onClose(): void }) {
  // The words stay while the dialog fades out.
  const shown = useRef(account);
  if (account !== null) shown.current = account;
  return (
    <Modal opened={account !== null} onClose={onClose} title={`Edit ${shown.current?.name ?? ''}`}>
      {shown.current && <Parts key={shown.current.name} account={shown.current} onClose={onClose} />}
    </Modal>
  );
}

function Parts({ account, onClose }: { account: Account; onClose(): void }) {
  return (
    <div className={styles.parts}>
      <Rename account={account} onClose={onClose} />
      {signsInByBrowser(account) && <OAuthApplication profile={account.name} onClose={onClose} />}
      <Remove account={account} onClose={onClose} />
    </div>
  );
}

function Rename({ account: { name }, onClose }: { account: Account; onClose(): void }) {
  const queries = useQueryClient();
  const [wanted, setWanted] = useState(name);
  const renaming = useMutation({
    mutationFn: () => answered(window.causeway.request.renameAccount({ profile: name, name: wanted.trim() })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['accounts'] });
      onClose();
    },
  });
  const rename = (event: FormEvent) => {
    event.preventDefault();
    renaming.mutate();
  };
  return (
    <form onSubmit={rename} className={styles.form}>
      <TextInput
        label="Name"
        description="AI clients that were set up with the old name have to be set up again."
        value={wanted}
        onChange={({ currentTarget }) => setWanted(currentTarget.value)}
        autoComplete="off"
        data-autofocus
      />
      {renaming.error && <Notice {...problemIn(renaming.error)} />}
      <div className={styles.formActions}>
        <Button
          type="submit"
          variant="default"
          disabled={wanted.trim() === '' || wanted.trim() === name}
          loading={renaming.isPending}
        >
          Rename
        </Button>
      </div>
    </form>
  );
}

function Remove({ account: { name, state }, onClose }: { account: Account; onClose(): void }) {
  const queries = useQueryClient();
  const [sure, setSure] = useState(false);
  const removing = useMutation({
    mutationFn: () => answered(window.causeway.request.removeAccount({ profile: name })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['accounts'] });
      onClose();
    },
  });
  const ends = state.status === 'signed-in' ? ' Its sign-in ends.' : '';
  return (
    <section aria-label="Remove" className={styles.form}>
      <h2>Remove</h2>
      <p className={styles.details}>
        The profile goes from the configuration file, for the Databricks tools too.{ends} The file as it was stays
        beside it.
      </p>
      {removing.error && <Notice {...problemIn(removing.error)} />}
      <div className={styles.formActions}>
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
