import { Button } from '@mantine/core';
import { IconServer } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { Failure, WarehouseState } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import { Card } from '../shared/card.tsx';
import { Icon } from '../shared/icon.tsx';
import layout from '../shared/layout.module.css';
import { RelativeTime } from '../shared/relative-time.tsx';
import { showScreen } from '../shared/screen.ts';
import { strings } from './strings.ts';
import styles from './warehouse.module.css';

interface NextStepProps {
  failure: Failure;
  others: readonly string[];
  /** Whether there is an answer besides, with a primary action of its own. */
  isBesideAnswer?: boolean;
}

/** What leads on from a failure, as buttons: main has decided which. */
export function NextStep({ failure, others, isBesideAnswer = false }: NextStepProps) {
  const { request } = window.causeway;
  const look = isBesideAnswer ? 'default' : 'filled';
  switch (failure.next) {
    case 'sign-in':
      return (
        <Button variant={look} onClick={() => void request.signIn()}>
          {strings.signInButton}
        </Button>
      );
    case 'try-again':
      return <CheckAgain look={look} label={strings.tryAgain} />;
    case 'choose-profile':
      return (
        <>
          {others.map((profile) => (
            <Button key={profile} variant="default" onClick={() => void request.chooseProfile({ profile })}>
              {strings.openProfile(profile)}
            </Button>
          ))}
        </>
      );
  }
}

/** What comes next until there is a server. */
export function NoServers() {
  const { title, text, add } = strings.noServers;
  return (
    <Card>
      <div className={`${layout.head} ${styles.next}`}>
        <Icon of={IconServer} size="navigation" />
        <div className={styles.nextText}>
          <h2>{title}</h2>
          <p className={layout.quiet}>{text}</p>
        </div>
        <Button variant="default" onClick={() => showScreen('servers')}>
          {add}
        </Button>
      </div>
    </Card>
  );
}

/** The age of the answer, and the button that reads it again. */
export function Checked({ known }: { known: Extract<WarehouseState, { status: 'known' }> }) {
  return (
    <div className={styles.checked}>
      <span>
        {strings.checked} <RelativeTime at={known.checkedAt} />
      </span>
      <CheckAgain look="quiet" label={strings.refresh} />
    </div>
  );
}

/** Quiet beneath an answer, the one primary action if there is none. */
export function CheckAgain({ look, label }: { look: 'quiet' | 'default' | 'filled'; label: string }) {
  const check = useMutation({ mutationFn: () => unwrap(window.causeway.request.checkAgain()) });
  const quiet = { variant: 'transparent', size: 'compact-sm', className: styles.link };
  return (
    <Button
      {...(look === 'quiet' ? quiet : { variant: look })}
      loading={check.isPending}
      onClick={() => check.mutate()}
    >
      {label}
    </Button>
  );
}
