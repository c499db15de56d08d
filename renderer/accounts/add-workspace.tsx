import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '../shared/answered.ts';
import { Dialog } from '../shared/dialog.tsx';
import { Form, TextField } from '../shared/form.tsx';
import { Managed } from '../shared/managed.tsx';
import { showScreen } from '../shared/screen.ts';
import { strings as shared } from '../shared/strings.ts';
import { useDesktopState } from '../shared/use-desktop-state.ts';
import { suggestedName } from './format.ts';
import { strings } from './strings.ts';

interface AddWorkspaceDialogProps {
  opened: boolean;
  existingNames: readonly string[];
  onClose(): void;
}

/** The dialog that adds a workspace by its URL. */
export function AddWorkspaceDialog({ opened, existingNames, onClose }: AddWorkspaceDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={strings.addWorkspace.title}>
      <AddWorkspace existingNames={existingNames} onCancel={onClose} />
    </Dialog>
  );
}

/** The form that adds a workspace by its URL, and continues to signing in to it. */
export function AddWorkspace({ existingNames, onCancel }: { existingNames: readonly string[]; onCancel?: () => void }) {
  const { request } = window.causeway;
  const queries = useQueryClient();
  const { managed } = useDesktopState();
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
              {shared.cancel}
            </Button>
          )}
          <Button type="submit" disabled={host.trim() === '' || name.trim() === ''} loading={adding.isPending}>
            {strings.addWorkspace.verb}
          </Button>
        </>
      }
    >
      <Managed managed={managed} by={['workspaces']} />
      <TextField
        label={strings.addWorkspace.url}
        description={strings.addWorkspace.urlHint}
        value={host}
        onChange={setHost}
        data-autofocus
      />
      <TextField
        label={strings.addWorkspace.name}
        description={strings.addWorkspace.nameHint}
        value={name}
        onChange={setOwnName}
      />
    </Form>
  );
}
