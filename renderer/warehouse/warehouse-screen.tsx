import { Skeleton } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import type { DesktopState, Failure, SignInStep } from '../../preload/contract.ts';
import { AddWorkspace } from '../accounts/add-workspace.tsx';
import { Card } from '../shared/card.tsx';
import { Icon } from '../shared/icon.tsx';
import layout from '../shared/layout.module.css';
import { Notice } from '../shared/notice.tsx';
import { ScreenTitle } from '../shared/screen-head.tsx';
import { WaitingForBrowser } from '../shared/waiting-for-browser.tsx';
import { titleOf } from './format.ts';
import { KnownWarehouse } from './known-warehouse.tsx';
import { CheckAgain, NextStep } from './next-step.tsx';
import { strings } from './strings.ts';
import styles from './warehouse.module.css';

/** The screen that the window opens on: which warehouse this user's queries run on, why, and how to change it. */
export function WarehouseScreen({ state }: { state: DesktopState }) {
  const { warehouse, servers } = state;
  switch (warehouse.status) {
    case 'loading':
      return <Loading />;
    case 'signing-in':
      return <SigningIn profile={state.profile ?? ''} signIn={warehouse} />;
    case 'unconfigured':
      return <Unconfigured />;
    case 'failed':
      return <FailureScreen failure={warehouse.failure} state={state} />;
    case 'known':
      return <KnownWarehouse known={warehouse} verification={state.verification} servers={servers} />;
  }
}

/** No answer could be had: what happened, what to do, and the next step as a button. */
function FailureScreen({ failure, state }: { failure: Failure; state: DesktopState }) {
  return (
    <div className={layout.screen}>
      <ScreenTitle>{titleOf(failure)}</ScreenTitle>
      <Notice {...failure.problem}>
        <NextStep failure={failure} others={state.profiles.filter((name) => name !== state.profile)} />
      </Notice>
    </div>
  );
}

const CARDS = ['verification', 'history'];
const ROWS = ['override', 'default', 'fallback'];

/** Placeholders for the answer while it loads, in its shape. */
function Loading() {
  return (
    <div className={layout.sections} aria-busy>
      <section className={styles.answer}>
        <div className={styles.head}>
          <div className={styles.said}>
            <h1 tabIndex={-1}>
              <span className={styles.lead}>{strings.lead}</span>
              <Skeleton component="span" display="block" width={240} height={24} my={4} />
            </h1>
            <div className={styles.details}>
              <Skeleton width={256} height={14} my={5} />
            </div>
          </div>
          <div className={layout.actions}>
            <Skeleton width={176} height={32} />
            <Skeleton width={28} height={28} />
          </div>
        </div>
      </section>
      <Card title={strings.why.title} isFlush>
        {ROWS.map((row) => (
          <div key={row} className={layout.row}>
            <Skeleton width="70%" height={14} my={3} />
          </div>
        ))}
      </Card>
      <div className={layout.columns}>
        {CARDS.map((card) => (
          <Card key={card}>
            <Skeleton width="40%" height={14} />
            <Skeleton width="90%" height={14} />
            <Skeleton width="75%" height={14} />
          </Card>
        ))}
      </div>
      <p className={layout.unseen} role="status">
        {strings.loading}
      </p>
    </div>
  );
}

/** Nothing to open yet, and the one form that leads on. */
function Unconfigured() {
  const { title, text } = strings.unconfigured;
  return (
    <div className={`${layout.screen} ${styles.narrow}`}>
      <ScreenTitle>{title}</ScreenTitle>
      <Card>
        <p className={styles.intro}>
          <Icon of={IconPlugConnected} size="navigation" />
          {text}
        </p>
        <AddWorkspace existingNames={[]} />
      </Card>
      <div>
        <CheckAgain look="quiet" label={strings.refreshProfiles} />
      </div>
    </div>
  );
}

/** A sign-in in progress in the browser. */
function SigningIn({ profile, signIn }: { profile: string; signIn: SignInStep }) {
  const { host, user, step, address } = signIn;
  return (
    <div className={`${layout.screen} ${styles.narrow}`}>
      <ScreenTitle>{strings.signIn}</ScreenTitle>
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
