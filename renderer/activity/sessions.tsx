import { serverAt } from '../../preload/contract/server-kinds.ts';
import { formatBytes } from '../../preload/contract/words/figures.ts';
import type { ActivitySession, DesktopState } from '../../preload/contract.ts';
import { Card } from '../shared/card.tsx';
import { ClientBadge } from '../shared/client-badge.tsx';
import layout from '../shared/layout.module.css';
import { RelativeTime } from '../shared/relative-time.tsx';
import styles from './activity.module.css';
import { formatCalls, formatClient } from './format.ts';
import { strings } from './strings.ts';

interface SessionsProps {
  sessions: readonly ActivitySession[];
  more: number;
  state: DesktopState;
}

/** The clients that are connected now, each with its server and what has passed. */
export function Sessions({ sessions, more, state: { proxies, servers } }: SessionsProps) {
  if (proxies.length === 0 || sessions.length === 0) return null;
  const titleOf = ({ path, profile }: ActivitySession) =>
    servers.find((server) => server.path === path && (profile === null || server.profile === profile))?.title ??
    serverAt(path).title;
  return (
    <Card title={strings.sessions.title} isFlush>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
      <ul className={styles.sessions} aria-label={strings.sessions.list} tabIndex={0}>
        {sessions.map((session) => (
          <Session key={session.id} session={session} server={titleOf(session)} />
        ))}
      </ul>
      {more > 0 && <p className={`${layout.row} ${layout.quiet}`}>{strings.sessions.more(more)}</p>}
    </Card>
  );
}

interface SessionProps {
  session: ActivitySession;
  server: string;
}

function Session({ session, server }: SessionProps) {
  const { path, profile, user, pid, since, bytesFromClient, bytesToClient } = session;
  const { since: sinceWord, place, traffic } = strings.sessions;
  return (
    <li className={styles.session}>
      <ClientBadge mark={session.mark} />
      <p className={layout.name}>{formatClient(session)}</p>
      <p className={`${layout.quiet} ${styles.since}`}>
        {sinceWord} <RelativeTime at={since} />
      </p>
      <p className={styles.beneath}>
        <span title={path}>{server}</span>{' '}
        <span className={layout.quiet}>· {place(profile ?? strings.defaultProfile, pid, user)}</span>
      </p>
      <p className={`${layout.quiet} ${styles.beneath}`}>
        {traffic(formatCalls(session), formatBytes(bytesFromClient), formatBytes(bytesToClient))}
      </p>
    </li>
  );
}
