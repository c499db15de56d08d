import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ConfiguredServer } from '../../preload/contract.ts';
import { needsAttention } from '../../preload/format.ts';
import { unwrap } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { ActionFailure } from '../shared/notice.tsx';
import { showScreen } from '../shared/screen.ts';
import dot from '../shared/state-dot.module.css';
import { formatSoon, leadsToWorkspace, passesByItself } from './format.ts';
import styles from './servers.module.css';

/** How a server is: a shape and a word. */
export function ServerState({ server: { state } }: { server: ConfiguredServer }) {
  return (
    <span className={styles.state} role="status">
      <span aria-hidden className={dot.dot} data-look={lookOf(state)} />
      {state.label}
    </span>
  );
}

/** The user's own choice, and no trouble. */
const SIGNED_OUT: ReadonlySet<ConfiguredServer['state']['status']> = new Set([
  'signed-out',
  'service-signed-out',
] as const);

function lookOf(state: ConfiguredServer['state']): 'running' | 'changing' | 'gone' {
  if (state.status === 'ready') return 'running';
  return needsAttention(state) && !SIGNED_OUT.has(state.status) ? 'gone' : 'changing';
}

/** When a server is asked again by itself, where that may help. */
export function TriesAgain({ server: { state } }: { server: ConfiguredServer }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(ticking);
  }, []);
  if (state.retryAt === null || !passesByItself(state)) return null;
  return <span className={layout.quiet}>Causeway tries again {formatSoon(state.retryAt - now)}.</span>;
}

/** The steps that lead on from how a server is, as buttons; nothing where all is well. */
export function ServerRemedy({ server }: { server: ConfiguredServer }) {
  const { request } = window.causeway;
  const { name, profile, state } = server;
  const signingIn = useMutation({ mutationFn: () => unwrap(request.signInToService({ name })) });
  const checking = useMutation({ mutationFn: () => unwrap(request.checkServer({ name })) });
  return (
    <span className={layout.actions}>
      {state.action === 'sign-in-to-service' && (
        <Button
          size="compact-sm"
          variant="default"
          loading={signingIn.isPending}
          aria-label={`Sign in to ${server.service ?? name}, for ${name}`}
          onClick={() => signingIn.mutate()}
        >
          Sign in to {server.service ?? name}
        </Button>
      )}
      {signingIn.error && <ActionFailure error={signingIn.error} />}
      {state.action === 'sign-in' && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Sign in to ${profile}`}
          onClick={() => void request.signInTo({ profile })}
        >
          Sign in
        </Button>
      )}
      {leadsToWorkspace(state) && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Open the workspace of ${name}`}
          onClick={() => void request.openWorkspaceOf({ name })}
        >
          Open the workspace
        </Button>
      )}
      {state.action === 'accounts' && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Accounts, for ${profile}`}
          onClick={() => showScreen('accounts')}
        >
          Accounts
        </Button>
      )}
      {(state.action === 'check-again' || state.action === 'accounts') && (
        <Button
          size="compact-sm"
          variant="default"
          loading={checking.isPending}
          aria-label={`Try again: ${name}`}
          onClick={() => checking.mutate()}
        >
          Try again
        </Button>
      )}
    </span>
  );
}
