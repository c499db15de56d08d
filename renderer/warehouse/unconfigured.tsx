import type { Problem } from '../../preload/contract.ts';
import { CheckAgain } from './checked.tsx';
import styles from './warehouse.module.css';

const EXAMPLE = `[my-workspace]
host = https://YOUR-WORKSPACE`;

/** Nothing to open yet: what a profile is, and how to get one. */
export function Unconfigured({ problem }: { problem: Problem }) {
  return (
    <div className={styles.empty}>
      <h1 className={styles.title}>No workspace yet</h1>
      <p>{problem.message}</p>
      <p>
        A profile gives a workspace's address a name. It stands in the same file that the Databricks command line uses,
        so one made there works here too. The shortest one looks like this:
      </p>
      <pre>{EXAMPLE}</pre>
      <p>Save it, and Causeway opens that workspace and lets you sign in to it in your browser.</p>
      <div>
        <CheckAgain look="primary" label="Look again" />
      </div>
    </div>
  );
}
