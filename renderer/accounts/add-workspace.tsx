import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '../shared/answered.ts';
import { Form, TextField } from '../shared/form.tsx';
import { showScreen } from '../shared/screen.ts';
import { suggestedName } from './format.ts';

/** The form that adds a workspace by its address, and goes on to signing in to it. */
export function AddWorkspace({ existingNames, onCancel }: { existingNames: readonly string[]; onCancel?: () => void }) {
  const { request } = window.causeway;
  const queries = useQueryClient();
  const [host, setHost] = useState('');
  const [ownName, setOwnName] = useState<string | null>(null);
  const name = ownName ?? suggestedName(host, existingNames);
  const adding = useMutation({
    mutationFn: () => unwrap(request.addAccount({ profile: name.trim(), host })),
    onSuccess: () => {
      // The new workspace is opened next. The state shows the progress of the sign-in; nothing here waits.
      void request.chooseProfile({ profile: name.trim() }).then(() => request.signIn());
      void queries.invalidateQueries({ queryKey: ['accounts'] });
      showScreen('warehouse');
      onCancel?.();
    },
  });
  return (
    <Form
      onSubmit={() => adding.mutate()}
      error={adding.error}
      actions={
        <>
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          )}
          <Button type="submit" disabled={host.trim() === '' || name.trim() === ''} loading={adding.isPending}>
            Add and sign in
          </Button>
        </>
      }
    >
      <TextField
        label="Workspace address"
        description="As your browser shows it, such as https://my-company.cloud.databricks.com"
        value={host}
        onChange={setHost}
        data-autofocus
      />
      <TextField label="Name" description="What you want to call it here" value={name} onChange={setOwnName} />
    </Form>
  );
}
