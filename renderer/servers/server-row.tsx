import type { ConfiguredServer } from '../../preload/contract.ts';
import { needsAttention } from '../../preload/words.ts';
import { addressOf } from '../shared/screen.ts';
import { ServerRemedy, ServerState } from './server-state.tsx';
import styles from './servers.module.css';
import { aboutServer } from './words.ts';

/** One server of the list: what it is, how it is, and what can be done about that. */
export function ServerRow({ server }: { server: ConfiguredServer }) {
  const { name, profile, state } = server;
  return (
    <li className={styles.row}>
      <div>
        <a className={styles.name} href={addressOf('servers', name)}>
          {name}
        </a>
        <p className={styles.details}>
          {aboutServer(server)} · as {profile}
        </p>
        {needsAttention(state) && (
          <p className={styles.trouble}>{[state.words, state.remedy].filter(Boolean).join(' ')}</p>
        )}
      </div>
      <div className={styles.side}>
        <ServerState server={server} />
        <ServerRemedy server={server} />
      </div>
    </li>
  );
}
