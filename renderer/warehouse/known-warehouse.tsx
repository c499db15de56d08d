import { Button } from '@mantine/core';
import { useState } from 'react';
import type { WarehouseState } from '../../preload/contract.ts';
import { mattersNow } from '../../preload/words.ts';
import { Notice } from '../shared/notice.tsx';
import { Answer } from './answer.tsx';
import { Checked } from './checked.tsx';
import { type Change, ConfirmChange } from './confirm-change.tsx';
import { NextStep } from './next-step.tsx';
import { PickWarehouse } from './pick-warehouse.tsx';
import styles from './warehouse.module.css';
import { Why } from './why.tsx';
import { APPLIES_TO } from './words.ts';

type Known = Extract<WarehouseState, { status: 'known' }>;

/** The whole answer, and the dialogs that change it. */
export function KnownWarehouse({ known }: { known: Known }) {
  const { effective, lastFailure } = known;
  const [picking, setPicking] = useState(false);
  const [change, setChange] = useState<Change | null>(null);
  const pick = (
    <Button variant="default" onClick={() => setPicking(true)}>
      Choose another…
    </Button>
  );
  return (
    <div className={styles.screen}>
      <Answer effective={effective} onPick={() => setPicking(true)} onChange={setChange} />
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
      <div className={styles.footnotes}>
        <p>{APPLIES_TO}</p>
        <Checked known={known} />
      </div>
      <PickWarehouse effective={effective} opened={picking} onClose={() => setPicking(false)} />
      <ConfirmChange effective={effective} change={change} onClose={() => setChange(null)} />
    </div>
  );
}
