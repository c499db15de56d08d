import { Button, Skeleton } from '@mantine/core';
import { useState } from 'react';
import type { DesktopState } from '../../preload/contract.ts';
import layout from '../shared/layout.module.css';
import { addressOf, showScreen, useItem } from '../shared/screen.ts';
import { ScreenHead } from '../shared/screen-head.tsx';
import { AddServer } from './add/add-server.tsx';
import { NoServers } from './no-servers.tsx';
import { RemoveServer } from './remove-server.tsx';
import { ServerPage } from './server-page.tsx';
import { ServerRow } from './server-row.tsx';

/** The managed servers that AI clients are to have: how each is, its tools, and the ways to add and remove one. */
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
