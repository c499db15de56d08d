import { Button, Skeleton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AiClient, ConfiguredServer, DesktopState } from '../../preload/contract.ts';
import { needsAttention } from '../../preload/format.ts';
import { hasEntry } from '../clients/format.ts';
import { RulesSection } from '../rules/rules-section.tsx';
import { useRules } from '../rules/use-rules.ts';
import { unwrap } from '../shared/answered.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { FirstSteps } from '../shared/first-steps.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure } from '../shared/notice.tsx';
import { addressOf, showScreen, useItem } from '../shared/screen.ts';
import { ScreenHead } from '../shared/screen-head.tsx';
import { usePrevious } from '../shared/use-last.ts';
import { AddServer } from './add/add-server.tsx';
import { aboutServer } from './format.ts';
import { ServerPage } from './server-page.tsx';
import { ServerRemedy, ServerState, TriesAgain } from './server-state.tsx';
import styles from './servers.module.css';

/** The managed servers that AI clients are to have: their state and tools, and how to add and remove one. */
export function ServersScreen({ state }: { state: DesktopState }) {
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<string | null>(null);
  const item = useItem();
  const { servers } = state;
  const shown = servers.find(({ name }) => name === item);
  const add = () => setAdding(true);
  return (
    <>
      {shown ? (
        <ServerPage key={shown.name} server={shown} onRemove={() => setRemoving(shown.name)} />
      ) : (
        <div className={layout.screen}>
          <ScreenHead title="Servers">{servers.length > 0 && <Button onClick={add}>Add a server…</Button>}</ScreenHead>
          {item !== null && <p>There is no server “{item}” any more.</p>}
          {servers.length === 0 && state.warehouse.status === 'loading' && <Skeleton height={120} />}
          {servers.length === 0 && state.warehouse.status !== 'loading' && <NoServers state={state} onBrowse={add} />}
          {servers.length > 0 && (
            <>
              <ul className={layout.list} aria-label="Servers">
                {servers.map((server) => (
                  <ServerRow key={server.name} server={server} />
                ))}
              </ul>
              <p className={layout.quiet}>
                Programs such as Claude or Cursor use these once they have an entry for them:{' '}
                <a href={addressOf('clients')}>choose your AI clients</a>.
              </p>
              <AllServersRules />
            </>
          )}
        </div>
      )}
      <AddServer opened={adding} state={state} onClose={() => setAdding(false)} />
      <RemoveServer
        name={removing}
        onClose={() => setRemoving(null)}
        onRemoved={() => {
          setRemoving(null);
          showScreen('servers');
        }}
      />
    </>
  );
}

function AllServersRules() {
  return <RulesSection title="What AI clients may do at all servers" editor={useRules(null)} />;
}

function stepOf({ warehouse }: DesktopState): 'workspace' | 'sign-in' | 'servers' {
  if (warehouse.status === 'unconfigured') return 'workspace';
  return warehouse.status === 'known' ? 'servers' : 'sign-in';
}

/** Explains what servers are, with the shortest path to the first one. */
function NoServers({ state, onBrowse }: { state: DesktopState; onBrowse(): void }) {
  const { profile } = state;
  const isSignedIn = state.warehouse.status === 'known';
  const adding = useMutation({
    mutationFn: async (name: string) => {
      const proposed = await unwrap(window.causeway.request.proposeServer({ profile: name, kind: 'sql', target: '' }));
      await unwrap(window.causeway.request.addServer({ profile: name, kind: 'sql', ...proposed }));
    },
  });
  return (
    <>
      <FirstSteps step={stepOf(state)} />
      <p>
        Your workspace has servers that give AI clients tools: to run queries, to ask Genie, to search texts, to call
        functions. Each one that you add here can be used by every AI client on this computer, with your permissions and
        without another sign-in.
      </p>
      {!isSignedIn && (
        <p>
          Sign in first: <a href={addressOf('warehouse')}>go to your workspace</a>.
        </p>
      )}
      <ActionFailure error={adding.error} />
      {isSignedIn && profile !== null && (
        <div className={layout.actions}>
          <Button loading={adding.isPending} onClick={() => adding.mutate(profile)}>
            Add SQL
          </Button>
          <Button variant="default" onClick={onBrowse}>
            Browse the workspace…
          </Button>
        </div>
      )}
    </>
  );
}

/** One server of the list: what it is, how it is, and what can be done about that. */
function ServerRow({ server }: { server: ConfiguredServer }) {
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

interface RemoveServerProps {
  name: string | null;
  onClose(): void;
  onRemoved(): void;
}

/** Says what removing a server does not do, then does it. */
function RemoveServer({ name, onClose, onRemoved }: RemoveServerProps) {
  const shown = usePrevious(name) ?? '';
  const clients = useQuery({
    queryKey: ['clients-with', name],
    queryFn: () => unwrap(window.causeway.request.listClients()),
    enabled: name !== null,
    gcTime: 0,
  });
  const users = usersOf(shown, clients.data?.clients ?? []);
  const remove = async () => {
    await unwrap(window.causeway.request.removeServer({ name: shown }));
    onRemoved();
  };
  return (
    <ConfirmDialog
      opened={name !== null}
      title={`Remove ${shown}?`}
      verb="Remove"
      isGrave
      act={remove}
      onClose={onClose}
    >
      <p>
        It leaves this list, and no AI client is offered it any more. Nothing is removed from the workspace, and you can
        add it again.
      </p>
      {users.length > 0 && (
        <p>
          {users.join(', ')}: each keeps the entry that it has for this server, and can go on using it.{' '}
          <a href={addressOf('clients')} onClick={onClose}>
            Take the entries out under AI clients
          </a>{' '}
          first if you do not want that.
        </p>
      )}
      {clients.data && users.length === 0 && <p>No AI client on this computer has an entry for it.</p>}
    </ConfirmDialog>
  );
}

/** The names of the clients that have an entry of ours for a server. */
function usersOf(server: string, clients: readonly AiClient[]): string[] {
  return clients.filter(({ files }) => files.some((file) => hasEntry(file, server))).map(({ name }) => name);
}
