import type { ClientChange } from '../../preload/contract.ts';

/** A change with nothing special about it but what is given. */
export function clientChange(
  base: Pick<ClientChange, 'action' | 'clients' | 'servers'>,
  more: Partial<ClientChange> = {},
): ClientChange {
  return {
    replace: false,
    whileRunning: false,
    evenShared: false,
    project: null,
    itself: null,
    pin: null,
    allInOne: false,
    ...base,
    ...more,
  };
}
