import { useMutation } from '@tanstack/react-query';
import { stopQuestion } from '../../preload/contract/words/warehouse.ts';
import type { EffectiveWarehouseInfo, Reply } from '../../preload/contract.ts';
import { effectiveName } from '../../preload/format.ts';
import { unwrap } from '../shared/answered.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { toast } from '../shared/toast.tsx';
import { usePrevious } from '../shared/use-last.ts';
import { afterClearing } from './format.ts';
import { strings } from './strings.ts';

const { confirm, actions, done } = strings;

/** The changes that need no choice of a warehouse. */
export type Change = 'last-selected' | 'clear' | 'stop';

interface ChangeText {
  title(effective: EffectiveWarehouseInfo): string;
  consequence(effective: EffectiveWarehouseInfo): string;
  verb: string;
  done(effective: EffectiveWarehouseInfo): string;
  /** Others feel it, too. */
  isGrave: boolean;
  send(effective: EffectiveWarehouseInfo): Promise<Reply<undefined>>;
}

const CHANGES: Record<Change, ChangeText> = {
  'last-selected': {
    title: () => confirm.followLast.title,
    consequence: () => confirm.followLast.text,
    verb: actions.followLast,
    done: () => done.followsLast,
    isGrave: false,
    send: ({ profile }) => window.causeway.request.setOverride({ profile, wanted: { type: 'LAST_SELECTED' } }),
  },
  clear: {
    title: () => confirm.useDefault.title,
    consequence: afterClearing,
    verb: actions.useDefault,
    done: () => done.usesDefault,
    isGrave: false,
    send: ({ profile }) => window.causeway.request.setOverride({ profile, wanted: { type: 'NONE' } }),
  },
  stop: {
    title: (effective) => stopQuestion.title(effectiveName(effective)),
    consequence: () => stopQuestion.consequence,
    verb: stopQuestion.verb,
    done: (effective) => done.stopping(effectiveName(effective)),
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
  const { title, consequence, verb, done: success, isGrave, send } = CHANGES[usePrevious(change) ?? 'clear'];
  const act = async () => {
    const text = success(effective);
    await unwrap(send(effective));
    toast(text, 'warehouse');
  };
  return (
    <ConfirmDialog
      opened={change !== null}
      title={title(effective)}
      verb={verb}
      isGrave={isGrave}
      isDangerous={isGrave}
      act={act}
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
