import { Button, Progress } from '@mantine/core';
import type { UpdateState } from '../../preload/contract.ts';
import layout from '../shared/layout.module.css';
import { RelativeTime } from '../shared/relative-time.tsx';
import styles from './settings.module.css';
import { updateInWords, updateOffer } from './words.ts';

/** Where the search for a newer version stands, and what the person can do. */
export function Updates({ state }: { state: UpdateState }) {
  const { request } = window.causeway;
  const offer = updateOffer(state);
  return (
    <div className={`${layout.row} ${styles.update}`}>
      <div role="status">
        <p>
          {updateInWords(state)}
          {state.status === 'idle' && state.checkedAt !== null && (
            <>
              {' '}
              Looked <RelativeTime at={state.checkedAt} />.
            </>
          )}
        </p>
        {state.status === 'failed' && state.problem.remedy && <p className={layout.quiet}>{state.problem.remedy}</p>}
      </div>
      {state.status === 'downloading' && (
        <Progress className={styles.meter} value={state.percent} aria-label="Fetched" />
      )}
      {offer === 'check' && (
        <Button variant="default" onClick={() => void request.checkForUpdates()}>
          Check for updates
        </Button>
      )}
      {offer === 'download' && (
        <Button variant="default" onClick={() => void request.downloadUpdate()}>
          Get it
        </Button>
      )}
      {offer === 'restart' && <Button onClick={() => void request.restartToUpdate()}>Restart to update</Button>}
    </div>
  );
}
