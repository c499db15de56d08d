import type { ConfiguredServer } from '../../preload/contract.ts';
import { needsAttention } from '../../preload/words.ts';
import layout from '../shared/layout.module.css';
import { addressOf } from '../shared/screen.ts';
import { ServerRemedy, ServerState, TriesAgain } from './server-state.tsx';
import styles from './servers.module.css';
import { aboutServer } from './words.ts';

/** One server of the list: what it is, how it is, and what can be done about that. */
export function ServerRow({ server }: { server: ConfiguredServer }) {
  const { name, profile, state } = server;
  return (
    <li className={`${layout.row} ${layout.split}`}>
      <div>
        <a className={layout.name} href={addressOf('servers', name)}>
          {name}
        </a>
        <p className={layout.quiet}>
          {aboutServer(server)} · as {profile}
        </p>
      </div>
      <ServerState server={server} />
      {needsAttention(state) && (
        <div className={`${layout.trouble} ${styles.trouble}`}>
          <p>
            {[state.words, state.remedy].filter(Boolean).join(' ')} <TriesAgain server={server} />
          </p>
          <ServerRemedy server={server} />
        </div>
      )}
    </li>
  );
}
