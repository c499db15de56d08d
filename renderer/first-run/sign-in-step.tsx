import { Button, Loader } from '@mantine/core';
import { formatHost } from '../../preload/format.ts';
import { useAnswer } from '../shared/answered.ts';
import { Card } from '../shared/card.tsx';
import { Notice } from '../shared/notice.tsx';
import { WaitingForBrowser } from '../shared/waiting-for-browser.tsx';
import styles from './first-run.module.css';
import { StepPage } from './step-page.tsx';
import { strings } from './strings.ts';
import type { StepProps } from './use-progress.ts';

const { signIn: words } = strings;

/** Waits for the sign-in in the browser; it is skipped if nobody has to sign in. */
export function SignInStep({ state, progress: { now, change, connect } }: StepProps) {
  const { profile, isNew } = now;
  const { warehouse } = state;
  const accounts = useAnswer(['first-run-accounts', profile], () => window.causeway.request.listAccounts());
  const host = accounts.data?.find(({ name }) => name === profile)?.host ?? now.url;
  const isOpen = state.profile === profile;
  const hasFailed = warehouse.status === 'unconfigured' || (isOpen && warehouse.status === 'failed');
  const isSigningIn = isOpen && warehouse.status === 'signing-in';
  const offersSignIn = warehouse.status === 'failed' && warehouse.failure.next === 'sign-in';
  return (
    <StepPage
      title={words.title}
      lead={words.lead}
      footer={
        <>
          <Button variant="subtle" onClick={() => change({ step: 'workspace' })}>
            {isNew ? words.editUrl : words.chooseAnother}
          </Button>
          {hasFailed && profile !== null && (
            <Button onClick={() => connect(profile)}>{offersSignIn ? words.signIn : strings.tryAgain}</Button>
          )}
        </>
      }
    >
      {hasFailed ? (
        <Notice {...(warehouse.status === 'failed' ? warehouse.failure.problem : warehouse.problem)} />
      ) : (
        <Card>
          {isSigningIn && profile !== null ? (
            <WaitingForBrowser
              of={{ profile }}
              host={host}
              user={null}
              address={warehouse.address}
              step={warehouse.step}
              onCancel={() => void window.causeway.request.cancelSignIn()}
            />
          ) : (
            <div className={styles.waiting} role="status">
              <Loader size={20} aria-hidden />
              {words.connecting(formatHost(host))}
            </div>
          )}
        </Card>
      )}
    </StepPage>
  );
}
