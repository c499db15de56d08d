import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { AiClient, ClientChange, ClientOutcome, ClientsReport } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import { ClientBadge } from '../shared/client-badge.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure, Notice } from '../shared/notice.tsx';
import { ClientPins } from './client-pins.tsx';
import styles from './clients.module.css';
import {
  entriesForAll,
  entryStatusIn,
  formatModified,
  formatTimeout,
  ownFiles,
  reminders,
  summaryOf,
  toRepair,
} from './format.ts';
import type { Review } from './review-change.tsx';
import { ServerSwitch } from './server-switch.tsx';

interface ClientRowProps {
  client: AiClient;
  servers: ClientsReport['servers'];
  /** The outcomes of its last change, while this screen is shown. */
  outcomes: ClientOutcome[];
  onReview(review: Review): void;
  onConnectItself(): void;
  onDone(outcomes: ClientOutcome[]): void;
  onDismiss(): void;
}

/** One AI client: why it was found, which servers it has, and what can be done about it. */
export function ClientRow(props: ClientRowProps) {
  const { client, outcomes, onReview, onConnectItself, onDone, onDismiss } = props;
  const { request } = window.causeway;
  const { id, name, because, isRunning } = client;
  const servers = props.servers.map((server) => server.name);
  const files = ownFiles(client);
  const changeOf = (action: ClientChange['action'], chosen: string[], project: string | null = null): ClientChange => ({
    action,
    clients: [id],
    servers: chosen,
    replace: false,
    whileRunning: false,
    evenShared: false,
    project,
    itself: null,
    pin: null,
    allInOne: false,
  });
  const review = (verb: Review['verb'], what: string, chosen: string[], project: string | null = null) =>
    onReview({
      title: `${verb} ${what}`,
      verb,
      change: changeOf(ACTIONS[verb], chosen, project),
      running: isRunning && project === null ? [name] : [],
    });
  const switching = useMutation({
    mutationFn: (change: ClientChange) => unwrap(request.changeClients(change)),
    onSuccess: onDone,
  });
  const turn = (server: string, on: boolean) => {
    // The first of ours in a file, and what the client may undo, is shown before.
    if (on && (isRunning || !files.every(({ known }) => known))) return review('Add', `${server} to ${name}`, [server]);
    const isShared = files.some(({ sharedWith }) => sharedWith.length > 0);
    if (!on && (isRunning || isShared)) return review('Remove', `${server} from ${name}`, [server]);
    switching.mutate(changeOf(on ? 'add' : 'remove', [server]));
  };
  const troubles = [client.problem, ...files.map(({ problem }) => problem)].filter((it) => it !== null);
  const failures = outcomes.filter(({ problem }) => problem);
  return (
    <li className={`${layout.row} ${styles.client}`} aria-label={name}>
      <div className={styles.head}>
        <h2>
          <ClientBadge mark={client.mark} />
          {name}
        </h2>
        <span className={layout.quiet}>{summaryOf(client, servers)}</span>
      </div>
      <p className={`${layout.quiet} ${styles.about}`}>Found because {because}</p>
      {formatTimeout(client) !== null && <p className={`${layout.quiet} ${styles.about}`}>{formatTimeout(client)}</p>}
      {files.map(({ path, exists, sharedWith }) => (
        <p key={path} className={`${layout.quiet} ${styles.about}`}>
          {path}
          {exists ? '' : ' (not there yet)'}
          {sharedWith.length > 0 && ` (shared with ${sharedWith.map((other) => other.name).join(', ')})`}
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
      <ClientPins
        client={client}
        servers={props.servers}
        onPin={(server, warehouseId) =>
          onReview({
            title: `Warehouse of ${server} in ${name}`,
            verb: 'Update',
            change: { ...changeOf('add', [server]), pin: { warehouseId } },
            running: isRunning ? [name] : [],
          })
        }
      />
      {troubles.map((problem) => (
        <Notice key={problem} message={`${name} cannot be written to.`} remedy={problem} />
      ))}
      <ForAll name={name} files={files} onReview={review} />
      <ToCorrect name={name} files={files} servers={servers} project={null} onReview={review} />
      {projectsOf(client).map((project) => (
        <ProjectEntries key={project} client={client} project={project} servers={servers} onReview={review} />
      ))}
      <ActionFailure error={switching.error} />
      {failures.map(({ file, problem }) => problem && <Notice key={file} {...problem} />)}
      {client.longNames.map((sentence) => (
        <p key={sentence} className={layout.trouble}>
          {sentence}
        </p>
      ))}
      <Reminders outcomes={outcomes} onDismiss={onDismiss} />
      <More
        client={client}
        servers={servers}
        onConnectItself={onConnectItself}
        onAllInOne={() =>
          onReview({
            title: `One entry for all servers in ${name}`,
            verb: 'Add',
            change: { ...changeOf('add', servers), allInOne: true },
            running: isRunning ? [name] : [],
          })
        }
        onReview={review}
      />
    </li>
  );
}

type ReviewChanges = (verb: Review['verb'], what: string, servers: string[], project: string | null) => void;

const ACTIONS: Record<Review['verb'], ClientChange['action']> = {
  Add: 'add',
  Remove: 'remove',
  Repair: 'repair',
  Update: 'repair',
};

/** The one entry for all servers, where the client has it. */
function ForAll({ name, files, onReview }: Pick<ToCorrectProps, 'name' | 'files' | 'onReview'>) {
  const names = entriesForAll(files);
  if (names.length === 0) return null;
  return (
    <Notice
      tone="note"
      message="It has one entry for all servers. What you add or remove appears there by itself."
      remedy={null}
    >
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => onReview('Remove', `${names.join(', ')} from ${name}`, names, null)}
      >
        Remove…
      </Button>
    </Notice>
  );
}

interface ToCorrectProps {
  name: string;
  files: AiClient['files'];
  servers: string[];
  project: string | null;
  onReview: ReviewChanges;
}

/** What is wrong in some files, or would be written differently now, each with the button that does it. */
function ToCorrect({ name, files, servers, project, onReview }: ToCorrectProps) {
  const { modified, outdated } = toRepair(files, servers);
  const leftOver = [...new Set(files.flatMap((file) => file.leftOver))];
  return (
    <>
      {modified.length > 0 && (
        <Notice message={formatModified(files, modified)} remedy={null}>
          <Button variant="default" size="compact-sm" onClick={() => onReview('Repair', name, modified, project)}>
            Repair…
          </Button>
        </Notice>
      )}
      {outdated.length > 0 && (
        <Notice
          tone="note"
          message={`${outdated.join(', ')}: works. This version of Causeway would write the entry differently.`}
          remedy={null}
        >
          <Button variant="default" size="compact-sm" onClick={() => onReview('Update', name, outdated, project)}>
            Update…
          </Button>
        </Notice>
      )}
      {leftOver.length > 0 && (
        <Notice
          tone="note"
          message={`It still has ${leftOver.join(', ')}, no longer among your servers.`}
          remedy={null}
        >
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => onReview('Remove', `${leftOver.join(', ')} from ${name}`, leftOver, project)}
          >
            Remove…
          </Button>
        </Notice>
      )}
    </>
  );
}

interface ProjectEntriesProps {
  client: AiClient;
  project: string;
  servers: string[];
  onReview: ReviewChanges;
}

/** What a client has in a project's own file. */
function ProjectEntries({ client, project, servers, onReview }: ProjectEntriesProps) {
  const files = client.files.filter((file) => file.project === project);
  const there = servers.filter((server) => entryStatusIn(files, server).on);
  return (
    <section className={styles.project} aria-label={`${client.name} in ${project}`}>
      <p className={layout.quiet}>In the project {project}</p>
      <ul className={layout.list}>
        {servers.map((server) => {
          const { on, words } = entryStatusIn(files, server);
          return on || words !== null ? (
            <li key={server}>
              {server}
              {words !== null && <span className={layout.quiet}> · {words}</span>}
            </li>
          ) : null;
        })}
      </ul>
      {files.map(({ problem, path }) => problem !== null && <Notice key={path} message={problem} remedy={null} />)}
      <ToCorrect name={client.name} files={files} servers={servers} project={project} onReview={onReview} />
      {there.length > 0 && (
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => onReview('Remove', `${client.name} from the project`, there, project)}
        >
          Remove from this project…
        </Button>
      )}
    </section>
  );
}

