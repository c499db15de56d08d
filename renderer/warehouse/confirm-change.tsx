import { useMutation } from '@tanstack/react-query';
import type { EffectiveWarehouseInfo, Reply } from '../../preload/contract.ts';
import { effectiveName } from '../../preload/format.ts';
import { unwrap } from '../shared/answered.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { usePrevious } from '../shared/use-last.ts';
import { afterClearing } from './format.ts';

/** The changes that need no choice of a warehouse. */
export type Change = 'last-selected' | 'clear' | 'stop';

interface ChangeWords {
  title: string;
  consequence(effective: EffectiveWarehouseInfo): string;
  verb: string;
  /** Others feel it, too. */
  isGrave: boolean;
  send(effective: EffectiveWarehouseInfo): Promise<Reply<undefined>>;
}

const CHANGES: Record<Change, ChangeWords> = {
  'last-selected': {
    title: 'Use the last selected warehouse?',
    consequence: () =>
      'Your queries will run on whichever warehouse you last picked in the workspace itself, and follow each new pick. ' +
      'Only the workspace knows which one that is: Causeway cannot show it.',
    verb: 'Use last selected',
    isGrave: false,
    send: ({ profile }) => window.causeway.request.setLastSelected({ profile }),
  },
  clear: {
    title: 'Clear your override?',
    consequence: afterClearing,
    verb: 'Clear override',
    isGrave: false,
    send: ({ profile }) => window.causeway.request.clearOverride({ profile }),
  },
  stop: {
    title: 'Stop the warehouse?',
    consequence: (effective) =>
      `Queries that run on ${effectiveName(effective)}, yours and those of others, are cut off. It starts again with the next one.`,
    verb: 'Stop it',
    isGrave: true,
    send: ({ profile, warehouse }) =>
      window.causeway.request.stopWarehouse({ profile, warehouseId: warehouse?.id ?? '' }),
  },
};

interface ConfirmChangeProps {
  effective: EffectiveWarehouseInfo;
  change: Change | null;
  onClose(): void;
}

/** Says what will happen, then does it. */
export function ConfirmChange({ effective, change, onClose }: ConfirmChangeProps) {
  const { title, consequence, verb, isGrave, send } = CHANGES[usePrevious(change) ?? 'clear'];
  return (
    <ConfirmDialog
      opened={change !== null}
      title={title}
      verb={verb}
      isGrave={isGrave}
      act={() => unwrap(send(effective))}
      onClose={onClose}
    >
      <p>{consequence(effective)}</p>
    </ConfirmDialog>
  );
}

/** Sends one change, and reports when it is done: main has read the effective warehouse again by then. */
export function useChange<Input = void>(send: (input: Input) => Promise<Reply<undefined>>, onDone: () => void) {
  return useMutation({ mutationFn: (input: Input) => unwrap(send(input)), onSuccess: onDone });
}
