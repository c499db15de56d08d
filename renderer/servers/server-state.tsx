import { useEffect, useState } from 'react';
import type { ConfiguredServer, ServerUsageInfo } from '../../preload/contract.ts';
import { hasProblem } from '../../preload/format.ts';
import layout from '../shared/layout.module.css';
import { StateBadge, type StateTone } from '../shared/state-badge.tsx';
import { formatSoon, passesByItself } from './format.ts';
import styles from './servers.module.css';
import { strings } from './strings.ts';

interface ServerStateProps {
  server: ConfiguredServer;
  usage: ServerUsageInfo | undefined;
}

/** How a server is, how many tools it has, and whether its last call failed. */
export function ServerState({ server: { state }, usage }: ServerStateProps) {
  const isReady = state.status === 'ready';
  return (
    <span className={styles.state}>
      <span className={styles.stateLine} role="status">
        <StateBadge tone={toneOf(state)}>{isReady ? strings.running : state.label}</StateBadge>
        {state.tools !== null && (
          <>
            <span className={layout.unseen}>, </span>
            <span className={layout.quiet}>{strings.tools(state.tools)}</span>
          </>
        )}
      </span>
      {isReady && usage?.hasFailedLast && <StateBadge tone="attention">{strings.lastCallFailed}</StateBadge>}
    </span>
  );
}

/** The user's own choice, and no trouble. */
const RESTING: ReadonlySet<string> = new Set(['signed-out', 'service-signed-out']);

function toneOf(state: ConfiguredServer['state']): StateTone {
  if (state.status === 'ready') return 'good';
  if (RESTING.has(state.status) || state.action === 'start-app') return 'resting';
  if (state.status === 'no-grants' || state.action === 'confirm-app') return 'attention';
  return hasProblem(state) ? 'failed' : 'changing';
}

/** When a server is asked again by itself, where that may help. */
export function RetryTime({ server: { state } }: { server: ConfiguredServer }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(ticking);
  }, []);
  if (state.retryAt === null || !passesByItself(state)) return null;
  return <span className={layout.quiet}>{strings.retries(formatSoon(state.retryAt - now))}</span>;
}
