import { Skeleton } from '@mantine/core';
import layout from '../shared/layout.module.css';
import { TowardsServers } from './towards-servers.tsx';
import styles from './warehouse.module.css';

/** Holds the places of the answer while it is on its way, so that nothing jumps when it arrives. */
export function Loading({ isFirstRun }: { isFirstRun: boolean }) {
  return (
    <div className={layout.sections} aria-busy>
      <section className={styles.answer}>
        <h1 tabIndex={-1}>
          <span className={styles.lead}>Your queries run on</span>
          <Skeleton component="span" display="block" width={240} height={24} my={4} />
        </h1>
        <div className={styles.details}>
          <Skeleton width={192} height={14} />
        </div>
        <div className={styles.details}>
          <Skeleton width={128} height={14} />
        </div>
        <div className={`${layout.actions} ${styles.actions}`}>
          <Skeleton width={96} height={36} />
          <Skeleton width={152} height={36} />
        </div>
      </section>
      {isFirstRun && <TowardsServers />}
      <section>
        <h2>Why</h2>
        <div className={`${layout.list} ${styles.stepsToCome}`}>
          {['override', 'default', 'otherwise'].map((step) => (
            <div key={step} className={layout.row}>
              <Skeleton width="40%" height={14} my={4} />
              <Skeleton width="80%" height={12} my={6} />
            </div>
          ))}
        </div>
      </section>
      <p className={layout.quiet} role="status">
        Asking the workspace…
      </p>
    </div>
  );
}
