import { Button, Modal } from '@mantine/core';
import type { EffectiveWarehouse } from '../../preload/contract.ts';
import { Form } from '../shared/form.tsx';
import { useChange } from './use-change.ts';
import styles from './warehouse.module.css';
import { useWarehouseChoice, WarehouseChoice } from './warehouse-choice.tsx';
import { onceChosen } from './words.ts';

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
  const choice = useWarehouseChoice(profile, effective.warehouse?.id ?? null);
  const { chosen } = choice;
  const using = useChange(
    (warehouseId: string) => window.causeway.request.setOverride({ profile, warehouseId }),
    onClose,
  );
  return (
    <Form
      onSubmit={() => chosen && using.mutate(chosen.id)}
      error={using.error}
      actions={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={!chosen} loading={using.isPending}>
            Use this warehouse
          </Button>
        </>
      }
    >
      <WarehouseChoice choice={choice} />
      <p className={styles.consequence} aria-live="polite">
        {chosen && onceChosen(chosen)}
      </p>
    </Form>
  );
}
