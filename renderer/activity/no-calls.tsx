import { Button } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import type { DesktopState } from '../../preload/contract.ts';
import { Card } from '../shared/card.tsx';
import { Icon } from '../shared/icon.tsx';
import layout from '../shared/layout.module.css';
import { showScreen } from '../shared/screen.ts';
import styles from './activity.module.css';
import { strings } from './strings.ts';

/** What will appear here, with the next step towards it. */
export function NoCalls({ state: { servers, proxies } }: { state: DesktopState }) {
  const hasServers = servers.length > 0;
  const { title, hint, waiting, noServers, addServers, connectClients } = strings.empty;
  return (
    <Card>
      <div className={styles.empty}>
        <Icon of={IconActivity} size="large" />
        <h2>{title}</h2>
        <p className={layout.quiet}>{proxies.length > 0 ? waiting : hasServers ? hint : noServers}</p>
        {proxies.length === 0 && (
          <Button onClick={() => showScreen(hasServers ? 'clients' : 'servers')}>
            {hasServers ? connectClients : addServers}
          </Button>
        )}
      </div>
    </Card>
  );
}
