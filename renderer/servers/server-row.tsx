import type { AiClient, ConfiguredServer, ServerUsageInfo } from '../../preload/contract.ts';
import { hasProblem } from '../../preload/format.ts';
import { ClientBadge } from '../shared/client-badge.tsx';
import layout from '../shared/layout.module.css';
import { RelativeTime } from '../shared/relative-time.tsx';
import { addressOf } from '../shared/screen.ts';
import { WaitingForService } from '../shared/waiting-for-browser.tsx';
import { formatServer } from './format.ts';
import { ServerIcon } from './server-icon.tsx';
import { ServerRemedy } from './server-remedy.tsx';
import { RetryTime, ServerState } from './server-state.tsx';
import styles from './servers.module.css';
import { strings } from './strings.ts';

interface ServerRowProps {
  server: ConfiguredServer;
  usage: ServerUsageInfo | undefined;
  /** Whether servers of several profiles are listed. */
  showsProfile: boolean;
  /** Those that have it; undefined until that is known. */
  clients: readonly AiClient[] | undefined;
}

/** One server of the list: what it is, how it is, who uses it, and what can be done about trouble. */
export function ServerRow({ server, usage, showsProfile, clients }: ServerRowProps) {
  const { name, title, type, state } = server;
  return (
    <li className={`${layout.row} ${styles.row}`}>
      <ServerIcon type={type} />
      <div className={styles.about}>
        <a className={`${layout.name} ${styles.link}`} href={addressOf('servers', name)}>
          {title}
        </a>
        <p className={layout.quiet}>{formatServer(server, showsProfile)}</p>
      </div>
      <ServerState server={server} usage={usage} />
      <div className={styles.usage}>
        {clients && <Users clients={clients} />}
        <span className={layout.quiet}>
          {usage?.lastCallAt == null ? (
            strings.noCalls
          ) : (
            <>
              {strings.lastCall} <RelativeTime at={usage.lastCallAt} />
            </>
          )}
        </span>
      </div>
      {hasProblem(state) && (
        <div className={styles.trouble}>
          <p>
            {[state.words, state.remedy].filter(Boolean).join(' ')} <RetryTime server={server} />
          </p>
          <ServerRemedy server={server} />
        </div>
      )}
      {state.status === 'waiting-for-browser' && server.service !== undefined && (
        <div className={styles.trouble}>
          <WaitingForService server={server.name} />
        </div>
      )}
    </li>
  );
}

/** How many clients are shown by their marks. */
const MARKS = 4;

/** The marks of the clients that have a server; their names for those who hear them, and on hover. */
function Users({ clients }: { clients: readonly AiClient[] }) {
  if (clients.length === 0) return <span className={layout.quiet}>{strings.noClients}</span>;
  const names = clients.map(({ name }) => name).join(', ');
  const rest = clients.length - MARKS;
  return (
    <span className={styles.marks} title={strings.usedBy(names)}>
      <span className={layout.unseen}>{strings.usedBy(names)}</span>
      {clients.slice(0, MARKS).map(({ id, mark }) => (
        <ClientBadge key={id} mark={mark} />
      ))}
      {rest > 0 && (
        <span aria-hidden className={layout.quiet}>
          {strings.moreClients(rest)}
        </span>
      )}
    </span>
  );
}
