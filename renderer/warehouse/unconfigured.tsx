import { AddWorkspace } from '../accounts/add-workspace.tsx';
import { FirstSteps } from '../shared/first-steps.tsx';
import { CheckAgain } from './checked.tsx';
import styles from './warehouse.module.css';

/** Nothing to open yet: what it takes, and the one form that leads on. */
export function Unconfigured() {
  return (
    <div className={styles.empty}>
      <h1 className={styles.title}>No workspace yet</h1>
      <FirstSteps step="workspace" />
      <p>
        Causeway needs to know where your Databricks workspace is. Copy its address from your browser; then you sign in
        there, and nothing else is needed.
      </p>
      <AddWorkspace taken={[]} />
      <p className={styles.footnotes}>
        The address is kept in the file that the Databricks command line uses: a profile made there works here too.
      </p>
      <div>
        <CheckAgain look="quiet" label="Look for a profile again" />
      </div>
    </div>
  );
}
