import { Button, PasswordInput, Skeleton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { OAuthApplicationChange, OAuthApplicationState } from '../../preload/contract.ts';
import { answered } from '../shared/answered.ts';
import { Form, TextField } from '../shared/form.tsx';
import layout from '../shared/layout.module.css';
import { FailureNotice } from '../shared/notice.tsx';
import { portIn, scopesIn } from './words.ts';

/** The OAuth application that a workspace's sign-ins go through: the built-in one, unless an administrator has made one. */
export function OAuthApplication({ profile, onClose }: { profile: string; onClose(): void }) {
  const { data, error } = useQuery({
    queryKey: ['oauth-application', profile],
    queryFn: () => answered(window.causeway.request.getOAuthApplication({ profile })),
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
      answered(window.causeway.request.setOAuthApplication({ profile, application })),
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
