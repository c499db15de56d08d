import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { AiClient, ClientsReport } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { ActionFailure, Notice } from '../shared/notice.tsx';
import { toast } from '../shared/toast.tsx';
import { ClientPins } from './client-pins.tsx';
import { ToCorrect } from './client-problems.tsx';
import { ClientTest } from './client-test.tsx';
import styles from './clients.module.css';
import { entriesForAll, entryStatusIn, hasEntries, ownFiles } from './format.ts';
import type { ReviewChanges } from './review-change.tsx';
import { strings } from './strings.ts';
import { useLimits } from './use-limits.ts';

const { detail: texts } = strings;

interface ClientDetailsProps {
  client: AiClient;
  servers: ClientsReport['servers'];
  onConnectItself(): void;
  onReview: ReviewChanges;
}

/** Where a client keeps its entries and how it was found, its warehouses and projects, and other ways into it. */
export function ClientDetails({ client, servers, onConnectItself, onReview }: ClientDetailsProps) {
  const { name, also, foundBy, patienceMs, warnings, afterwards } = client;
  const names = servers.map((server) => server.name);
  return (
    <>
      <dl className={styles.facts}>
        <dt>{texts.found}</dt>
        <dd>{foundBy}</dd>
        <dt>{texts.files}</dt>
        <dd>
          {ownFiles(client).map(({ path, exists, sharedWith }) => (
            <p key={path}>
              {[
                path,
                exists ? '' : texts.notThere,
                sharedWith.length > 0 ? texts.sharedWith(sharedWith.map((other) => other.name).join(', ')) : '',
              ]
                .filter((part) => part !== '')
                .join(' · ')}
            </p>
          ))}
        </dd>
        {also.length > 0 && (
          <>
            <dt>{texts.also}</dt>
            <dd>{also.join(', ')}</dd>
          </>
        )}
        {patienceMs !== null && (
          <>
            <dt>{texts.timeout}</dt>
            <dd>{texts.seconds(patienceMs / 1000)}</dd>
          </>
        )}
        <dt>{texts.afterChanges}</dt>
        <dd>{afterwards}</dd>
        {warnings.length > 0 && (
          <>
            <dt>{texts.notes}</dt>
            <dd>
              {warnings.map((warning) => (
                <p key={warning}>{warning}</p>
              ))}
            </dd>
          </>
        )}
      </dl>
      <ClientPins
        client={client}
        servers={servers}
        onPin={(server, warehouseId) =>
          onReview('Update', strings.pin.title(server, name), [server], { action: 'add', pin: { warehouseId } })
        }
      />
      {/* A result is of the entries as they were. */}
      {hasEntries(client) && <ClientTest key={JSON.stringify(ownFiles(client))} client={client} />}
      {projectsOf(client).map((project) => (
        <ProjectEntries key={project} client={client} project={project} servers={names} onReview={onReview} />
      ))}
      <OtherWays client={client} servers={names} onConnectItself={onConnectItself} onReview={onReview} />
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
  const { id, name } = client;
  const { mayRemove } = useLimits(id);
  const files = client.files.filter((file) => file.project === project);
  const there = servers.filter((server) => entryStatusIn(files, server).on);
  return (
    <section className={styles.project} aria-label={texts.inProject(name, project)}>
      <h3>{texts.project(project)}</h3>
      <ul>
        {servers.map((server) => {
          const { on, text: state } = entryStatusIn(files, server);
          return on || state !== null ? (
            <li key={server}>
              {server}
              {state !== null && <span className={layout.quiet}> · {state}</span>}
            </li>
          ) : null;
        })}
      </ul>
      {files.map(({ problem, path }) => problem !== null && <Notice key={path} message={problem} remedy={null} />)}
      <ToCorrect client={id} name={name} files={files} servers={servers} project={project} onReview={onReview} />
      {there.length > 0 && (
        <div>
          <Button
            variant="default"
            size="compact-sm"
            disabled={!mayRemove}
            onClick={() => onReview('Remove', strings.review.fromProject(name), there, { project })}
          >
            {texts.removeFromProject}
          </Button>
        </div>
      )}
    </section>
  );
}

/** The projects that have entries for a client. */
export function projectsOf({ files }: AiClient): string[] {
  return [...new Set(files.flatMap(({ project }) => project ?? []))];
}

/** Other ways into the client. */
function OtherWays({
  client,
  servers,
  onConnectItself,
  onReview,
}: Pick<ClientDetailsProps, 'client' | 'onConnectItself' | 'onReview'> & { servers: string[] }) {
  const { request } = window.causeway;
  const { id, name, hasLink, hasProjectFile, connectsItself } = client;
  const { mayAdd } = useLimits(id);
  const choosing = useMutation({
    mutationFn: () => unwrap(request.chooseProject()),
    onSuccess: ({ folder }) => {
      if (folder !== null) onReview('Add', strings.review.toProject(name), servers, { project: folder });
    },
  });
  const copying = useMutation({
    mutationFn: () => unwrap(request.copyClientJson({ client: id })),
    onSuccess: () => toast(strings.jsonCopied, 'clipboard'),
  });
  const following = useMutation({
    mutationFn: (server: string) => unwrap(request.openInClient({ client: id, server })),
  });
  const way = { variant: 'default', size: 'compact-sm' } as const;
  const adding = { ...way, disabled: !mayAdd };
  return (
    <>
      <div className={`${layout.actions} ${styles.ways}`}>
        <Button {...way} onClick={() => copying.mutate()}>
          {texts.copyJson}
        </Button>
        {hasLink &&
          servers.map((server) => (
            <Button key={server} {...adding} onClick={() => following.mutate(server)}>
              {texts.addItself(name, server)}
            </Button>
          ))}
        {connectsItself && servers.length > 0 && (
          <Button {...adding} onClick={onConnectItself}>
            {texts.connectItself(name)}
          </Button>
        )}
        {servers.length > 0 && entriesForAll(ownFiles(client)).length === 0 && (
          <Button
            {...adding}
            onClick={() => onReview('Add', strings.review.oneEntry(name), servers, { allInOne: true })}
          >
            {texts.allInOne}
          </Button>
        )}
        {hasProjectFile && servers.length > 0 && (
          <Button {...adding} onClick={() => choosing.mutate()}>
            {texts.addToProject}
          </Button>
        )}
      </div>
      <ActionFailure error={copying.error ?? following.error ?? choosing.error} />
    </>
  );
}
