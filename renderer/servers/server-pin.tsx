import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { Notice } from '../shared/notice.tsx';
import { showScreen } from '../shared/screen.ts';
import { PickPin, usePins } from '../warehouse/pick-pin.tsx';

/** What the calls of a server run on in every client that has no pin of its own. */
export function ServerPin({ name, profile }: { name: string; profile: string }) {
  const queries = useQueryClient();
  const { data } = usePins(profile);
  const [picking, setPicking] = useState(false);
  const [isChanged, setChanged] = useState(false);
  const ofServer = data?.pins.filter(({ server }) => server === name) ?? [];
  const pin = ofServer.find(({ client }) => client === null);
  const others = ofServer.filter(({ client }) => client !== null);
  return (
    <section className={layout.stack} aria-labelledby="runs-on">
      <h2 id="runs-on">Warehouse</h2>
      <div className={layout.actions}>
        <span>
          {pin
            ? `Its calls run on ${pin.warehouse}, pinned for every client.`
            : 'Its calls run where your queries run.'}
        </span>
        <Button variant="default" size="compact-sm" onClick={() => setPicking(true)}>
          Pin warehouse…
        </Button>
      </div>
      {others.map(({ client, warehouse }) => (
        <p key={`${client} ${warehouse}`} className={layout.quiet}>
          {client}: {warehouse}
        </p>
      ))}
      {ofServer.length > 0 && <p className={layout.quiet}>{data?.rank}</p>}
      {isChanged && (
        <Notice tone="note" message="AI clients use it once their entries are updated." remedy={null}>
          <Button variant="default" size="compact-sm" onClick={() => showScreen('clients')}>
            Show AI clients
          </Button>
        </Notice>
      )}
      <PickPin
        pinning={
          picking
            ? {
                title: `${name} runs on`,
                profile,
                pinned: pin?.warehouseId ?? null,
                otherwise: 'Workspace decides',
                consequence: 'Calls of every client name this warehouse themselves.',
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
    </section>
  );
}
