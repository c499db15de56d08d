import type { ActivitySession, AttachedProxy } from '../../preload/contract.ts';
import { ClientMark } from '../shared/client-mark.tsx';
import layout from '../shared/layout.module.css';
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
      <p className={layout.quiet}>
        An AI client that starts <code>causeway proxy</code> while Causeway runs appears here, for as long as it keeps
        its session.
      </p>
    );
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
      <ul className={`${layout.list} ${styles.sessions}`} aria-label="Sessions" tabIndex={0}>
        {sessions.map((session) => (
          <Session key={session.id} session={session} proxy={proxies.find(({ id }) => id === session.id)} />
        ))}
      </ul>
      {more > 0 && <p className={layout.quiet}>And {more} more.</p>}
    </>
  );
}

function Session({ session, proxy }: { session: ActivitySession; proxy: AttachedProxy | undefined }) {
  const { path, profile, pid, since, bytesFromClient, bytesToClient } = session;
  return (
    <li className={`${layout.row} ${layout.split} ${styles.session}`}>
      <span className={layout.name}>
        <ClientMark mark={session.mark} />
        {clientInWords(session, proxy)}
      </span>
      <span className={layout.quiet}>
        connected <RelativeTime at={since} />
      </span>
      <p className={layout.quiet}>
        <span title={path}>{serverInWords(path)}</span> · {profile ?? 'default profile'} · process {pid}
      </p>
      <p className={layout.quiet}>
        {callsInWords(session)} · {bytesInWords(bytesFromClient)} sent · {bytesInWords(bytesToClient)} received
      </p>
    </li>
  );
}
