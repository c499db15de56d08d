import { Button, Loader } from '@mantine/core';
import { formatHost } from '../../preload/format.ts';
import { useAnswer } from '../shared/answered.ts';
import { Card } from '../shared/card.tsx';
import { Notice } from '../shared/notice.tsx';
import { WaitingForBrowser } from '../shared/waiting-for-browser.tsx';
import { failureIn } from './connection.ts';
import styles from './first-run.module.css';
import { StepPage } from './step-page.tsx';
import { strings } from './strings.ts';
import type { StepProps } from './use-progress.ts';

const { signIn: texts } = strings;

/** Waits for the sign-in in the browser; it is skipped if nobody has to sign in. */
export function SignInStep({ state, progress: { now, change, connect } }: StepProps) {
  const { profile, isNew } = now;
  const accounts = useAnswer(['first-run-accounts', profile], () => window.causeway.request.listAccounts());
  const host = accounts.data?.find(({ name }) => name === profile)?.host ?? now.url;
  const failure = failureIn(state, profile);
  return (
    <StepPage
      title={texts.title}
      lead={texts.lead}
      footer={
        <>
          <Button variant="subtle" onClick={() => change({ step: 'workspace' })}>
            {isNew ? texts.editUrl : texts.chooseAnother}
          </Button>
          {failure && profile !== null && <Button onClick={() => connect(profile)}>{failure.retry}</Button>}
        </>
      }
    >
      {failure ? (
        <Notice {...failure.problem} />
      ) : (
        <Card>
          <Connecting state={state} profile={profile} host={host} />
        </Card>
      )}
    </StepPage>
  );
}

interface ConnectingProps extends Pick<StepProps, 'state'> {
  profile: string | null;
  host: string;
}

function Connecting({ state: { warehouse, profile: open }, profile, host }: ConnectingProps) {
  if (warehouse.status !== 'signing-in' || profile === null || open !== profile) {
    return (
      <div className={styles.waiting} role="status">
        <Loader size={20} aria-hidden />
        {texts.connecting(formatHost(host))}
      </div>
    );
  }
  return (
    <WaitingForBrowser
      of={{ profile }}
      host={host}
      user={null}
      address={warehouse.address}
      step={warehouse.step}
      onCancel={() => void window.causeway.request.cancelSignIn()}
    />
  );
}
