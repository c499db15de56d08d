import { Button } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import type { DesktopState } from '../../preload/contract.ts';
import { EmptyState } from '../shared/empty-state.tsx';
import { showScreen } from '../shared/screen.ts';
import { strings } from './strings.ts';

/** What will appear here, with the next step towards it. */
export function NoCalls({ state: { servers, proxies } }: { state: DesktopState }) {
  const hasServers = servers.length > 0;
  const { title, hint, waiting, noServers, addServers, connectClients } = strings.empty;
  return (
    <EmptyState
      icon={IconActivity}
      title={title}
      text={proxies.length > 0 ? waiting : hasServers ? hint : noServers}
      actions={
        proxies.length === 0 && (
          <Button onClick={() => showScreen(hasServers ? 'clients' : 'servers')}>
            {hasServers ? connectClients : addServers}
          </Button>
        )
      }
    />
  );
}
