import { Button, Skeleton, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useRef, useState } from 'react';
import type { Warehouse } from '../../preload/contract.ts';
import { answered, problemIn } from '../shared/answered.ts';
import { Notice } from '../shared/notice.tsx';
import { StateDot } from '../shared/state-dot.tsx';
import styles from './warehouse-choice.module.css';
import { listingOf, search } from './words.ts';

/** Which warehouse is chosen, and what the list of them needs. */
export interface WarehouseChoiceState {
  chosen: Warehouse | undefined;
  found: Warehouse[];
  text: string;
  setText(text: string): void;
  choose(id: string): void;
  warehouses: { isPending: boolean; data: Warehouse[] | undefined; error: Error | null; refetch(): unknown };
}

/** A choice among the warehouses of a profile. `forOthers` leaves out whether the person who chooses may use them. */
export function useWarehouseChoice(profile: string, initial: string | null, forOthers = false): WarehouseChoiceState {
  const [text, setText] = useState('');
  const [chosenId, choose] = useState(initial);
  const warehouses = useQuery({
    queryKey: ['warehouses', profile],
    queryFn: () => answered(window.causeway.request.listWarehouses({ profile })),
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
  const list = useRef<HTMLFieldSetElement>(null);
  const intoList = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    const options = list.current?.querySelectorAll('input') ?? [];
    const option = [...options].find(({ checked }) => checked) ?? options[0];
    option?.focus();
    if (option) choose(option.value);
  };
  return (
    <>
      <TextInput
        aria-label="Search warehouses"
        placeholder="Search by name, size or state"
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={intoList}
        data-autofocus
      />
      <fieldset ref={list} className={styles.list} aria-label="Warehouses" aria-busy={warehouses.isPending}>
        {warehouses.isPending && <Waiting />}
        {warehouses.error && (
          <Notice {...problemIn(warehouses.error)}>
            <Button variant="default" onClick={() => void warehouses.refetch()}>
              Try again
            </Button>
          </Notice>
        )}
        {found.map((warehouse) => (
          <Option
            key={warehouse.id}
            warehouse={warehouse}
            chosen={warehouse === chosen}
            onChoose={() => choose(warehouse.id)}
          />
        ))}
        {warehouses.data && found.length === 0 && (
          <p className={styles.none}>
            {text ? `No warehouse matches “${text}”.` : 'There is no warehouse in this workspace that you can see.'}
          </p>
        )}
      </fieldset>
    </>
  );
}

function Option({ warehouse, chosen, onChoose }: { warehouse: Warehouse; chosen: boolean; onChoose(): void }) {
  return (
    <label className={styles.option} data-chosen={chosen}>
      <input type="radio" name="warehouse" value={warehouse.id} checked={chosen} onChange={onChoose} />
      <span className={styles.name}>{warehouse.name}</span>
      <span className={styles.details}>
        <StateDot state={warehouse.state} />
        {listingOf(warehouse)}
      </span>
    </label>
  );
}

function Waiting() {
  return (
    <>
      {['first', 'second', 'third'].map((row) => (
        <Skeleton key={row} height={56} mb={8} />
      ))}
    </>
  );
}
