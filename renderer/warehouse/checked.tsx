import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { WarehouseState } from '../../preload/contract.ts';
import { answered } from '../shared/answered.ts';
import { RelativeTime } from '../shared/relative-time.tsx';
import styles from './warehouse.module.css';

/** How old the answer is, and the way to a new one. */
export function Checked({ known }: { known: Extract<WarehouseState, { status: 'known' }> }) {
  return (
    <div className={styles.checked}>
      <span>
        Checked <RelativeTime at={known.checkedAt} />
      </span>
      <CheckAgain look="quiet" label="Check again" />
    </div>
  );
}

/** Quiet beneath an answer, the one primary action where there is none. */
export function CheckAgain({ look, label }: { look: 'quiet' | 'primary'; label: string }) {
  const check = useMutation({ mutationFn: () => answered(window.causeway.request.checkAgain()) });
  const quiet = { variant: 'transparent', size: 'compact-sm', className: styles.link };
  return (
    <Button {...(look === 'quiet' && quiet)} loading={check.isPending} onClick={() => check.mutate()}>
      {label}
    </Button>
  );
}
