import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { AiClient, ClientChange, ClientOutcome } from '../../preload/contract.ts';
import { answered } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { ActionFailure, Notice } from '../shared/notice.tsx';
import styles from './clients.module.css';
import type { Review } from './review-change.tsx';
import { ServerSwitch } from './server-switch.tsx';
import { reminders, summaryOf, toRepair } from './words.ts';

interface ClientRowProps {
  client: AiClient;
  servers: string[];
  /** What was done to it last, while this screen is shown. */
  outcomes: ClientOutcome[];
  onReview(review: Review): void;
  onConnectItself(): void;
  onDone(outcomes: ClientOutcome[]): void;
  onDismiss(): void;
}

/** One AI client: why it was found, which servers it has, and what can be done about it. */
export function ClientRow(props: ClientRowProps) {
  const { client, servers, outcomes, onReview, onConnectItself, onDone, onDismiss } = props;
  const { request } = window.causeway;
  const { id, name, because, files, inTheWay } = client;
  const running = inTheWay ? [name] : [];
  const changeOf = (action: ClientChange['action'], chosen: string[]): ClientChange => ({
    action,
    clients: [id],
    servers: chosen,
    replace: false,
    whileRunning: false,
    itself: null,
  });
  const review = (title: string, action: ClientChange['action'], chosen: string[]) =>
    onReview({ title, change: changeOf(action, chosen), running });
  const switching = useMutation({
    mutationFn: (change: ClientChange) => answered(request.changeClients(change)),
    onSuccess: onDone,
  });
  const turn = (server: string, on: boolean) => {
    // The first of ours in a file, and what the client may undo, is shown before.
    if (on && (inTheWay || !files.every(({ known }) => known)))
      return review(`Add ${server} to ${name}`, 'add', [server]);
    if (!on && inTheWay) return review(`Remove ${server} from ${name}`, 'remove', [server]);
    switching.mutate(changeOf(on ? 'add' : 'remove', [server]));
  };
  const spoilt = toRepair(client, servers);
  const leftOver = [...new Set(files.flatMap((file) => file.leftOver))];
  const troubles = [client.problem, ...files.map(({ problem }) => problem)].filter((it) => it !== null);
  const failures = outcomes.filter(({ problem }) => problem);
  return (
    <li className={`${layout.row} ${styles.client}`} aria-label={name}>
      <div className={styles.head}>
        <h2>{name}</h2>
        <span className={layout.quiet}>{summaryOf(client, servers)}</span>
      </div>
      <p className={`${layout.quiet} ${styles.about}`}>Found because {because}</p>
      {files.map(({ path, exists }) => (
        <p key={path} className={`${layout.quiet} ${styles.about}`}>
          {path}
          {exists ? '' : ' (not there yet)'}
        </p>
      ))}
      <ul className={styles.switches} aria-label={`Servers of ${name}`}>
        {servers.map((server) => (
          <ServerSwitch
            key={server}
            client={client}
            server={server}
            turning={switching.isPending && switching.variables.servers.includes(server)}
            onTurn={(on) => turn(server, on)}
          />
        ))}
      </ul>
      {troubles.map((problem) => (
        <Notice key={problem} message={`${name} cannot be written to.`} remedy={problem} />
      ))}
      {spoilt.length > 0 && (
        <Notice message={`${spoilt.join(', ')}: no longer as Causeway wrote it.`} remedy={null}>
          <Button variant="default" size="compact-sm" onClick={() => review(`Repair ${name}`, 'repair', spoilt)}>
            Repair…
          </Button>
        </Notice>
      )}
      {leftOver.length > 0 && (
        <Notice
          tone="note"
          message={`It still has ${leftOver.join(', ')}, which is no longer among your servers.`}
          remedy={null}
        >
          <Button variant="default" size="compact-sm" onClick={() => review(`Remove from ${name}`, 'remove', leftOver)}>
            Remove…
          </Button>
        </Notice>
      )}
      <ActionFailure error={switching.error} />
      {failures.map(({ file, problem }) => problem && <Notice key={file} {...problem} />)}
      {client.longNames.map((sentence) => (
        <p key={sentence} className={layout.trouble}>
          {sentence}
        </p>
      ))}
      <Reminders outcomes={outcomes} onDismiss={onDismiss} />
      <More client={client} servers={servers} onConnectItself={onConnectItself} />
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
          Done
        </Button>
      )}
    </div>
  );
}

/** Other ways into the client, and what is good to know of it. */
function More({ client, servers, onConnectItself }: Pick<ClientRowProps, 'client' | 'servers' | 'onConnectItself'>) {
  const { request } = window.causeway;
  const { id, name, hasLink, connectsItself, warnings } = client;
  const copying = useMutation({ mutationFn: () => answered(request.copyClientJson({ client: id })) });
  const following = useMutation({
    mutationFn: (server: string) => answered(request.openInClient({ client: id, server })),
  });
  return (
    <details className={styles.more}>
      <summary aria-label={`More about ${name}`}>More</summary>
      <div className={`${layout.actions} ${styles.ways}`}>
        <Button variant="default" size="compact-sm" onClick={() => copying.mutate()}>
          Copy its JSON
        </Button>
        {hasLink &&
          servers.map((server) => (
            <Button key={server} variant="default" size="compact-sm" onClick={() => following.mutate(server)}>
              Let {name} add {server} itself
            </Button>
          ))}
        {connectsItself && servers.length > 0 && (
          <Button variant="default" size="compact-sm" onClick={onConnectItself}>
            Let {name} connect by itself…
          </Button>
        )}
        <span role="status" className={layout.quiet}>
          {copying.isSuccess && 'The JSON is on the clipboard.'}
        </span>
      </div>
      <ActionFailure error={copying.error} />
      <ActionFailure error={following.error} />
      {warnings.map((warning) => (
        <p key={warning} className={layout.quiet}>
          {warning}
        </p>
      ))}
    </details>
  );
}
