import type { ActivitySession, AttachedProxy } from '../../preload/contract.ts';
import { RelativeTime } from '../shared/relative-time.tsx';
import styles from './activity.module.css';
import { bytesInWords, callsInWords, clientInWords, serverInWords } from './words.ts';

interface SessionsProps {
  sessions: readonly ActivitySession[];
  more: number;
  /** The same, with the programs that started them. */
  proxies: readonly AttachedProxy[];
}

/** Who is connected just now, and how much has passed. */
export function Sessions({ sessions, more, proxies }: SessionsProps) {
  if (proxies.length === 0) {
    return (
      <p className={styles.details}>
        An AI client that starts <code>causeway proxy</code> while Causeway runs appears here, for as long as it keeps
        its session.
      </p>
    );
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
      <ul className={styles.sessions} aria-label="Sessions" tabIndex={0}>
        {sessions.map((session) => (
          <Session key={session.id} session={session} proxy={proxies.find(({ id }) => id === session.id)} />
        ))}
      </ul>
      {more > 0 && <p className={styles.details}>And {more} more.</p>}
    </>
  );
}

function Session({ session, proxy }: { session: ActivitySession; proxy: AttachedProxy | undefined }) {
  const { path, profile, pid, since, bytesFromClient, bytesToClient } = session;
  return (
    <li className={styles.session}>
      <span className={styles.client}>{clientInWords(session, proxy)}</span>
      <span className={styles.since}>
        connected <RelativeTime at={since} />
      </span>
      <p className={styles.details}>
        <span title={path}>{serverInWords(path)}</span> · {profile ?? 'default profile'} · process {pid}
      </p>
      <p className={styles.details}>
        {callsInWords(session)} · {bytesInWords(bytesFromClient)} sent · {bytesInWords(bytesToClient)} received
      </p>
    </li>
  );
}