/** The projects that have entries for a client. */
function projectsOf({ files }: AiClient): string[] {
  return [...new Set(files.flatMap(({ project }) => project ?? []))];
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
function More({
  client,
  servers,
  onConnectItself,
  onAllInOne,
  onReview,
}: Pick<ClientRowProps, 'client' | 'onConnectItself'> & {
  servers: string[];
  onAllInOne(): void;
  onReview: ReviewChanges;
}) {
  const { request } = window.causeway;
  const { id, name, hasLink, hasProjectFile, connectsItself, warnings } = client;
  const choosing = useMutation({
    mutationFn: () => unwrap(request.chooseProject()),
    onSuccess: ({ folder }) => {
      if (folder !== null) onReview('Add', `${name} to a project`, servers, folder);
    },
  });
  const copying = useMutation({ mutationFn: () => unwrap(request.copyClientJson({ client: id })) });
  const following = useMutation({
    mutationFn: (server: string) => unwrap(request.openInClient({ client: id, server })),
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
        {servers.length > 0 && entriesForAll(ownFiles(client)).length === 0 && (
          <Button variant="default" size="compact-sm" onClick={onAllInOne}>
            One entry for all servers…
          </Button>
        )}
        {hasProjectFile && servers.length > 0 && (
          <Button variant="default" size="compact-sm" onClick={() => choosing.mutate()}>
            Add to a project…
          </Button>
        )}
        <span role="status" className={layout.quiet}>
          {copying.isSuccess && 'The JSON is on the clipboard.'}
        </span>
      </div>
      <ActionFailure error={copying.error} />
      <ActionFailure error={following.error} />
      <ActionFailure error={choosing.error} />
      {warnings.map((warning) => (
        <p key={warning} className={layout.quiet}>
          {warning}
        </p>
      ))}
    </details>
  );
}
