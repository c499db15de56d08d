import { Button } from '@mantine/core';
import type { EffectiveWarehouseInfo } from '../../preload/contract.ts';
import { Dialog } from '../shared/dialog.tsx';
import { Form } from '../shared/form.tsx';
import { strings as shared } from '../shared/strings.ts';
import { toast } from '../shared/toast.tsx';
import { useChange } from './confirm-change.tsx';
import { afterChoosing } from './format.ts';
import { strings } from './strings.ts';
import styles from './warehouse.module.css';
import { useWarehouseChoice, WarehouseChoice } from './warehouse-choice.tsx';

const { choose, done } = strings;

interface PickWarehouseProps {
  effective: EffectiveWarehouseInfo;
  opened: boolean;
  onClose(): void;
}

/** The dialog in which a warehouse is chosen from a list that can be searched. */
export function PickWarehouse({ effective, opened, onClose }: PickWarehouseProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={choose.title}>
      <Picker effective={effective} onClose={onClose} />
    </Dialog>
  );
}

function Picker({ effective, onClose }: Omit<PickWarehouseProps, 'opened'>) {
  const { profile } = effective;
  const choice = useWarehouseChoice(profile, effective.warehouse?.id ?? null);
  const { chosen } = choice;
  const using = useChange(
    (warehouseId: string) => window.causeway.request.setOverride({ profile, wanted: { type: 'CUSTOM', warehouseId } }),
    () => {
      if (chosen) toast(done.changed(chosen.name), 'warehouse');
      onClose();
    },
  );
  return (
    <Form
      onSubmit={() => chosen && using.mutate(chosen.id)}
      error={using.error}
      actions={
        <>
          <Button variant="default" onClick={onClose}>
            {shared.cancel}
          </Button>
          <Button type="submit" disabled={!chosen} loading={using.isPending}>
            {choose.use}
          </Button>
        </>
      }
    >
      <WarehouseChoice choice={choice} />
      <p className={styles.consequence} aria-live="polite">
        {chosen && afterChoosing(chosen, effective)}
      </p>
    </Form>
  );
}
