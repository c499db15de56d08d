import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { Failure, WarehouseState } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import { FirstSteps } from '../shared/first-steps.tsx';
import layout from '../shared/layout.module.css';
import { RelativeTime } from '../shared/relative-time.tsx';
import { showScreen } from '../shared/screen.ts';
import styles from './warehouse.module.css';

/** What leads on from a failure, as buttons: main has decided which. */
export function NextStep({ failure, others }: { failure: Failure; others: readonly string[] }) {
  const { request } = window.causeway;
  switch (failure.next) {
    case 'sign-in':
      return <Button onClick={() => void request.signIn()}>Sign in</Button>;
    case 'try-again':
      return <CheckAgain look="primary" label="Try again" />;
    case 'choose-profile':
      return (
        <>
          {others.map((profile) => (
            <Button key={profile} variant="default" onClick={() => void request.chooseProfile({ profile })}>
              Use {profile}
            </Button>
          ))}
        </>
      );
  }
}

/** What comes next for those who have signed in, until there is a server. */
export function TowardsServers() {
  return (
    <section className={`${layout.stack} ${styles.next}`} aria-label="What comes next">
      <FirstSteps step="servers" />
      <p>Next, choose what your AI clients may use of this workspace.</p>
      <div>
        <Button variant="default" onClick={() => showScreen('servers')}>
          Choose servers
        </Button>
      </div>
    </section>
  );
}

/** The age of the answer, and the button that reads it again. */
export function Checked({ known }: { known: Extract<WarehouseState, { status: 'known' }> }) {
  return (
    <div className={styles.checked}>
      <span>
        Checked <RelativeTime at={known.checkedAt} />
      </span>
      <CheckAgain look="quiet" label="Check again" />
    </div>
  );
}

/** Quiet beneath an answer, the one primary action where there is none. */
export function CheckAgain({ look, label }: { look: 'quiet' | 'primary'; label: string }) {
  const check = useMutation({ mutationFn: () => unwrap(window.causeway.request.checkAgain()) });
  const quiet = { variant: 'transparent', size: 'compact-sm', className: styles.link };
  return (
    <Button {...(look === 'quiet' && quiet)} loading={check.isPending} onClick={() => check.mutate()}>
      {label}
    </Button>
  );
}
