import { Button, Modal, Skeleton, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react';
import type { EffectiveWarehouse, Warehouse } from '../../preload/contract.ts';
import { answered, problemIn } from '../shared/answered.ts';
import { Notice } from '../shared/notice.tsx';
import { StateDot } from '../shared/state-dot.tsx';
import styles from './pick-warehouse.module.css';
import { useChange } from './use-change.ts';
import shared from './warehouse.module.css';
import { listingOf, onceChosen, search } from './words.ts';

interface PickWarehouseProps {
  effective: EffectiveWarehouse;
  opened: boolean;
  onClose(): void;
}

/** The dialog in which a warehouse is chosen from a list that can be searched. */
export function PickWarehouse({ effective, opened, onClose }: PickWarehouseProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Choose a warehouse">
      <Picker effective={effective} onClose={onClose} />
    </Modal>
  );
}

function Picker({ effective, onClose }: Omit<PickWarehouseProps, 'opened'>) {
  const { profile } = effective;
  const [text, setText] = useState('');
  const [chosenId, setChosenId] = useState(effective.warehouse?.id ?? null);
  const list = useRef<HTMLFieldSetElement>(null);
  const warehouses = useQuery({
    queryKey: ['warehouses', profile],
    queryFn: () => answered(window.causeway.request.listWarehouses({ profile })),
    gcTime: 0,
  });
  const using = useChange(
    (warehouseId: string) => window.causeway.request.setOverride({ profile, warehouseId }),
    onClose,
  );

  const found = search(warehouses.data ?? [], text);
  // A search that leaves one warehouse has named it.
  const [first, second] = text ? found : [];
  const chosen = found.find(({ id }) => id === chosenId) ?? (second ? undefined : first);
  const use = (event: FormEvent) => {
    event.preventDefault();
    if (chosen) using.mutate(chosen.id);
  };
  const intoList = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    const options = list.current?.querySelectorAll('input') ?? [];
    const option = [...options].find(({ checked }) => checked) ?? options[0];
    option?.focus();
    if (option) setChosenId(option.value);
  };

  return (
    <form onSubmit={use} className={shared.dialog}>
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
            onChoose={() => setChosenId(warehouse.id)}
          />
        ))}
        {warehouses.data && found.length === 0 && (
          <p className={styles.none}>
            {text ? `No warehouse matches “${text}”.` : 'There is no warehouse in this workspace that you can see.'}
          </p>
        )}
      </fieldset>
      <p className={styles.consequence} aria-live="polite">
        {chosen && onceChosen(chosen)}
      </p>
      {using.error && <Notice {...problemIn(using.error)} />}
      <div className={styles.actions}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" disabled={!chosen} loading={using.isPending}>
          Use this warehouse
        </Button>
      </div>
    </form>
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
