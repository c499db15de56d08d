import { Button } from '@mantine/core';
import { FirstSteps } from '../shared/first-steps.tsx';
import layout from '../shared/layout.module.css';
import { showScreen } from '../shared/screen.ts';
import styles from './warehouse.module.css';

/** What comes next for those who have signed in, until there is a server. */
export function TowardsServers() {
  return (
    <section className={`${layout.stack} ${styles.next}`} aria-label="What comes next">
      <FirstSteps step="servers" />
      <p>Next, choose what your AI clients may use of this workspace.</p>
      <div>
        <Button variant="default" onClick={() => showScreen('servers')}>
          Choose servers
        </Button>
      </div>
    </section>
  );
}
