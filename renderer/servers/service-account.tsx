import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '../shared/answered.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import layout from '../shared/layout.module.css';
import { strings } from './strings.ts';

const texts = strings.page;

/** That the user is signed in to what is behind a service, and the way out. */
export function ServiceAccount({ name, title, status }: { name: string; title: string; status: string }) {
  const { request } = window.causeway;
  const signedIn = useQuery({
    // Asked again where the server's state is another one.
    queryKey: ['service', name, status],
    queryFn: () => unwrap(request.isSignedInToService({ name })),
  });
  const [asking, setAsking] = useState(false);
  if (signedIn.data !== true) return null;
  return (
    <div className={layout.actions}>
      <span>{texts.signedIn(title)}</span>
      <Button size="compact-sm" variant="default" onClick={() => setAsking(true)}>
        {texts.signOut(title)}
      </Button>
      <ConfirmDialog
        opened={asking}
        title={texts.signOutTitle(title)}
        verb={texts.signOutVerb}
        isGrave
        act={() => unwrap(request.signOutOfService({ name }))}
        onClose={() => setAsking(false)}
      >
        <p>{texts.signOutText(title)}</p>
      </ConfirmDialog>
    </div>
  );
}
