import type { AttachedProxy, DesktopState } from '../../preload/contract.ts';
import { sessionsInWords } from '../../preload/words.ts';
import { RelativeTime } from '../shared/relative-time.tsx';
import styles from './activity.module.css';
import { clientInWords, serverInWords } from './words.ts';

/** The AI clients that go through the application just now. */
export function ActivityScreen({ state: { proxies } }: { state: DesktopState }) {
  return (
    <div className={styles.screen}>
      <h1 className={styles.title}>Activity</h1>
      <p role="status">{sessionsInWords(proxies.length)}</p>
      {proxies.length === 0 ? (
        <p className={styles.details}>
          An AI client that starts <code>causeway proxy</code> while Causeway runs appears here, for as long as it keeps
          its session.
        </p>
      ) : (
        <ul className={styles.sessions} aria-label="Sessions">
          {proxies.map((proxy) => (
            <Session key={proxy.id} proxy={proxy} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Session({ proxy }: { proxy: AttachedProxy }) {
  const { path, profile, pid, since } = proxy;
  return (
    <li className={styles.session}>
      <span className={styles.client}>{clientInWords(proxy)}</span>
      <span className={styles.since}>
        connected <RelativeTime at={since} />
      </span>
      <p className={styles.details}>
        <span title={path}>{serverInWords(path)}</span> · {profile ?? 'default profile'} · process {pid}
      </p>
    </li>
  );
}
