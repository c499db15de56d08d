import styles from './first-steps.module.css';

const STEPS = [
  { step: 'workspace', words: 'Your workspace' },
  { step: 'sign-in', words: 'Sign in' },
  { step: 'servers', words: 'Servers' },
  { step: 'clients', words: 'AI clients' },
] as const;

/** The steps from nothing to a connected AI client, and how many of them are done. */
export function FirstSteps({ step: current }: { step: (typeof STEPS)[number]['step'] }) {
  const reached = STEPS.findIndex(({ step }) => step === current);
  return (
    <ol className={styles.steps} aria-label="First steps">
      {STEPS.map(({ step, words }, place) => (
        <li
          key={step}
          className={styles.step}
          data-done={place < reached}
          aria-current={place === reached ? 'step' : undefined}
        >
          <span aria-hidden className={styles.number}>
            {place < reached ? '✓' : place + 1}
          </span>
          {words}
          {place < reached && <span className={styles.done}>, done</span>}
        </li>
      ))}
    </ol>
  );
}
