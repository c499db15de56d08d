import type { EffectiveStepInfo } from '../../preload/contract.ts';
import layout from '../shared/layout.module.css';
import { formatOverrideChange, SOURCE_WORDS } from './format.ts';
import { pinnedWarehouses, usePins } from './pick-pin.tsx';
import styles from './why.module.css';

/** The chain of reasons: pins of AI clients, override, workspace default, then the workspace's own pick. */
export function Why({ profile, steps }: { profile: string; steps: EffectiveStepInfo[] }) {
  const { data } = usePins(profile);
  const pinned = pinnedWarehouses(data?.pins ?? []);
  return (
    <section aria-labelledby="why">
      <h2 id="why">Why</h2>
      <ol className={`${layout.list} ${styles.steps}`}>
        {pinned.map(({ id, name, whose }, index) => (
          <li key={id} className={`${layout.row} ${styles.step}`}>
            <span aria-hidden className={styles.number}>
              ↑
            </span>
            <span className={styles.source}>Pinned</span>
            <span className={styles.warehouse}>{name}</span>
            <span className={styles.outcome}>For some calls</span>
            <p className={styles.reason}>
              For {whose}.{index === pinned.length - 1 && ` ${data?.rank}`}
            </p>
          </li>
        ))}
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
