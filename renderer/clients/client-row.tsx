import { ActionIcon, Button } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { type Ref, useId } from 'react';
import type { AiClient, ClientChange, ClientOutcome, ClientsReport } from '../../preload/contract.ts';
import { ClientBadge } from '../shared/client-badge.tsx';
import { Icon } from '../shared/icon.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure, Notice } from '../shared/notice.tsx';
import { StateBadge } from '../shared/state-badge.tsx';
import { toast } from '../shared/toast.tsx';
import { ClientDetails } from './client-details.tsx';
import { ClientProblems } from './client-problems.tsx';
import styles from './clients.module.css';
import { ownFiles, reminders, summaryOf } from './format.ts';
import type { Review, ReviewChanges } from './review-change.tsx';
import { ServerSwitch } from './server-switch.tsx';
import { strings } from './strings.ts';
import { failuresIn, useChangeClients } from './use-client-change.ts';

export interface ClientRowProps {
  client: AiClient;
  servers: ClientsReport['servers'];
  titles: ReadonlyMap<string, string>;
  /** The outcomes of its last change, while this screen is shown. */
  outcomes: ClientOutcome[];
  isExpanded: boolean;
  onExpand(on: boolean): void;
  onReview(review: Review): void;
  onConnectItself(): void;
  onDone(outcomes: ClientOutcome[]): void;
  onDismiss(): void;
  ref?: Ref<HTMLLIElement>;
}

const ACTIONS: Record<Review['verb'], ClientChange['action']> = {
  Add: 'add',
  Remove: 'remove',
  Repair: 'repair',
  Update: 'repair',
};

/** One AI client: a switch for each server, what is wrong with its entries, and its details on demand. */
export function ClientRow(props: ClientRowProps) {
  const { client, outcomes, isExpanded, onExpand, onReview, onConnectItself, onDone, onDismiss, ref } = props;
  const { id, name, isRunning } = client;
  const servers = props.servers.map((server) => server.name);
  const files = ownFiles(client);
  const detailsId = useId();
  const review: ReviewChanges = (verb, title, chosen, more = {}) =>
    onReview({
      title,
      verb,
      change: { action: ACTIONS[verb], clients: [id], servers: chosen, ...more },
      running: isRunning && !more.project ? [name] : [],
    });
  const switching = useChangeClients((done, { action, servers: [server = ''] }) => {
    onDone(done);
    if (failuresIn(done).length > 0) return;
    toast(action === 'add' ? strings.added(server, name) : strings.removed(server, name), 'clients');
  });
  const turn = (server: string, on: boolean) => {
    const { addTo, removeFrom } = strings.review;
    // The first of ours in a file, and what the client may undo, is shown before.
    if (on && (isRunning || !files.every(({ known }) => known))) return review('Add', addTo(server, name), [server]);
    const isShared = files.some(({ sharedWith }) => sharedWith.length > 0);
    if (!on && (isRunning || isShared)) return review('Remove', removeFrom(server, name), [server]);
    switching.mutate({ action: on ? 'add' : 'remove', clients: [id], servers: [server] });
  };
  const { tone, text } = summaryOf(client, servers);
  return (
    <li ref={ref} className={styles.client} aria-label={name}>
      <div className={styles.who}>
        <ClientBadge mark={client.mark} />
        <div className={styles.nameAndState}>
          <h2>{name}</h2>
          <StateBadge tone={tone}>{isRunning ? `${text} · ${strings.states.running}` : text}</StateBadge>
        </div>
      </div>
      <ul className={styles.cells} aria-label={strings.serversOf(name)}>
        {servers.map((server) => (
          <ServerSwitch
            key={server}
            client={client}
            server={server}
            title={props.titles.get(server) ?? server}
            turning={switching.isPending && switching.variables.servers.includes(server)}
            onTurn={(on) => turn(server, on)}
          />
        ))}
      </ul>
      <ActionIcon
        variant="subtle"
        color="gray"
        className={styles.toggle}
        aria-label={strings.details(name)}
        aria-expanded={isExpanded}
        aria-controls={isExpanded ? detailsId : undefined}
        onClick={() => onExpand(!isExpanded)}
      >
        <Icon of={IconChevronDown} />
      </ActionIcon>
      <div className={styles.below}>
        <ClientProblems client={client} servers={servers} onReview={review} />
        <ActionFailure error={switching.error} />
        {outcomes.map(({ file, problem }) => problem && <Notice key={file} {...problem} />)}
        <Reminders outcomes={outcomes} onDismiss={onDismiss} />
        {isExpanded && (
          <div id={detailsId} className={styles.details}>
            <ClientDetails
              client={client}
              servers={props.servers}
              onConnectItself={onConnectItself}
              onReview={review}
            />
          </div>
        )}
      </div>
    </li>
  );
}

/** What is left to do in the client itself. */
function Reminders({ outcomes, onDismiss }: Pick<ClientRowProps, 'outcomes' | 'onDismiss'>) {
  const sentences = reminders(outcomes);
  return (
    <div role="status" className={layout.actions}>
      {sentences.map((sentence) => (
        <p key={sentence} className={styles.reminder}>
          {sentence}
        </p>
      ))}
      {sentences.length > 0 && (
        <Button variant="default" size="compact-sm" onClick={onDismiss}>
          {strings.dismiss}
        </Button>
      )}
    </div>
  );
}
