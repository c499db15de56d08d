import { Button, Modal } from '@mantine/core';
import { useRef } from 'react';
import type { EffectiveWarehouse, Reply } from '../../preload/contract.ts';
import { effectiveName } from '../../preload/words.ts';
import { problemIn } from '../shared/answered.ts';
import { Notice } from '../shared/notice.tsx';
import { useChange } from './use-change.ts';
import styles from './warehouse.module.css';
import { afterClearing } from './words.ts';

/** The changes that need no choice of a warehouse. */
export type Change = 'last-selected' | 'clear' | 'stop';

interface ChangeWords {
  title: string;
  consequence(effective: EffectiveWarehouse): string;
  verb: string;
  send(effective: EffectiveWarehouse): Promise<Reply<undefined>>;
}

const CHANGES: Record<Change, ChangeWords> = {
  'last-selected': {
    title: 'Use the last selected warehouse?',
    consequence: () =>
      'Your queries will run on whichever warehouse you last picked in the workspace itself, and follow each new pick. ' +
      'Only the workspace knows which one that is: Causeway cannot show it.',
    verb: 'Use last selected',
    send: ({ profile }) => window.causeway.request.setLastSelected({ profile }),
  },
  clear: {
    title: 'Clear your override?',
    consequence: afterClearing,
    verb: 'Clear override',
    send: ({ profile }) => window.causeway.request.clearOverride({ profile }),
  },
  stop: {
    title: 'Stop the warehouse?',
    consequence: (effective) =>
      `Queries that run on ${effectiveName(effective)}, yours and those of others, are cut off. It starts again with the next one.`,
    verb: 'Stop it',
    send: ({ profile, warehouse }) =>
      window.causeway.request.stopWarehouse({ profile, warehouseId: warehouse?.id ?? '' }),
  },
};

interface ConfirmChangeProps {
  effective: EffectiveWarehouse;
  change: Change | null;
  onClose(): void;
}

/** Says what will happen, then does it. */
export function ConfirmChange({ effective, change, onClose }: ConfirmChangeProps) {
  // The words stay while the dialog fades out.
  const shown = useRef<Change>('clear');
  if (change) shown.current = change;
  const { title, consequence, verb, send } = CHANGES[shown.current];
  const applying = useChange(() => send(effective), onClose);
  const close = () => {
    applying.reset();
    onClose();
  };
  return (
    <Modal opened={change !== null} onClose={close} title={title}>
      <div className={styles.dialog}>
        <p>{consequence(effective)}</p>
        {applying.error && <Notice {...problemIn(applying.error)} />}
      </div>
      <div className={styles.dialogActions}>
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button data-autofocus loading={applying.isPending} onClick={() => applying.mutate()}>
          {applying.error ? 'Try again' : verb}
        </Button>
      </div>
    </Modal>
  );
}
