import { Skeleton } from '@mantine/core';
import type { AiClient, ConfiguredServer, ServerUsageInfo } from '../../preload/contract.ts';
import { Card } from '../shared/card.tsx';
import { ClientBadge } from '../shared/client-badge.tsx';
import layout from '../shared/layout.module.css';
import { RelativeTime } from '../shared/relative-time.tsx';
import styles from './servers.module.css';
import { strings } from './strings.ts';
import { clientsWith } from './use-usage.ts';

const texts = strings.page;

interface ServerClientsProps {
  server: ConfiguredServer;
  clients: readonly AiClient[] | undefined;
  usage: ServerUsageInfo | undefined;
}

/** Which AI clients have a server, and how often each has called it. */
export function ServerClients({ server, clients, usage }: ServerClientsProps) {
  const withEntry = clients && clientsWith(server.name, clients);
  const calls = new Map(usage?.clients.map((client) => [client.name, client.calls]));
  const others = usage?.clients.filter(({ name }) => !withEntry?.some((client) => client.name === name)) ?? [];
  return (
    <Card title={texts.clients}>
      {!withEntry && <Skeleton height={32} />}
      {withEntry && withEntry.length + others.length === 0 && <p className={layout.quiet}>{texts.noClients}</p>}
      {withEntry && withEntry.length + others.length > 0 && (
        <ul className={styles.clients}>
          {withEntry.map(({ id, name, mark }) => (
            <ClientLine key={id} name={name} mark={mark} note={texts.hasEntry} calls={calls.get(name) ?? 0} />
          ))}
          {others.map(({ name, mark, calls: count }) => (
            <ClientLine key={name} name={name} mark={mark} note={texts.withoutEntry} calls={count} />
          ))}
        </ul>
      )}
      <p className={layout.quiet}>{texts.sinceStart}</p>
    </Card>
  );
}

interface ClientLineProps {
  name: string;
  mark: AiClient['mark'] | null;
  note: string;
  calls: number;
}

function ClientLine({ name, mark, note, calls }: ClientLineProps) {
  return (
    <li className={styles.client}>
      <span>
        <ClientBadge mark={mark} />
        {name}
      </span>
      <span className={layout.quiet}>{[note, ...(calls > 0 ? [strings.calls(calls)] : [])].join(' · ')}</span>
    </li>
  );
}

/** What a server is, where it is, and how its calls went. */
export function ServerDetails({
  server: { type, name, profile, path },
  usage,
}: {
  server: ConfiguredServer;
  usage: ServerUsageInfo | undefined;
}) {
  const failure = usage?.lastFailure ?? null;
  return (
    <Card title={texts.details}>
      <dl className={styles.facts}>
        <dt>{texts.type}</dt>
        <dd>{strings.types[type]}</dd>
        <dt>{texts.name}</dt>
        <dd>
          <code>{name}</code>
        </dd>
        <dt>{texts.profile}</dt>
        <dd>{profile}</dd>
        <dt>{texts.path}</dt>
        <dd>
          <code>{path}</code>
        </dd>
        <dt>{strings.lastCall}</dt>
        <dd>
          {usage?.lastCallAt == null ? (
            strings.noCalls
          ) : (
            <>
              <RelativeTime at={usage.lastCallAt} /> · {strings.calls(usage.calls)}
              {usage.failed > 0 && ` · ${strings.failures(usage.failed)}`}
            </>
          )}
        </dd>
        {failure && (
          <>
            <dt>{texts.lastFailure}</dt>
            <dd>
              <RelativeTime at={failure.at} /> {failure.client === null ? texts.byYou : texts.byClient(failure.client)}
              <br />
              {failure.tool === null ? failure.words : texts.failure(failure.words, failure.tool)}
            </dd>
          </>
        )}
      </dl>
    </Card>
  );
}
