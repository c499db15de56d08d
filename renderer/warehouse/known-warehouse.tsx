import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Verification, WarehouseState } from '../../preload/contract.ts';
import { mattersNow } from '../../preload/words.ts';
import layout from '../shared/layout.module.css';
import { FailureNotice, Notice } from '../shared/notice.tsx';
import { Answer } from './answer.tsx';
import { Checked } from './checked.tsx';
import { type Change, ConfirmChange } from './confirm-change.tsx';
import { History } from './history.tsx';
import { NextStep } from './next-step.tsx';
import { PickWarehouse } from './pick-warehouse.tsx';
import { TowardsServers } from './towards-servers.tsx';
import { useChange } from './use-change.ts';
import { Verify } from './verify.tsx';
import styles from './warehouse.module.css';
import { Why } from './why.tsx';
import { APPLIES_TO } from './words.ts';

type Known = Extract<WarehouseState, { status: 'known' }>;

interface KnownWarehouseProps {
  known: Known;
  verification: Verification | null;
  /** There is no server yet. */
  isFirstRun: boolean;
}

/** The whole answer, and the dialogs that change it. */
export function KnownWarehouse({ known, verification, isFirstRun }: KnownWarehouseProps) {
  const { effective, lastFailure } = known;
  const { profile } = effective;
  const [picking, setPicking] = useState(false);
  const [change, setChange] = useState<Change | null>(null);
  const starting = useChange(
    () => window.causeway.request.startWarehouse({ profile, warehouseId: effective.warehouse?.id ?? '' }),
    () => {},
  );
  const pick = (
    <Button variant="default" onClick={() => setPicking(true)}>
      Choose another…
    </Button>
  );
  return (
    <div className={layout.sections}>
      <Answer
        effective={effective}
        onPick={() => setPicking(true)}
        onChange={setChange}
        onStart={() => starting.mutate()}
        starting={starting.isPending}
      />
      {isFirstRun && <TowardsServers />}
      <FailureNotice error={starting.error} onRetry={starting.mutate} />
      {lastFailure && (
        <Notice
          message={`This could not be checked just now. ${lastFailure.problem.message}`}
          remedy={lastFailure.problem.remedy}
        >
          <NextStep failure={lastFailure} others={[]} />
        </Notice>
      )}
      {effective.problems.map((problem) => (
        <Notice key={problem.code} tone={mattersNow(problem) ? 'warning' : 'note'} {...problem}>
          {problem.code === 'override-api-missing' ? null : pick}
        </Notice>
      ))}
      <Why steps={effective.steps} />
      <History effective={effective} />
      <Verify profile={profile} verification={verification} />
      <div className={`${layout.quiet} ${styles.footnotes}`}>
        <p>{APPLIES_TO}</p>
        <Checked known={known} />
      </div>
      <PickWarehouse effective={effective} opened={picking} onClose={() => setPicking(false)} />
      <ConfirmChange effective={effective} change={change} onClose={() => setChange(null)} />
    </div>
  );
}
