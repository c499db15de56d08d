import { Skeleton } from '@mantine/core';
import type { DesktopState, Failure, SignInStep } from '../../preload/contract.ts';
import { AddWorkspace } from '../accounts/add-workspace.tsx';
import { Card } from '../shared/card.tsx';
import { FirstSteps } from '../shared/first-steps.tsx';
import layout from '../shared/layout.module.css';
import { Notice } from '../shared/notice.tsx';
import { ScreenTitle } from '../shared/screen-head.tsx';
import { WaitingForBrowser } from '../shared/waiting-for-browser.tsx';
import { KnownWarehouse } from './known-warehouse.tsx';
import { CheckAgain, NextStep, TowardsServers } from './next-step.tsx';
import { strings } from './strings.ts';
import styles from './warehouse.module.css';

/** The screen that the window opens on: which warehouse this person's queries run on, why, and how to change it. */
export function WarehouseScreen({ state }: { state: DesktopState }) {
  const { warehouse, servers, profiles } = state;
  const isFirstRun = servers.length === 0;
  switch (warehouse.status) {
    case 'loading':
      return <Loading isFirstRun={isFirstRun && profiles.length > 0} />;
    case 'signing-in':
      return <SigningIn profile={state.profile ?? ''} signIn={warehouse} isFirstRun={isFirstRun} />;
    case 'unconfigured':
      return <Unconfigured />;
    case 'failed':
      return <FailureScreen failure={warehouse.failure} state={state} />;
    case 'known':
      return <KnownWarehouse known={warehouse} verification={state.verification} isFirstRun={isFirstRun} />;
  }
}

/** What to say first, by the error's code. */
const TITLES: Record<string, string> = {
  ambiguous: 'Choose a profile',
  cli_unavailable: 'Signed out',
  consent_denied: 'Signing in was refused',
  ip_blocked: 'This network is not allowed',
  permission_denied: 'Not permitted',
  profile_not_found: 'Choose a profile',
  profile_unusable: 'This profile cannot be used',
  sign_in_cancelled: 'Signed out',
  sign_in_failed: 'Signing in failed',
  sign_in_timeout: 'Signing in took too long',
  signed_out: 'Signed out',
  timeout: 'The workspace does not answer',
  tls: 'The connection is not trusted',
  unauthenticated: 'Signed out',
  unreachable: 'The workspace cannot be reached',
};

/** No answer could be had: what happened, what to do, and the next step as a button. */
function FailureScreen({ failure, state }: { failure: Failure; state: DesktopState }) {
  const { problem } = failure;
  return (
    <div className={layout.screen}>
      <ScreenTitle>{TITLES[problem.code] ?? 'The warehouse could not be read'}</ScreenTitle>
      <Notice {...problem}>
        <NextStep failure={failure} others={state.profiles.filter((name) => name !== state.profile)} />
      </Notice>
    </div>
  );
}

/** Placeholders for the answer while it loads, so that the layout does not jump. */
function Loading({ isFirstRun }: { isFirstRun: boolean }) {
  return (
    <div className={layout.sections} aria-busy>
      <section className={styles.answer}>
        <h1 tabIndex={-1}>
          <span className={styles.lead}>Your queries run on</span>
          <Skeleton component="span" display="block" width={240} height={24} my={4} />
        </h1>
        <div className={styles.details}>
          <Skeleton width={192} height={14} />
        </div>
        <div className={styles.details}>
          <Skeleton width={128} height={14} />
        </div>
        <div className={`${layout.actions} ${styles.actions}`}>
          <Skeleton width={96} height={36} />
          <Skeleton width={152} height={36} />
        </div>
      </section>
      {isFirstRun && <TowardsServers />}
      <section>
        <h2>Why</h2>
        <div className={`${layout.list} ${styles.stepsToCome}`}>
          {['override', 'default', 'otherwise'].map((step) => (
            <div key={step} className={layout.row}>
              <Skeleton width="40%" height={14} my={4} />
              <Skeleton width="80%" height={12} my={6} />
            </div>
          ))}
        </div>
      </section>
      <p className={layout.quiet} role="status">
        Asking the workspace…
      </p>
    </div>
  );
}

/** Nothing to open yet: what it takes, and the one form that leads on. */
function Unconfigured() {
  return (
    <div className={layout.screen}>
      <ScreenTitle>No workspace yet</ScreenTitle>
      <FirstSteps step="workspace" />
      <p>
        Causeway needs to know where your Databricks workspace is. Copy its address from your browser; then you sign in
        there, and nothing else is needed.
      </p>
      <AddWorkspace existingNames={[]} />
      <p className={layout.quiet}>
        The address is kept in the file that the Databricks command line uses: a profile made there works here too.
      </p>
      <div>
        <CheckAgain look="quiet" label="Look for a profile again" />
      </div>
    </div>
  );
}

interface SigningInProps {
  profile: string;
  signIn: SignInStep;
  /** There is no server yet. */
  isFirstRun: boolean;
}

/** A sign-in in progress in the browser. */
function SigningIn({ profile, signIn, isFirstRun }: SigningInProps) {
  const { host, user, step, address } = signIn;
  return (
    <div className={layout.screen}>
      <ScreenTitle>{strings.signIn}</ScreenTitle>
      {isFirstRun && <FirstSteps step="sign-in" />}
      <Card>
        <WaitingForBrowser
          of={{ profile }}
          host={host}
          user={user}
          step={step}
          address={address}
          onCancel={() => void window.causeway.request.cancelSignIn()}
        />
      </Card>
    </div>
  );
}
