import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { PinInfo } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import { Dialog } from '../shared/dialog.tsx';
import { Form } from '../shared/form.tsx';
import layout from '../shared/layout.module.css';
import { strings as shared } from '../shared/strings.ts';
import { useReadAgain } from '../shared/use-desktop-state.ts';
import { usePrevious } from '../shared/use-last.ts';
import { strings } from './strings.ts';
import { useWarehouseChoice, WarehouseChoice } from './warehouse-choice.tsx';

const PINS = ['pins'];

/** The pins of a profile's servers. */
export function usePins(profile: string, enabled = true) {
  useReadAgain(PINS, window.causeway.on.clientsChanged);
  return useQuery({
    queryKey: [...PINS, profile],
    queryFn: () => unwrap(window.causeway.request.listPins({ profile })),
    staleTime: 0,
    enabled,
  });
}

/** Whose calls are pinned, and what they are pinned to now. */
export interface Pinning {
  title: string;
  profile: string;
  pinned: string | null;
  /** What the calls run on without this pin, as the button that takes it away. */
  otherwise: string;
  /** What follows from a choice, in a sentence. */
  consequence: string;
  pin(warehouseId: string | null): Promise<unknown>;
}

/** The dialog in which the calls of a server, or of one client, get their own warehouse. */
export function PickPin({ pinning, onClose }: { pinning: Pinning | null; onClose(): void }) {
  const shown = usePrevious(pinning);
  return (
    <Dialog opened={pinning !== null} onClose={onClose} title={shown?.title}>
      {shown && <Picker key={shown.title} pinning={shown} onClose={onClose} />}
    </Dialog>
  );
}

function Picker({ pinning, onClose }: { pinning: Pinning; onClose(): void }) {
  const { profile, pinned, otherwise, consequence, pin } = pinning;
  const choice = useWarehouseChoice(profile, pinned);
  const { chosen } = choice;
  const pinningNow = useMutation({ mutationFn: pin, onSuccess: onClose });
  return (
    <Form
      onSubmit={() => chosen && pinningNow.mutate(chosen.id)}
      error={pinningNow.error}
      actions={
        <>
          <Button variant="default" onClick={onClose}>
            {shared.cancel}
          </Button>
          {pinned !== null && (
            <Button variant="default" onClick={() => pinningNow.mutate(null)}>
              {otherwise}
            </Button>
          )}
          <Button type="submit" disabled={!chosen || chosen.id === pinned} loading={pinningNow.isPending}>
            {strings.pin.pin}
          </Button>
        </>
      }
    >
      <WarehouseChoice choice={choice} />
      <p className={layout.quiet}>{consequence}</p>
    </Form>
  );
}

/** Each pinned warehouse once, with whose calls run on it. */
export function pinnedWarehouses(
  pins: readonly PinInfo[],
): { id: string; name: string; whose: string; problem: string | null }[] {
  const ids = [...new Set(pins.map(({ warehouseId }) => warehouseId))];
  return ids.map((id) => {
    const ofWarehouse = pins.filter(({ warehouseId }) => warehouseId === id);
    const { warehouse = id, problem = null } = ofWarehouse[0] ?? {};
    return { id, name: warehouse, whose: LIST.format(ofWarehouse.map(({ whose }) => whose)), problem };
  });
}

const LIST = new Intl.ListFormat('en');
