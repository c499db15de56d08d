import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import type { ConfiguredServer } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { ActionFailure } from '../shared/notice.tsx';
import { showScreen } from '../shared/screen.ts';
import { toast } from '../shared/toast.tsx';
import { useJob } from '../shared/use-job.ts';
import { ConfirmApp } from './confirm-app.tsx';
import { leadsToWorkspace } from './format.ts';
import { strings } from './strings.ts';

const texts = strings.remedies;

/** The steps that lead on from how a server is, as buttons; nothing if all is well. */
export function ServerRemedy({ server }: { server: ConfiguredServer }) {
  const { request } = window.causeway;
  const { name, state } = server;
  const checking = useMutation({ mutationFn: () => unwrap(request.checkServer({ name })) });
  const [isStarting, setStarting] = useState(false);
  const canCheck = ['check-again', 'accounts', 'open-page'].includes(state.action ?? '');
  return (
    <span className={layout.actions}>
      {(state.action === 'start-app' || isStarting) && <StartApp server={server} onBusy={setStarting} />}
      {leadsToWorkspace(state) && (
        <Step label={texts.openWorkspaceOf(name)} onClick={() => void request.openWorkspaceOf({ name })}>
          {texts.openWorkspace}
        </Step>
      )}
      <ActionStep server={server} />
      {canCheck && !isStarting && (
        <Step label={texts.tryAgainFor(name)} isBusy={checking.isPending} onClick={() => checking.mutate()}>
          {texts.tryAgain}
        </Step>
      )}
    </span>
  );
}

/** The step of one click that the state itself names. */
function ActionStep({ server }: { server: ConfiguredServer }) {
  const { name, profile, state } = server;
  switch (state.action) {
    case 'sign-in-to-service':
      return <SignInToService server={server} />;
    case 'open-page':
      return <OpenPage name={name} />;
    case 'confirm-app':
      return <ReviewAddress server={server} />;
    case 'sign-in':
      return (
        <Step label={texts.signInTo(profile)} onClick={() => void window.causeway.request.signInTo({ profile })}>
          {texts.signIn}
        </Step>
      );
    case 'accounts':
      return (
        <Step label={texts.accountsFor(profile)} onClick={() => showScreen('accounts')}>
          {texts.accounts}
        </Step>
      );
    default:
      return null;
  }
}

interface StepProps {
  /** Says of which server, for those who hear the buttons of a list. */
  label: string;
  isBusy?: boolean;
  onClick(): void;
  children: ReactNode;
}

function Step({ label, isBusy = false, onClick, children }: StepProps) {
  return (
    <Button size="compact-sm" variant="default" aria-label={label} loading={isBusy} onClick={onClick}>
      {children}
    </Button>
  );
}

/** Opens the page on which the user signs in to what is behind a service. */
function SignInToService({ server: { name, service } }: { server: ConfiguredServer }) {
  const title = service ?? name;
  const signingIn = useMutation({ mutationFn: () => unwrap(window.causeway.request.signInToService({ name })) });
  return (
    <>
      <Step label={texts.signInFor(title, name)} isBusy={signingIn.isPending} onClick={() => signingIn.mutate()}>
        {texts.signInTo(title)}
      </Step>
      <ActionFailure error={signingIn.error} />
    </>
  );
}

/** The same for a user whose token cannot sign in: the link, for a browser in which they are signed in. */
function OpenPage({ name }: { name: string }) {
  const { request } = window.causeway;
  const opening = useMutation({ mutationFn: () => unwrap(request.openServicePage({ name })) });
  const copying = useMutation({
    mutationFn: () => unwrap(request.copyServer({ name, what: 'sign-in-page' })),
    onSuccess: () => toast(texts.linkCopied, 'clipboard'),
  });
  return (
    <>
      <Step label={texts.openPageOf(name)} isBusy={opening.isPending} onClick={() => opening.mutate()}>
        {texts.openPage}
      </Step>
      <Step label={texts.copyLinkOf(name)} onClick={() => copying.mutate()}>
        {texts.copyLink}
      </Step>
      <ActionFailure error={opening.error ?? copying.error} />
    </>
  );
}

/** Shows where an app is, and lets the user confirm it. */
function ReviewAddress({ server: { name, title } }: { server: ConfiguredServer }) {
  const [isReviewing, setReviewing] = useState(false);
  return (
    <>
      <Step label={texts.confirmAppOf(name)} onClick={() => setReviewing(true)}>
        {texts.confirmApp}
      </Step>
      <ConfirmApp
        opened={isReviewing}
        app={title}
        source={{ server: name }}
        onConfirm={async ({ origin }) => {
          await unwrap(window.causeway.request.confirmApp({ name, origin }));
          toast(strings.app.confirmed(title));
        }}
        onClose={() => setReviewing(false)}
      />
    </>
  );
}

/** Starts an app, and says how it continues until it runs. */
function StartApp({
  server: { name, title },
  onBusy,
}: {
  server: ConfiguredServer;
  /** The server's state changes on the way: this stays until it is done. */
  onBusy(isBusy: boolean): void;
}) {
  const work = useJob();
  const [job, setJob] = useState('');
  const starting = useMutation({
    mutationFn: () => {
      const id = work.begin();
      setJob(id);
      onBusy(true);
      return unwrap(window.causeway.request.startApp({ job: id, name }));
    },
    onSuccess: () => toast(texts.appStarted(title)),
    onSettled: () => onBusy(false),
  });
  if (!starting.isPending)
    return (
      <>
        <Step label={texts.startAppOf(name)} onClick={() => starting.mutate()}>
          {texts.startApp}
        </Step>
        <ActionFailure error={starting.error} />
      </>
    );
  return (
    <>
      <Step label={texts.cancelStart(name)} onClick={work.cancel}>
        {texts.cancel}
      </Step>
      <StartProgress job={job} />
    </>
  );
}

function StartProgress({ job }: { job: string }) {
  const [progress, setProgress] = useState<string>(texts.startingApp);
  useEffect(
    () =>
      window.causeway.on.toolProgress((event) => {
        if (event.job === job) setProgress(event.words);
      }),
    [job],
  );
  return (
    <span role="status" className={layout.quiet}>
      {progress}
    </span>
  );
}
