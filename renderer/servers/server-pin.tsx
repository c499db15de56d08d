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

const texts = strings.warehouse;

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
      title={texts.title}
      actions={
        <Button variant="default" size="compact-sm" onClick={() => setPicking(true)}>
          {texts.pin}
        </Button>
      }
    >
      <p>{pin ? texts.pinned(pin.warehouse) : texts.unpinned}</p>
      {others.map(({ client, warehouse }) => (
        <p key={`${client} ${warehouse}`} className={layout.quiet}>
          {texts.client(client ?? '', warehouse)}
        </p>
      ))}
      {ofServer.length > 0 && <p className={layout.quiet}>{data?.rank}</p>}
      {isChanged && (
        <Notice tone="note" message={texts.update} remedy={null}>
          <Button variant="default" size="compact-sm" onClick={() => showScreen('clients')}>
            {texts.showClients}
          </Button>
        </Notice>
      )}
      <PickPin
        pinning={
          picking
            ? {
                title: texts.dialog(title),
                profile,
                pinned: pin?.warehouseId ?? null,
                otherwise: texts.otherwise,
                consequence: texts.consequence,
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
