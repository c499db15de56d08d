import styles from './first-steps.module.css';
import { strings } from './strings.ts';

const STEPS = ['workspace', 'sign-in', 'servers', 'clients'] as const;

/** The steps from nothing to a connected AI client, and how many of them are done. */
export function FirstSteps({ step: current }: { step: (typeof STEPS)[number] }) {
  const reached = STEPS.indexOf(current);
  return (
    <ol className={styles.steps} aria-label={strings.steps.title}>
      {STEPS.map((step, place) => (
        <li
          key={step}
          className={styles.step}
          data-done={place < reached}
          aria-current={place === reached ? 'step' : undefined}
        >
          <span aria-hidden className={styles.number}>
            {place < reached ? '✓' : place + 1}
          </span>
          {strings.steps[step]}
          {place < reached && <span className={styles.done}>{strings.steps.done}</span>}
        </li>
      ))}
    </ol>
  );
}
