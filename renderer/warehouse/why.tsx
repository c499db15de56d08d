import type { EffectiveStepInfo } from '../../preload/contract.ts';
import layout from '../shared/layout.module.css';
import { formatOverrideChange, SOURCE_WORDS } from './format.ts';
import styles from './why.module.css';

/** The chain of reasons: override, workspace default, then the workspace's own pick. */
export function Why({ steps }: { steps: EffectiveStepInfo[] }) {
  return (
    <section aria-labelledby="why">
      <h2 id="why">Why</h2>
      <ol className={`${layout.list} ${styles.steps}`}>
        {steps.map((step, index) => (
          <li key={step.source} className={`${layout.row} ${styles.step}`} data-decides={step.outcome === 'decides'}>
            <span aria-hidden className={styles.number}>
              {index + 1}
            </span>
            <span className={styles.source}>{SOURCE_WORDS[step.source]}</span>
            <span className={styles.warehouse}>{step.warehouse?.name}</span>
            <span className={styles.outcome}>{formatOverrideChange(step)}</span>
            <p className={styles.reason}>{step.reason}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}
