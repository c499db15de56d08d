import { Button, PasswordInput, Skeleton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Account, OAuthApplicationChange, OAuthApplicationState } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import { Dialog } from '../shared/dialog.tsx';
import { Footer } from '../shared/footer.tsx';
import { Form, TextField } from '../shared/form.tsx';
import layout from '../shared/layout.module.css';
import { isManaged, Managed } from '../shared/managed.tsx';
import { FailureNotice } from '../shared/notice.tsx';
import { strings as shared } from '../shared/strings.ts';
import { toast } from '../shared/toast.tsx';
import { useDesktopState } from '../shared/use-desktop-state.ts';
import { usePrevious } from '../shared/use-last.ts';
import { portIn, scopesIn } from './format.ts';
import { strings } from './strings.ts';

const texts = strings.application;

/** The OAuth application that a workspace's sign-ins go through: the built-in one, unless an administrator has made one. */
export function EditApplication({ account, onClose }: { account: Account | null; onClose(): void }) {
  const shown = usePrevious(account);
  return (
    <Dialog opened={account !== null} onClose={onClose} title={texts.title(shown?.name ?? '')}>
      {shown && <Content key={shown.name} profile={shown.name} onClose={onClose} />}
    </Dialog>
  );
}

function Content({ profile, onClose }: { profile: string; onClose(): void }) {
  const { managed } = useDesktopState();
  const isFixed = isManaged(managed, 'oauthApplication');
  const { data, error, refetch } = useQuery({
    queryKey: ['oauth-application', profile],
    queryFn: () => unwrap(window.causeway.request.getOAuthApplication({ profile })),
    staleTime: 0,
    gcTime: 0,
    enabled: !isFixed,
  });
  if (isFixed) {
    return (
      <div className={layout.stack}>
        <Managed managed={managed} by={['oauthApplication']} />
        <Footer>
          <Button variant="default" data-autofocus onClick={onClose}>
            {shared.close}
          </Button>
        </Footer>
      </div>
    );
  }
  return (
    <>
      <p className={layout.quiet}>
        {texts.text} {texts.scope}
      </p>
      <FailureNotice error={error} onRetry={refetch} />
      {data === undefined && !error && <Skeleton height={240} />}
      {data === undefined && (
        <Footer>
          <Button variant="default" onClick={onClose}>
            {shared.cancel}
          </Button>
        </Footer>
      )}
      {data !== undefined && <ApplicationForm profile={profile} present={data} onClose={onClose} />}
    </>
  );
}

interface ApplicationFormProps {
  profile: string;
  present: OAuthApplicationState;
  onClose(): void;
}

function ApplicationForm({ profile, present, onClose }: ApplicationFormProps) {
  const [clientId, setClientId] = useState(present?.clientId ?? '');
  const [secret, setSecret] = useState('');
  const [port, setPort] = useState(present?.callbackPort?.toString() ?? '');
  const [scopes, setScopes] = useState(present?.scopes?.join(' ') ?? '');
  const callbackPort = portIn(port);
  const saving = useMutation({
    mutationFn: (application: OAuthApplicationChange) =>
      unwrap(window.causeway.request.setOAuthApplication({ profile, application })),
    onSuccess: (_answer, application) => {
      toast(application === null ? texts.cleared : texts.done);
      onClose();
    },
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
          <Button variant="default" onClick={onClose}>
            {shared.cancel}
          </Button>
          {present !== null && (
            <Button variant="default" onClick={() => saving.mutate(null)}>
              {texts.clear}
            </Button>
          )}
          <Button
            type="submit"
            disabled={clientId.trim() === '' || callbackPort === undefined}
            loading={saving.isPending}
          >
            {texts.save}
          </Button>
        </>
      }
    >
      <TextField label={texts.clientId} value={clientId} onChange={setClientId} data-autofocus />
      <PasswordInput
        label={texts.secret}
        description={present?.hasSecret ? texts.secretKept : texts.secretHint}
        value={secret}
        onChange={({ currentTarget }) => setSecret(currentTarget.value)}
        autoComplete="off"
        visibilityToggleButtonProps={{ tabIndex: 0, 'aria-label': texts.showSecret }}
      />
      <TextField
        label={texts.port}
        description={texts.portHint}
        value={port}
        error={callbackPort === undefined ? texts.badPort : null}
        onChange={setPort}
        inputMode="numeric"
      />
      <TextField label={texts.scopes} description={texts.scopesHint} value={scopes} onChange={setScopes} />
    </Form>
  );
}
