import { Button } from '@mantine/core';
import { IconPlus, IconServer } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConfiguredServer, DesktopState } from '../../preload/contract.ts';
import { Allowances } from '../approvals/waiting-calls.tsx';
import { useClients } from '../clients/use-clients.ts';
import { PermissionsSection } from '../permissions/permissions-section.tsx';
import { strings as permissionStrings } from '../permissions/strings.ts';
import { usePermissions } from '../permissions/use-permissions.ts';
import { unwrap } from '../shared/answered.ts';
import { EmptyState } from '../shared/empty-state.tsx';
import { Icon } from '../shared/icon.tsx';
import layout from '../shared/layout.module.css';
import { Managed } from '../shared/managed.tsx';
import { ActionFailure, Notice } from '../shared/notice.tsx';
import { addressOf, showScreen, useItem, useScreenAction } from '../shared/screen.ts';
import { ScreenHead } from '../shared/screen-head.tsx';
import { SkeletonRows } from '../shared/skeleton-rows.tsx';
import { toast } from '../shared/toast.tsx';
import { AddServer } from './add/add-server.tsx';
import { RemoveServer } from './remove-server.tsx';
import { ServerPage } from './server-page.tsx';
import { ServerRow } from './server-row.tsx';
import styles from './servers.module.css';
import { strings } from './strings.ts';
import { clientsWith, useUsage } from './use-usage.ts';

/** The managed servers that AI clients are to have: their state and tools, and how to add and remove one. */
export function ServersScreen({ state }: { state: DesktopState }) {
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<ConfiguredServer | null>(null);
  const item = useItem();
  const { servers, serversProblem } = state;
  const shown = servers.find(({ name }) => name === item);
  const isEmpty = servers.length === 0 && !serversProblem;
  const add = () => setAdding(true);
  useScreenAction('add', add);
  return (
    <>
      {shown ? (
        <ServerPage key={shown.name} server={shown} servers={servers} onRemove={() => setRemoving(shown)} />
      ) : (
        <div className={layout.screen}>
          <ScreenHead title={strings.title}>
            {servers.length > 0 && (
              <Button leftSection={<Icon of={IconPlus} />} onClick={add}>
                {strings.add}
              </Button>
            )}
          </ScreenHead>
          <Managed managed={state.managed} by={['servers', 'requiredServers', 'readOnly', 'rules']} />
          {item !== null && <p>{strings.gone(item)}</p>}
          {serversProblem && <Notice {...serversProblem} />}
          {isEmpty && <NoServers state={state} onBrowse={add} />}
          {servers.length > 0 && (
            <>
              <ServerList servers={servers} />
              <AllServersPermissions state={state} />
            </>
          )}
        </div>
      )}
      <AddServer opened={adding} state={state} onClose={() => setAdding(false)} />
      <RemoveServer
        server={removing}
        onClose={() => setRemoving(null)}
        onRemoved={() => {
          if (removing) toast(strings.removeDialog.removed(removing.title));
          setRemoving(null);
          showScreen('servers');
        }}
      />
    </>
  );
}

function ServerList({ servers }: { servers: readonly ConfiguredServer[] }) {
  const usage = useUsage();
  const report = useClients(servers);
  return (
    <ul className={`${layout.list} ${styles.servers}`} aria-label={strings.list}>
      {servers.map((server) => (
        <ServerRow
          key={server.name}
          server={server}
          usage={usage.get(server.name)}
          showsProfile={servers.some(({ profile }) => profile !== servers[0]?.profile)}
          clients={report.data && clientsWith(server.name, report.data.clients)}
        />
      ))}
    </ul>
  );
}

function AllServersPermissions({ state }: { state: DesktopState }) {
  return (
    <>
      <Allowances allowances={state.allowances} />
      <PermissionsSection title={permissionStrings.allServers} editor={usePermissions(null)} />
    </>
  );
}

/** Says what servers are, with the shortest path to the first one. */
function NoServers({ state, onBrowse }: { state: DesktopState; onBrowse(): void }) {
  const { profile } = state;
  const queries = useQueryClient();
  const isSignedIn = state.warehouse.status === 'known';
  const adding = useMutation({
    mutationFn: async (name: string) => {
      const proposed = await unwrap(window.causeway.request.proposeServer({ profile: name, word: 'sql' }));
      await unwrap(window.causeway.request.addServer({ profile: name, ...proposed }));
      return proposed.name;
    },
    onSuccess: (name) => {
      void queries.invalidateQueries({ queryKey: ['clients'] });
      toast(strings.addDialog.added(name));
    },
  });
  if (state.warehouse.status === 'loading') return <SkeletonRows count={2} />;
  return (
    <EmptyState
      icon={IconServer}
      title={strings.empty.title}
      text={strings.empty.text}
      actions={
        isSignedIn &&
        profile !== null && (
          <>
            <Button loading={adding.isPending} onClick={() => adding.mutate(profile)}>
              {strings.empty.addSql}
            </Button>
            <Button variant="default" onClick={onBrowse}>
              {strings.add}
            </Button>
          </>
        )
      }
    >
      {!isSignedIn && (
        <p>
          {strings.empty.signIn} <a href={addressOf('warehouse')}>{strings.empty.goToWarehouse}</a>
        </p>
      )}
      <ActionFailure error={adding.error} />
    </EmptyState>
  );
}
