import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Account } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import { Dialog } from '../shared/dialog.tsx';
import { Form, TextField } from '../shared/form.tsx';
import { Managed } from '../shared/managed.tsx';
import { strings as shared } from '../shared/strings.ts';
import { toast } from '../shared/toast.tsx';
import { useDesktopState } from '../shared/use-desktop-state.ts';
import { usePrevious } from '../shared/use-last.ts';
import { strings } from './strings.ts';

/** A profile's name and the URL of its workspace. */
export function EditAccount({ account, onClose }: { account: Account | null; onClose(): void }) {
  const shown = usePrevious(account);
  return (
    <Dialog opened={account !== null} onClose={onClose} title={strings.edit.title(shown?.name ?? '')}>
      {shown && <EditForm key={shown.name} account={shown} onClose={onClose} />}
    </Dialog>
  );
}

function EditForm({ account: { name, host }, onClose }: { account: Account; onClose(): void }) {
  const { request } = window.causeway;
  const { managed } = useDesktopState();
  const queries = useQueryClient();
  const [newName, setName] = useState(name);
  const [newHost, setHost] = useState(host ?? '');
  const wanted = { name: newName.trim(), host: newHost.trim() };
  const moves = wanted.host !== '' && wanted.host !== host;
  const renames = wanted.name !== '' && wanted.name !== name;
  const saving = useMutation({
    // The workspace is asked first: nothing has changed if it does not answer.
    mutationFn: async () => {
      if (moves) await unwrap(request.changeAccountAddress({ profile: name, host: wanted.host }));
      if (renames) await unwrap(request.renameAccount({ profile: name, name: wanted.name }));
    },
    onSuccess: () => {
      toast(strings.edit.done(wanted.name));
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['accounts'] }),
  });
  return (
    <Form
      onSubmit={() => saving.mutate()}
      error={saving.error}
      actions={
        <>
          <Button variant="default" onClick={onClose}>
            {shared.cancel}
          </Button>
          <Button type="submit" disabled={!moves && !renames} loading={saving.isPending}>
            {strings.edit.verb}
          </Button>
        </>
      }
    >
      <Managed managed={managed} by={['workspaces']} />
      <TextField
        label={strings.edit.name}
        description={strings.edit.nameHint}
        value={newName}
        onChange={setName}
        data-autofocus
      />
      <TextField label={strings.edit.url} description={strings.edit.urlHint} value={newHost} onChange={setHost} />
    </Form>
  );
}
