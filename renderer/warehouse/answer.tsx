import { Button } from '@mantine/core';
import type { EffectiveWarehouse } from '../../preload/contract.ts';
import { becauseOf, detailsInWords, effectiveName } from '../../preload/words.ts';
import layout from '../shared/layout.module.css';
import { StateDot } from '../shared/state-dot.tsx';
import type { Change } from './confirm-change.tsx';
import styles from './warehouse.module.css';

interface AnswerProps {
  effective: EffectiveWarehouse;
  onPick(): void;
  onChange(change: Change): void;
  onStart(): void;
  starting: boolean;
}

/** The answer itself, large, and the ways to change it. */
export function Answer({ effective, onPick, onChange, onStart, starting }: AnswerProps) {
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
            {detailsInWords(warehouse)}
          </p>
        )}
        <p className={styles.because}>{becauseOf(effective)}</p>
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
