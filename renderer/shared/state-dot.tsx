import styles from './state-dot.module.css';

const LOOKS: Record<string, 'running' | 'changing' | 'gone'> = {
  RUNNING: 'running',
  STARTING: 'changing',
  STOPPING: 'changing',
  DELETING: 'gone',
  DELETED: 'gone',
};

/** A warehouse's state as a shape beside its word: full, half, hollow or crossed, so that colour never speaks alone. */
export function StateDot({ state }: { state: string }) {
  return <span aria-hidden className={styles.dot} data-look={LOOKS[state] ?? 'resting'} />;
}
