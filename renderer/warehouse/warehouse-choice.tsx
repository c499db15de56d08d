import { IconLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatState } from '../../preload/contract/words/warehouse.ts';
import type { WarehouseInfo } from '../../preload/contract.ts';
import { formatSizeAndType } from '../../preload/format.ts';
import { unwrap } from '../shared/answered.ts';
import { Icon } from '../shared/icon.tsx';
import layout from '../shared/layout.module.css';
import { FailureNotice } from '../shared/notice.tsx';
import { Option, OptionsToCome, SearchableOptions } from '../shared/options.tsx';
import { StateBadge } from '../shared/state-badge.tsx';
import { search, toneOf } from './format.ts';
import { strings } from './strings.ts';
import styles from './warehouse.module.css';

const { choose } = strings;

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
  const { chosen, found, text, setText, choose: onChoose, warehouses } = choice;
  return (
    <SearchableOptions
      label={choose.list}
      placeholder={choose.search}
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
          onChoose={() => onChoose(warehouse.id)}
          title={warehouse.name}
        >
          <Listing warehouse={warehouse} />
        </Option>
      ))}
      {warehouses.data && found.length === 0 && (
        <p className={layout.row}>{text ? choose.noMatch(text) : choose.none}</p>
      )}
    </SearchableOptions>
  );
}

/** The line beneath a warehouse's name: its state, size and type, and why it may not be used. */
function Listing({ warehouse }: { warehouse: WarehouseInfo }) {
  const { state, canUse } = warehouse;
  return (
    <span className={styles.details}>
      <StateBadge tone={toneOf(state)}>{formatState(state)}</StateBadge>
      <span>{formatSizeAndType(warehouse)}</span>
      {canUse === false && (
        <span className={styles.noPermission}>
          <Icon of={IconLock} />
          {choose.noPermission}
        </span>
      )}
    </span>
  );
}
