import { Button } from '@mantine/core';
import { useState } from 'react';
import { isSqlServer } from '../../preload/contract/server-kinds.ts';
import type { AiClient, ClientsReport } from '../../preload/contract.ts';
import layout from '../shared/layout.module.css';
import { PickPin, usePins } from '../warehouse/pick-pin.tsx';
import styles from './clients.module.css';
import { hasServer, listed, ownFiles } from './format.ts';
import { strings } from './strings.ts';

const { pin: texts } = strings;

interface ClientPinsProps {
  client: AiClient;
  servers: ClientsReport['servers'];
  /** Leads to the difference that the pin makes in the client's files. */
  onPin(server: string, warehouseId: string | null): void;
}

/** What a client's calls run on, for each of its servers whose calls run on a warehouse. */
export function ClientPins({ client, servers, onPin }: ClientPinsProps) {
  const pinnable = servers.filter(({ name, path }) => isSqlServer(path) && hasServer(client, name));
  return pinnable.map((server) => (
    <ClientPin key={server.name} client={client} server={server} onPin={(id) => onPin(server.name, id)} />
  ));
}

interface ClientPinProps {
  client: AiClient;
  server: ClientsReport['servers'][number];
  onPin(warehouseId: string | null): void;
}

function ClientPin({ client, server, onPin }: ClientPinProps) {
  const [picking, setPicking] = useState(false);
  const files = ownFiles(client);
  const own = files.map(({ pins }) => pins[server.name]).find((id) => id !== undefined) ?? null;
  const pinned = own ?? server.pin;
  const { data } = usePins(server.profile, pinned !== null);
  const nameOf = (id: string) => data?.pins.find(({ warehouseId }) => warehouseId === id)?.warehouse ?? id;
  const others = [...new Set(files.flatMap(({ sharedWith }) => sharedWith.map(({ name }) => name)))];
  const too = others.length === 0 ? '' : ` ${texts.sharedWith(listed(others))}`;
  return (
    <div className={`${layout.actions} ${styles.pin}`}>
      <span>
        {texts.runsOn(server.name, pinned === null ? texts.default : nameOf(pinned))}
        {pinned !== null && (
          <span className={layout.quiet}> · {own === null ? texts.forAll : texts.forOne(client.name)}</span>
        )}
      </span>
      <Button
        variant="default"
        size="compact-sm"
        aria-label={texts.changeOf(server.name, client.name)}
        onClick={() => setPicking(true)}
      >
        {texts.change}
      </Button>
      <PickPin
        pinning={
          picking
            ? {
                title: texts.title(server.name, client.name),
                profile: server.profile,
                pinned: own,
                otherwise: server.pin === null ? texts.workspace : texts.asAll(nameOf(server.pin)),
                consequence: `${texts.consequence}${too}`,
                pin: async (id) => onPin(id),
              }
            : null
        }
        onClose={() => setPicking(false)}
      />
    </div>
  );
}
