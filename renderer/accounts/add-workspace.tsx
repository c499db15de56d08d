import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answered, problemIn } from '../shared/answered.ts';
import { Notice } from '../shared/notice.tsx';
import { showScreen } from '../shared/screen.ts';
import styles from './accounts.module.css';
import { suggestedName } from './words.ts';

/** The form that adds a workspace by its address, and goes on to signing in to it. */
export function AddWorkspace({ taken, onCancel }: { taken: readonly string[]; onCancel?: () => void }) {
  const { request } = window.causeway;
  const queries = useQueryClient();
  const [host, setHost] = useState('');
  const [ownName, setOwnName] = useState<string | null>(null);
  const name = ownName ?? suggestedName(host, taken);
  const adding = useMutation({
    mutationFn: () => answered(request.addAccount({ profile: name.trim(), host })),
    onSuccess: () => {
      // The new workspace is what the person wants to see next. The state shows how the sign-in goes; nothing here waits.
      void request.chooseProfile({ profile: name.trim() }).then(() => request.signIn());
      void queries.invalidateQueries({ queryKey: ['accounts'] });
      showScreen('warehouse');
      onCancel?.();
    },
  });
  const add = (event: FormEvent) => {
    event.preventDefault();
    adding.mutate();
  };
  return (
    <form onSubmit={add} className={styles.form}>
      <TextInput
        label="Workspace address"
        description="As your browser shows it, such as https://my-company.cloud.databricks.com"
        value={host}
        onChange={({ currentTarget }) => setHost(currentTarget.value)}
        autoComplete="off"
        data-autofocus
      />
      <TextInput
        label="Name"
        description="What you want to call it here"
        value={name}
        onChange={({ currentTarget }) => setOwnName(currentTarget.value)}
        autoComplete="off"
      />
      {adding.error && <Notice {...problemIn(adding.error)} />}
      <div className={styles.formActions}>
        {onCancel && (
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        )}
        <Button type="submit" disabled={host.trim() === '' || name.trim() === ''} loading={adding.isPending}>
          Add and sign in
        </Button>
      </div>
    </form>
  );
}
