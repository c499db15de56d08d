import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { WarehouseInfo } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { FailureNotice } from '../shared/notice.tsx';
import { Option, OptionsToCome, SearchableOptions } from '../shared/options.tsx';
import { StateDot } from '../shared/state-dot.tsx';
import { listingOf, search } from './format.ts';

/** Which warehouse is chosen, and what the list of them needs. */
export interface WarehouseChoiceState {
  chosen: WarehouseInfo | undefined;
  found: WarehouseInfo[];
  text: string;
  setText(text: string): void;
  choose(id: string): void;
  warehouses: { isPending: boolean; data: WarehouseInfo[] | undefined; error: Error | null; refetch(): unknown };
}

/** A choice among the warehouses of a profile. `forOthers` leaves out whether the signed-in user may use them. */
export function useWarehouseChoice(profile: string, initial: string | null, forOthers = false): WarehouseChoiceState {
  const [text, setText] = useState('');
  const [chosenId, choose] = useState(initial);
  const warehouses = useQuery({
    queryKey: ['warehouses', profile],
    queryFn: () => unwrap(window.causeway.request.listWarehouses({ profile })),
    gcTime: 0,
  });
  const all = warehouses.data ?? [];
  const found = search(forOthers ? all.map((one) => ({ ...one, canUse: 'unknown' as const })) : all, text);
  // A search that leaves one warehouse has named it.
  const [first, second] = text ? found : [];
  const chosen = found.find(({ id }) => id === chosenId) ?? (second ? undefined : first);
  return { chosen, found, text, setText, choose, warehouses };
}

/** The warehouses as a list that can be searched, one of which is chosen. */
export function WarehouseChoice({ choice }: { choice: WarehouseChoiceState }) {
  const { chosen, found, text, setText, choose, warehouses } = choice;
  return (
    <SearchableOptions
      label="Warehouses"
      placeholder="Search by name, size or state"
      isBusy={warehouses.isPending}
      text={text}
      onText={setText}
      autoFocus
    >
      {warehouses.isPending && <OptionsToCome />}
      <FailureNotice error={warehouses.error} onRetry={warehouses.refetch} />
      {found.map((warehouse) => (
        <Option
          key={warehouse.id}
          group="warehouse"
          value={warehouse.id}
          chosen={warehouse === chosen}
          onChoose={() => choose(warehouse.id)}
          title={warehouse.name}
        >
          <StateDot state={warehouse.state} />
          {listingOf(warehouse)}
        </Option>
      ))}
      {warehouses.data && found.length === 0 && (
        <p className={layout.row}>
          {text ? `No warehouse matches “${text}”.` : 'There is no warehouse in this workspace that you can see.'}
        </p>
      )}
    </SearchableOptions>
  );
}
