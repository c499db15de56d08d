import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import type { EffectiveWarehouseInfo, Verification, WarehouseState } from '../../preload/contract.ts';
import { effectiveName, formatDetails, mattersNow, reasonFor } from '../../preload/format.ts';
import { Form } from '../shared/form.tsx';
import layout from '../shared/layout.module.css';
import { FailureNotice, Notice } from '../shared/notice.tsx';
import { StateDot } from '../shared/state-dot.tsx';
import { type Change, ConfirmChange, useChange } from './confirm-change.tsx';
import { APPLIES_TO, onceChosen } from './format.ts';
import { History } from './history.tsx';
import { Checked, NextStep, TowardsServers } from './next-step.tsx';
import { Verify } from './verify.tsx';
import styles from './warehouse.module.css';
import { useWarehouseChoice, WarehouseChoice } from './warehouse-choice.tsx';
import { Why } from './why.tsx';

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
      <WarehouseAnswer
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
      <Why profile={profile} steps={effective.steps} />
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

interface PickWarehouseProps {
  effective: EffectiveWarehouseInfo;
  opened: boolean;
  onClose(): void;
}

/** The dialog in which a warehouse is chosen from a list that can be searched. */
function PickWarehouse({ effective, opened, onClose }: PickWarehouseProps) {
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

interface AnswerProps {
  effective: EffectiveWarehouseInfo;
  onPick(): void;
  onChange(change: Change): void;
  onStart(): void;
  starting: boolean;
}

/** The answer itself, large, and the buttons that change it. */
function WarehouseAnswer({ effective, onPick, onChange, onStart, starting }: AnswerProps) {
  const { warehouse, override } = effective;
  return (
    <section className={styles.answer}>
      <div aria-live="polite" aria-atomic>
        <h1 tabIndex={-1}>
          <span className={styles.lead}>Your queries run on </span>
          <span className={styles.name}>{effectiveName(effective)}</span>
        </h1>
        {warehouse && (
          <p className={styles.details}>
            <StateDot state={warehouse.state} />
            {formatDetails(warehouse)}
          </p>
        )}
        <p className={styles.because}>{reasonFor(effective)}</p>
      </div>
      <div className={`${layout.actions} ${styles.actions}`}>
        <Button onClick={onPick}>Change…</Button>
        {warehouse?.state === 'STOPPED' && (
          <Button variant="default" loading={starting} onClick={onStart}>
            Start
          </Button>
        )}
        {(warehouse?.state === 'RUNNING' || warehouse?.state === 'STARTING') && (
          <Button variant="default" onClick={() => onChange('stop')}>
            Stop…
          </Button>
        )}
        {override?.type !== 'LAST_SELECTED' && (
          <Button variant="default" onClick={() => onChange('last-selected')}>
            Use last selected…
          </Button>
        )}
        {override && (
          <Button variant="default" onClick={() => onChange('clear')}>
            Clear override…
          </Button>
        )}
      </div>
    </section>
  );
}
