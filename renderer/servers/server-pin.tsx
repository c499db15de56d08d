import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '../shared/answered.ts';
import { Card } from '../shared/card.tsx';
import layout from '../shared/layout.module.css';
import { Notice } from '../shared/notice.tsx';
import { showScreen } from '../shared/screen.ts';
import { PickPin, usePins } from '../warehouse/pick-pin.tsx';
import { strings } from './strings.ts';

const words = strings.warehouse;

/** What the calls of a server run on in every client that has no pin of its own. */
export function ServerPin({ name, title, profile }: { name: string; title: string; profile: string }) {
  const queries = useQueryClient();
  const { data } = usePins(profile);
  const [picking, setPicking] = useState(false);
  const [isChanged, setChanged] = useState(false);
  const ofServer = data?.pins.filter(({ server }) => server === name) ?? [];
  const pin = ofServer.find(({ client }) => client === null);
  const others = ofServer.filter(({ client }) => client !== null);
  return (
    <Card
      title={words.title}
      actions={
        <Button variant="default" size="compact-sm" onClick={() => setPicking(true)}>
          {words.pin}
        </Button>
      }
    >
      <p>{pin ? words.pinned(pin.warehouse) : words.unpinned}</p>
      {others.map(({ client, warehouse }) => (
        <p key={`${client} ${warehouse}`} className={layout.quiet}>
          {words.client(client ?? '', warehouse)}
        </p>
      ))}
      {ofServer.length > 0 && <p className={layout.quiet}>{data?.rank}</p>}
      {isChanged && (
        <Notice tone="note" message={words.update} remedy={null}>
          <Button variant="default" size="compact-sm" onClick={() => showScreen('clients')}>
            {words.showClients}
          </Button>
        </Notice>
      )}
      <PickPin
        pinning={
          picking
            ? {
                title: words.dialog(title),
                profile,
                pinned: pin?.warehouseId ?? null,
                otherwise: words.otherwise,
                consequence: words.consequence,
                pin: async (warehouseId) => {
                  await unwrap(window.causeway.request.pinServer({ server: name, warehouseId }));
                  await queries.invalidateQueries({ queryKey: ['pins'] });
                  setChanged(true);
                },
              }
            : null
        }
        onClose={() => setPicking(false)}
      />
    </Card>
  );
}
